import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { UserError } from "../shared/user-error.ts";
import type { BackupPlace } from "./place.ts";

const lockKey = "lock";
const renewMs = 60_000;
/** The lock of another machine that was not renewed for so long is nobody's. */
const staleMs = 20 * 60_000;

interface Holder {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
  /** When the process began, to tell it from a later one with its number. */
  readonly began: number;
  readonly since: string;
}

/** The right to change a place. */
export interface PlaceLock {
  /** Throws `UserError` where another process has taken the lock. */
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
      const who = holder === undefined ? "" : ` (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
      throw new UserError(
        `Another backup or pruning is at work in ${place.title}${who}; nothing was changed. If there is none, remove ` +
          `its file ${lockKey}`,
      );
    }
    await place.remove(lockKey);
  }
  // A full disk, or a connection that fails for a moment, must not end the work.
  const timer = setInterval(() => void place.write(lockKey, text).catch(() => undefined), renewMs).unref();
  return {
    async confirm() {
      const holder = await readHolder(place);
      if (holder !== undefined && holder.token !== own.token) {
        throw new UserError(`Another backup or pruning has taken over ${place.title}; this one ends. Try again`);
      }
    },
    async release() {
      clearInterval(timer);
      const holder = await readHolder(place);
      if (holder === undefined || holder.token === own.token) await place.remove(lockKey);
    },
  };
}

/** Undefined where there is no lock, or one without its text: its holder ended before it was written. */
async function readHolder(place: BackupPlace): Promise<Holder | undefined> {
  const bytes = await place.read(lockKey);
  try {
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as Holder);
  } catch {
    return undefined;
  }
}

async function isHeld(place: BackupPlace, holder: Holder, own: Holder): Promise<boolean> {
  if (holder.host !== own.host) return ((await place.ageMs(lockKey)) ?? staleMs) < staleMs;
  if (holder.pid === own.pid) return holder.began === own.began;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
