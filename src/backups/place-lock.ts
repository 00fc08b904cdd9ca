import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { isRunning } from "../shared/system/is-running.ts";
import { UserError } from "../shared/user-error.ts";
import type { BackupPlace } from "./place.ts";

const lockKey = "lock";
const maxLockBytes = 10_000;
const renewMs = 60_000;
/** The lock of another machine that was not renewed for so long is nobody's. */
const staleMs = 20 * 60_000;
/** A lock is there before its text is. */
const unnamedMs = 5_000;

interface Holder {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
  /** When the process began, to distinguish it from a later one with its number. */
  readonly began: number;
  readonly since: string;
}

/** The right to change a place. */
export interface PlaceLock {
  /** Throws `UserError` where the lock is no longer there: another process has taken it, and may have ended since. */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Keeps other backups and prunings away from a place until it is released. The lock of a process that has ended is
 * taken over. Throws `UserError` where another holds it.
 */
export async function takeLock(place: BackupPlace): Promise<PlaceLock> {
  const began = Math.round(performance.timeOrigin);
  const own: Holder = {
    ...{ token: randomUUID(), host: hostname(), pid: process.pid, began, since: new Date().toISOString() },
  };
  const text = Buffer.from(JSON.stringify(own));
  for (let round = 0; !(await place.create(lockKey, text)); round++) {
    const holder = await readHolder(place);
    if (round > 2 || (holder !== undefined && (await isHeld(place, holder, own)))) {
      const isNamed = holder !== undefined && holder !== "unnamed";
      const who = isNamed ? ` (process ${holder.pid} on ${holder.host}, since ${holder.since})` : "";
      throw new UserError(
        `Another backup or pruning is at work in ${place.title}${who}; nothing was changed. If there is none, remove ` +
          `its file ${lockKey}`,
      );
    }
    await place.remove(lockKey);
  }
  // A process that was stopped for long may find the lock another's: to renew it would take it back.
  const isOwn = async () => {
    const holder = await readHolder(place);
    return holder === "unnamed" || holder?.token === own.token;
  };
  const renew = async () => {
    if (await isOwn()) await place.write(lockKey, text);
  };
  // A full disk, or a connection that fails for a moment, must not end the work.
  const timer = setInterval(() => void renew().catch(() => undefined), renewMs).unref();
  return {
    async confirm() {
      if (await isOwn()) return;
      throw new UserError(`Another backup or pruning has taken over ${place.title}; this one ends. Try again`);
    },
    async release() {
      clearInterval(timer);
      if (await isOwn()) await place.remove(lockKey);
    },
  };
}

/** Undefined where there is no lock; unnamed where it has no text, as on a full disk. */
async function readHolder(place: BackupPlace): Promise<Holder | "unnamed" | undefined> {
  const bytes = await place.read(lockKey, maxLockBytes);
  try {
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as Holder);
  } catch {
    return "unnamed";
  }
}

async function isHeld(place: BackupPlace, holder: Holder | "unnamed", own: Holder): Promise<boolean> {
  if (holder === "unnamed") return ((await place.ageMs(lockKey)) ?? unnamedMs) < unnamedMs;
  if (holder.host !== own.host) return ((await place.ageMs(lockKey)) ?? staleMs) < staleMs;
  if (holder.pid === own.pid) return holder.began === own.began;
  return isRunning(holder.pid);
}
