/**
 * Acknowledged events that the server refuses, on the node's disk until an operator has them sent again. A file has the
 * refused events of one file of the queue, in the queue's own format; earlier versions set whole files of it aside.
 */
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { JournalFile } from "../../../shared/journal/line-journal.ts";
import { isOfFile, keepAside, makeFolder, moveAside } from "../../../shared/journal/set-aside.ts";
import { codeOf, messageOf } from "../../../shared/message-of.ts";
import { writeDurably } from "../../../shared/system/write-durably.ts";
import { type SpoolDeletion, withoutDeleted } from "./deletions.ts";
import { readLine, type SpooledAppend, writeLine } from "./event-line.ts";
import { isLocked } from "./folder-lock.ts";

/** Refused events of one source and reason in one file. */
export interface RefusedGroup {
  readonly file: string;
  readonly source: string;
  readonly events: number;
  /** The server's, as this service words it; undefined in files of earlier versions, some of whose events are stored. */
  readonly reason: string | undefined;
  /** Ids of the first events. */
  readonly ids: readonly string[];
}

export interface RefusedCounts {
  readonly events: number;
  readonly bytes: number;
}

const SHOWN_IDS = 5;

/** Folders of a spool's folder. */
const REFUSED = "refused";
const RETRIED = "retry";

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    // A file in its place is set aside when the folder is needed.
    if (["ENOENT", "ENOTDIR"].includes(String(codeOf(error)))) return [];
    throw error;
  });
  return names.filter((name) => name.endsWith(".events")).sort();
}

interface ReadFile {
  readonly appends: readonly SpooledAppend[];
  readonly damagedLines: number;
}

async function readAppends(path: string): Promise<ReadFile> {
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  const appends = lines.flatMap((line) => readLine(line) ?? []);
  return { appends, damagedLines: lines.length - appends.length };
}

function countEvents(appends: readonly SpooledAppend[]): number {
  return appends.reduce((sum, { events }) => sum + events.length, 0);
}

/** Lists the refused events in a spool's folder, whether or not a service uses it. */
export async function listRefused(folder: string): Promise<readonly RefusedGroup[]> {
  const place = join(folder, REFUSED);
  const groups: RefusedGroup[] = [];
  for (const file of await namesIn(place)) {
    const { appends, damagedLines } = await readAppends(join(place, file)).catch((error: unknown) => {
      return { appends: [], damagedLines: 1, reason: messageOf(error) };
    });
    if (damagedLines > 0) groups.push({ file, source: "", events: 0, reason: `${file} is damaged`, ids: [] });
    for (const { source, events, reason } of appends) {
      const ids = events.slice(0, SHOWN_IDS).map(({ id }) => id);
      groups.push({ file, source, events: events.length, reason, ids });
    }
  }
  return groups;
}

/**
 * Gives the refused events of a spool's folder back to its service, which sends them again within seconds, or when it
 * starts. Returns how many files there were.
 */
export async function retryRefused(folder: string): Promise<number> {
  const names = await namesIn(join(folder, REFUSED));
  if (names.length === 0) return 0;
  await makeFolder(join(folder, RETRIED));
  for (const name of names) await rename(join(folder, REFUSED, name), join(folder, RETRIED, name));
  return names.length;
}

/** Whether the service of a spool's folder has taken all that it was given back. */
export async function isRetryTaken(folder: string): Promise<boolean | "no service"> {
  if ((await namesIn(join(folder, RETRIED))).length === 0) return true;
  return (await isLocked(folder)) ? false : "no service";
}

export class RefusedEvents {
  readonly #folder: string;
  readonly #onDamage: (message: string) => void;
  /** By the names of files. */
  #files = new Map<string, RefusedCounts>();
  /** Paths of files whose damage was reported. */
  readonly #reported = new Set<string>();

  private constructor(folder: string, onDamage: (message: string) => void) {
    this.#folder = folder;
    this.#onDamage = onDamage;
  }

  /** `onDamage` is called with each file that is set aside, or has damaged lines. */
  static async open(folder: string, onDamage: (message: string) => void): Promise<RefusedEvents> {
    const refused = new RefusedEvents(folder, onDamage);
    await refused.recount();
    return refused;
  }

  get counts(): RefusedCounts {
    const files = [...this.#files.values()];
    return {
      events: files.reduce((sum, { events }) => sum + events, 0),
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  /** Looks at the folder again, which commands empty. */
  async recount(): Promise<void> {
    const place = join(this.#folder, REFUSED);
    const files = new Map<string, RefusedCounts>();
    for (const name of await namesIn(place)) {
      const path = join(place, name);
      const { size: bytes } = await lstat(path);
      const known = this.#files.get(name);
      const events = known?.bytes === bytes ? known.events : countEvents(await this.#read(path));
      files.set(name, { events, bytes });
    }
    this.#files = files;
  }

  /** The whole lines of a file; none of one that cannot be read, which is moved away. */
  async #read(path: string): Promise<readonly SpooledAppend[]> {
    try {
      const { appends, damagedLines } = await readAppends(path);
      if (damagedLines > 0 && !this.#reported.has(path)) {
        const kept = await keepAside(path);
        this.#reported.add(path);
        this.#onDamage(`${damagedLines} lines of refused events are damaged in ${path}, which is kept as ${kept}`);
      }
      return appends;
    } catch (error) {
      if (!isOfFile(error)) throw error;
      this.#onDamage(`${path} cannot be read (${messageOf(error)}), and was moved to ${await moveAside(path)}`);
      return [];
    }
  }

  /**
   * Resolves once the refused events of a file of the queue are on the disk. What was noted of the file before, when a
   * service ended while it stored it, is replaced.
   */
  async note(file: JournalFile, appends: readonly SpooledAppend[]): Promise<void> {
    const place = join(this.#folder, REFUSED);
    const hash = createHash("sha256").update(file.lines.join("\n")).digest("hex").slice(0, 12);
    const path = join(place, `${basename(file.path, ".events")}-${hash}.events`);
    if (appends.length === 0) {
      if (!this.#files.has(basename(path))) return;
      await rm(path, { force: true });
    } else {
      await makeFolder(place);
      await writeDurably(path, appends.map((append) => `${writeLine(append)}\n`).join(""));
    }
    await this.recount();
  }

  /** Counts the events of a deletion, also among those that are to be sent again; removes them unless it is a trial. */
  async delete(deletion: SpoolDeletion, isTrial: boolean): Promise<number> {
    let count = 0;
    // A command moves files from the first folder to the second.
    for (const place of [REFUSED, RETRIED].map((name) => join(this.#folder, name))) {
      for (const name of await namesIn(place)) {
        const path = join(place, name);
        const appends = await this.#read(path);
        const left = appends.map((append) => withoutDeleted(append, deletion));
        const gone = countEvents(appends) - countEvents(left);
        count += gone;
        if (gone === 0 || isTrial) continue;
        const lines = left.filter(({ events }) => events.length > 0).map((append) => `${writeLine(append)}\n`);
        if (lines.length === 0) await rm(path, { force: true });
        else await writeDurably(path, lines.join(""));
      }
    }
    await this.recount();
    return count;
  }

  /** Hands each append that is to be sent again to `take`, and then forgets its file. */
  async takeRetried(take: (append: SpooledAppend) => Promise<void>): Promise<void> {
    const place = join(this.#folder, RETRIED);
    for (const name of await namesIn(place)) {
      for (const { source, events } of await this.#read(join(place, name))) await take({ source, events });
      await rm(join(place, name), { force: true });
    }
    await this.recount();
  }
}
