import { type FileHandle, mkdir, open, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { EventKey } from "../engines/contract/query-engine.ts";

/**
 * The keys of events of one source in the order in which they were acknowledged, numbered from 0 and kept on disk
 * until nobody needs them.
 */
export interface Journal {
  /** The number of the oldest key that is there. */
  readonly first: number;
  /** The number that the next key gets. */
  readonly end: number;
  readonly byteCount: number;
  /** Resolves once the keys are on disk; rejects where they cannot be written, and then none of them is in it. */
  note(keys: readonly EventKey[]): Promise<void>;
  /** Up to so many keys from a number on, which is `first` at least; none at the end. */
  read(from: number, maxCount: number): Promise<readonly EventKey[]>;
  /** Frees the files whose keys all come before a number. */
  releaseBefore(number: number): Promise<void>;
  /**
   * Gives the oldest file up, whoever needs it, and answers how many keys were in it; 0 where the only one is still
   * written to.
   */
  dropOldest(): Promise<number>;
  /** Resolves when keys come, or the signal aborts. */
  waitForKeys(from: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A file of keys; it is named by the number of its first one. */
interface Segment {
  readonly first: number;
  readonly path: string;
  byteCount: number;
}

interface Waiting {
  readonly text: string;
  readonly count: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface JournalOptions {
  /** A folder of its own, made when it is missing. */
  readonly folder: string;
  /** Bytes of a file at which the next one is begun. */
  readonly segmentBytes?: number;
  /** Waits until what was written is on the disk; for tests that have no machine end. */
  readonly flush?: (file: FileHandle) => Promise<void>;
}

const defaultSegmentBytes = 512 * 1024;
const extension = ".keys";

/**
 * Opens the journal that is in the folder. A line that was cut when the machine or the process ended was never
 * acknowledged, and goes.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder } = options;
  await mkdir(folder, { recursive: true });
  const segments = await readSegments(folder);
  return new FileJournal(options, segments, await countKeys(segments.at(-1)));
}

async function readSegments(folder: string): Promise<Segment[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{16}\.keys$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { first: Number.parseInt(name, 10), path, byteCount: (await stat(path)).size };
    }),
  );
}

/** How many keys the last file has, without what was cut at its end. */
async function countKeys(segment: Segment | undefined): Promise<number> {
  if (segment === undefined) return 0;
  const bytes = await readFile(segment.path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) await truncate(segment.path, end);
  segment.byteCount = end;
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}

class FileJournal implements Journal {
  readonly #folder: string;
  readonly #segments: Segment[];
  readonly #segmentBytes: number;
  readonly #flush: (file: FileHandle) => Promise<void>;
  #end: number;
  #active: FileHandle | undefined;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(options: JournalOptions, segments: Segment[], lastCount: number) {
    this.#folder = options.folder;
    this.#segments = segments;
    this.#segmentBytes = options.segmentBytes ?? defaultSegmentBytes;
    this.#flush = options.flush ?? ((file) => file.sync());
    this.#end = (segments.at(-1)?.first ?? 0) + lastCount;
  }

  get first(): number {
    return this.#segments[0]?.first ?? this.#end;
  }

  get end(): number {
    return this.#end;
  }

  get byteCount(): number {
    return this.#segments.reduce((sum, { byteCount }) => sum + byteCount, 0);
  }

  note(keys: readonly EventKey[]): Promise<void> {
    if (keys.length === 0) return Promise.resolve();
    const text = keys.map(({ id, timestampUs }) => `${timestampUs} ${JSON.stringify(id)}\n`).join("");
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, count: keys.length, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async read(from: number, maxCount: number): Promise<readonly EventKey[]> {
    const index = this.#segments.findLastIndex(({ first }) => first <= from);
    const segment = this.#segments[index];
    if (segment === undefined || from >= this.#end) return [];
    const end = this.#segments[index + 1]?.first ?? this.#end;
    const wanted = Math.min(maxCount, end - from);
    // Keys behind the end may be in the file already, and are not yet on disk for good.
    const lines = (await readFile(segment.path, "utf8")).split("\n", from - segment.first + wanted);
    return lines.slice(from - segment.first).map(parseKey);
  }

  async releaseBefore(number: number): Promise<void> {
    while (this.#segments.length > 1 && (this.#segments[1]?.first ?? Number.POSITIVE_INFINITY) <= number) {
      await this.#removeFirst();
    }
  }

  async dropOldest(): Promise<number> {
    const [oldest, next] = this.#segments;
    if (oldest === undefined || next === undefined) return 0;
    await this.#removeFirst();
    return next.first - oldest.first;
  }

  waitForKeys(from: number, signal: AbortSignal): Promise<void> {
    if (from < this.#end || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        this.#listeners.delete(finish);
        signal.removeEventListener("abort", finish);
        resolve();
      };
      this.#listeners.add(finish);
      signal.addEventListener("abort", finish, { once: true });
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#active?.close();
    this.#active = undefined;
  }

  async #removeFirst(): Promise<void> {
    const [oldest] = this.#segments.splice(0, 1);
    if (oldest !== undefined) await rm(oldest.path, { force: true });
  }

  /** All that waits is written together, and once more what came meanwhile: one flush of the disk for many requests. */
  async #writeAll(): Promise<void> {
    // So that requests of the same moment share the first one too.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.splice(0);
      try {
        await this.#write(taken.map(({ text }) => text).join(""));
        this.#end += taken.reduce((sum, { count }) => sum + count, 0);
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
      for (const listener of [...this.#listeners]) listener();
    }
    // In the same step as the look at what waits: the next to come begins anew.
    this.#writing = undefined;
  }

  async #write(text: string): Promise<void> {
    const { segment, file } = await this.#openSegment();
    const bytes = Buffer.from(text, "utf8");
    try {
      await file.appendFile(bytes);
      await this.#flush(file);
      segment.byteCount += bytes.length;
    } catch (error) {
      await file.close().catch(() => undefined);
      this.#active = undefined;
      // What was written of it would count as keys when the journal is opened again.
      await truncate(segment.path, segment.byteCount).catch(() => undefined);
      throw error;
    }
  }

  /** The file that keys are appended to. */
  async #openSegment(): Promise<{ readonly segment: Segment; readonly file: FileHandle }> {
    const last = this.#segments.at(-1);
    if (last !== undefined && last.byteCount < this.#segmentBytes) {
      this.#active ??= await open(last.path, "a");
      return { segment: last, file: this.#active };
    }
    await this.#active?.close();
    this.#active = undefined;
    const path = join(this.#folder, `${String(this.#end).padStart(16, "0")}${extension}`);
    const file = await open(path, "a");
    this.#active = file;
    const folder = await open(this.#folder, "r");
    // The file's name, too, must outlive the machine's end.
    await this.#flush(folder).finally(() => folder.close());
    const segment = { first: this.#end, path, byteCount: 0 };
    this.#segments.push(segment);
    return { segment, file };
  }
}

function parseKey(line: string): EventKey {
  const space = line.indexOf(" ");
  return { timestampUs: BigInt(line.slice(0, space)), id: JSON.parse(line.slice(space + 1)) as string };
}
