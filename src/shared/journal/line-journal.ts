import { access, constants, type FileHandle, open, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../message-of.ts";
import { isOfFile, keepAside, makeFolder, moveAside } from "./set-aside.ts";

/** A file of a journal. */
export interface JournalFile {
  readonly path: string;
  readonly byteCount: number;
  /** As they are on the disk, damaged or not; those that are missing are empty. */
  readonly lines: readonly string[];
}

/** A file of lines; it is named by the number of its first one. */
interface Segment {
  readonly first: number;
  readonly path: string;
  byteCount: number;
  /** It was set aside. */
  readonly isGone?: true;
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
  /** The suffix of its files' names; letters. */
  readonly extension: string;
  /** Bytes of a file at which the next one is begun. */
  readonly segmentBytes?: number;
  /** Waits until what was written is on the disk; for tests that have no machine end. */
  readonly flush?: (file: FileHandle) => Promise<void>;
  /** Called with a line without its end before it goes. */
  readonly onCut?: (path: string) => Promise<void>;
  /** Called with a file with damaged lines, or that cannot be read at all: which, why, and where it is kept. */
  readonly onDamage?: (message: string) => void;
}

const defaultSegmentBytes = 512 * 1024;

/**
 * Opens the journal in the folder. A line truncated by a crash was never acknowledged, and is removed. What cannot be
 * read as a file is set aside, with its lines: it keeps no other from being read, nor the journal from being opened.
 */
export async function openLineJournal(options: JournalOptions): Promise<LineJournal> {
  await makeFolder(options.folder);
  const segments = await readSegments(options);
  return new LineJournal(options, segments, await countLines(segments.at(-1), options));
}

async function readSegments({ folder, extension, onDamage }: JournalOptions): Promise<Segment[]> {
  const isOurs = (name: string) => /^\d{16}\./.test(name) && name.slice(17) === extension;
  const segments: Segment[] = [];
  for (const name of (await readdir(folder)).filter(isOurs).sort()) {
    const path = join(folder, name);
    const first = Number.parseInt(name, 10);
    const isNumber = Number.isSafeInteger(first);
    const problem = isNumber ? await findProblem(path) : "no line has its number";
    if (problem === undefined) segments.push({ first, path, byteCount: (await stat(path)).size });
    else {
      onDamage?.(`${path} cannot be used (${problem}), and was moved to ${await moveAside(path)}`);
      if (isNumber) segments.push({ first, path, byteCount: 0, isGone: true });
    }
  }
  // How many lines it had is known by the number of the next one.
  return segments.slice(0, segments.findLastIndex(({ isGone }) => isGone !== true) + 1);
}

async function findProblem(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return "it is no file";
    await access(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    if (!isOfFile(error)) throw error;
    return messageOf(error);
  }
}

/** How many lines the last file has, without what was cut at its end. */
async function countLines(segment: Segment | undefined, { onCut }: JournalOptions): Promise<number> {
  if (segment === undefined) return 0;
  const bytes = await readFile(segment.path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) {
    await onCut?.(segment.path);
    await truncate(segment.path, end);
  }
  segment.byteCount = end;
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}

/** Lines of text in the order in which they were added, numbered from 0 and stored on disk until they are released. */
export class LineJournal {
  readonly #folder: string;
  readonly #extension: string;
  readonly #segments: Segment[];
  readonly #segmentBytes: number;
  readonly #flush: (file: FileHandle) => Promise<void>;
  readonly #onDamage: (message: string) => void;
  /** Files whose damage was reported. */
  readonly #reported = new Set<string>();
  #end: number;
  #active: FileHandle | undefined;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  /** The one group that is on its way to the disk. */
  #current: Promise<void> = Promise.resolve();
  /** Nothing is added to it any more. */
  #sealed: Segment | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(options: JournalOptions, segments: Segment[], lastCount: number) {
    this.#folder = options.folder;
    this.#extension = options.extension;
    this.#segments = segments;
    this.#segmentBytes = options.segmentBytes ?? defaultSegmentBytes;
    this.#flush = options.flush ?? ((file) => file.sync());
    this.#onDamage = options.onDamage ?? (() => undefined);
    this.#end = (segments.at(-1)?.first ?? 0) + lastCount;
  }

  /** The number of the oldest line that is there. */
  get first(): number {
    return this.#segments[0]?.first ?? this.#end;
  }

  /** The number that the next line gets. */
  get end(): number {
    return this.#end;
  }

  get byteCount(): number {
    return this.#segments.reduce((sum, { byteCount }) => sum + byteCount, 0);
  }

  /**
   * Resolves once the lines, which hold no line feed, are on disk; rejects where they cannot be written, and then none
   * of them is in it.
   */
  note(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return Promise.resolve();
    return this.#add(lines.map((line) => `${line}\n`).join(""), lines.length);
  }

  /**
   * Up to so many lines from a number on, which is `first` at least; none at the end. Those that are missing from a
   * damaged file are empty.
   */
  async read(from: number, maxCount: number): Promise<readonly string[]> {
    const index = this.#segments.findLastIndex(({ first }) => first <= from);
    const segment = this.#segments[index];
    if (segment === undefined || from >= this.#end) return [];
    const end = this.#segments[index + 1]?.first ?? this.#end;
    const wanted = Math.min(maxCount, end - from);
    // Lines after the end may be in the file already, but are not durable yet.
    const bytes = await this.#readFile(segment, keepAside);
    const lines = (bytes?.toString("utf8") ?? "").split("\n", from - segment.first + wanted);
    return Array.from({ length: wanted }, (_, index) => lines[from - segment.first + index] ?? "");
  }

  /** Frees the files whose lines all come before a number. */
  async releaseBefore(number: number): Promise<void> {
    while (this.#segments.length > 1 && (this.#segments[1]?.first ?? Number.POSITIVE_INFINITY) <= number) {
      await this.#removeFirst();
    }
  }

  /** Begins the next file, whose name tells after a restart how many lines the last one has, whatever becomes of it. */
  async seal(): Promise<void> {
    const last = this.#segments.at(-1);
    if (last === undefined || last.byteCount === 0) return;
    this.#sealed = last;
    await this.#add("", 0);
  }

  /** Drops the oldest file, even if it is still needed, and returns its number of lines; 0 when there is no line. */
  async dropOldest(): Promise<number> {
    const [oldest] = this.#segments;
    if (oldest === undefined || this.first === this.#end) return 0;
    if (this.#segments.length === 1) await this.seal();
    if (this.#segments[0] !== oldest) return 0;
    await this.#removeFirst();
    return this.first - oldest.first;
  }

  /** The oldest file that can be read, to which nothing is added any longer; undefined when there is no line. */
  async takeOldest(): Promise<JournalFile | undefined> {
    const segment = this.#segments[0];
    if (segment === undefined || this.first === this.#end) return undefined;
    if (segment === this.#segments.at(-1)) {
      this.#sealed = segment;
      // What was on its way when the file was sealed may still be added to it.
      await this.#current.catch(() => undefined);
      if (segment === this.#segments.at(-1)) await this.#closeActive();
    }
    const bytes = await this.#readFile(segment, moveAside);
    if (bytes === undefined) {
      this.#segments.shift();
      return this.takeOldest();
    }
    const lines = bytes.toString("utf8").split("\n");
    if (lines.at(-1) === "") lines.pop();
    const count = (this.#segments[1]?.first ?? this.#end) - segment.first;
    while (lines.length < count) lines.push("");
    return { path: segment.path, byteCount: bytes.length, lines };
  }

  /** Keeps a copy of the file that has the line of this number, and reports it once. */
  async keepDamaged(number: number): Promise<void> {
    const segment = this.#segments.findLast(({ first }) => first <= number);
    if (segment !== undefined && !segment.isGone) await this.#tellDamage(segment, "has damaged lines", keepAside);
  }

  /** Undefined for a file that cannot be read, which is set aside. */
  async #readFile(segment: Segment, setAside: (path: string) => Promise<string>): Promise<Buffer | undefined> {
    if (segment.isGone) return undefined;
    try {
      return await readFile(segment.path);
    } catch (error) {
      if (!isOfFile(error)) throw error;
      await this.#tellDamage(segment, `cannot be read (${messageOf(error)})`, setAside);
      return undefined;
    }
  }

  async #tellDamage({ path }: Segment, what: string, setAside: (path: string) => Promise<string>): Promise<void> {
    if (this.#reported.has(path)) return;
    this.#reported.add(path);
    const kept = await setAside(path).catch(() => undefined);
    this.#onDamage(`${path} ${what}${kept === undefined ? "" : `, and is kept as ${kept}`}`);
  }

  /** Frees the file that `takeOldest` answered. */
  async removeTaken({ path }: JournalFile): Promise<void> {
    if (this.#segments[0]?.path === path) await this.#removeFirst();
  }

  /** Resolves when lines come, or the signal aborts. */
  waitForLines(from: number, signal: AbortSignal): Promise<void> {
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
    await this.#closeActive();
  }

  async #closeActive(): Promise<void> {
    const file = this.#active;
    this.#active = undefined;
    await file?.close();
  }

  async #removeFirst(): Promise<void> {
    const [oldest] = this.#segments.splice(0, 1);
    if (oldest !== undefined) await rm(oldest.path, { force: true });
  }

  #add(text: string, count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, count, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /**
   * All pending lines are written together, and then those that arrived in the meantime: one flush of the disk for many
   * requests.
   */
  async #writeAll(): Promise<void> {
    // So that requests of the same moment share the first one too.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.splice(0);
      try {
        this.#current = this.#write(taken.map(({ text }) => text).join(""));
        await this.#current;
        this.#end += taken.reduce((sum, { count }) => sum + count, 0);
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
      for (const listener of [...this.#listeners]) listener();
    }
    // In the same step as the check for pending lines: the next caller starts a new flush.
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
      // What was written of it would count as lines when the journal is opened again.
      await truncate(segment.path, segment.byteCount).catch(() => undefined);
      throw error;
    }
  }

  /** The file that lines are appended to. */
  async #openSegment(): Promise<{ readonly segment: Segment; readonly file: FileHandle }> {
    const last = this.#segments.at(-1);
    if (last !== undefined && last !== this.#sealed && last.byteCount < this.#segmentBytes) {
      this.#active ??= await open(last.path, "a");
      return { segment: last, file: this.#active };
    }
    await this.#closeActive();
    const path = join(this.#folder, `${String(this.#end).padStart(16, "0")}.${this.#extension}`);
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
