/**
 * A bounded queue on this machine's disk for events whose server is unreachable. They are acknowledged once they are on
 * the disk, and stored in order when the server answers again; ids deduplicate them however often that is interrupted.
 */
import { copyFile, type FileHandle, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { EngineError, type EventStore } from "../engines/contract/query-engine.ts";
import { type JournalFile, type LineJournal, openLineJournal } from "../shared/journal/line-journal.ts";
import { readLine, type SpooledAppend, writeLine } from "./event-line.ts";
import { lockFolder } from "./folder-lock.ts";

/** Bytes of one file, which is read as a whole. */
const FILE_BYTES = 8 * 1024 * 1024;
/** The maximum size of one append. */
const MAX_GROUP_EVENTS = 10_000;
/** A rest this small makes senders wait until it is stored, so that the queue empties even while events arrive. */
const SMALL_REST_BYTES = FILE_BYTES;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** How often an append may fail for its own reason before it is set aside. */
const MAX_REFUSALS = 8;
/** The retry time for senders when there is no room. */
const RETRY_AFTER_SECONDS = 5;

export interface SpoolOptions {
  /** Of this service alone; made when it is missing. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly store: Pick<EventStore, "append">;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  /** Waits until what was written is on the disk; for tests that have no machine end. */
  readonly flush?: (file: FileHandle) => Promise<void>;
}

/** Whether the server is unreachable, which is temporary. */
export function isAway(error: unknown): boolean {
  return error instanceof EngineError && error.code === "unavailable" && error.isLost;
}

/** Whether the same events may be stored later unchanged. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof EngineError)) return false;
  return error.isLost || ["unavailable", "overloaded", "disk_full", "timeout", "aborted"].includes(error.code);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class Spool {
  readonly #options: SpoolOptions;
  readonly #journal: LineJournal;
  readonly #unlock: () => Promise<void>;
  readonly #closing = new AbortController();
  readonly #replaying: Promise<void>;
  #comingBytes = 0;
  /** Whether the last that was tried was stored. */
  #isBack = false;
  /** Set while senders wait for a small rest. */
  #rest: { readonly stored: Promise<void>; readonly end: () => void } | undefined;

  private constructor(options: SpoolOptions, journal: LineJournal, unlock: () => Promise<void>) {
    this.#options = options;
    this.#journal = journal;
    this.#unlock = unlock;
    this.#replaying = this.#replayAll();
  }

  /** Takes over what the folder holds, and begins to store it. Throws `UserError` where another service has the folder. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const { folder, log, flush } = options;
    await mkdir(folder, { recursive: true });
    const unlock = await lockFolder(folder);
    try {
      const journal = await openLineJournal({
        ...{ folder, extension: "events", segmentBytes: FILE_BYTES, ...(flush === undefined ? {} : { flush }) },
        onCut: async (path) => {
          const kept = await setAside(path, join(folder, "cut"));
          log("warn", `the last line of ${path} has no end, as where a service is killed; the file is kept as ${kept}`);
        },
      });
      if (journal.first < journal.end) log("warn", `${journal.byteCount} bytes of events wait in ${folder}`);
      return new Spool(options, journal, unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  /** Whether events are pending: then later ones are queued after them. */
  get isWaiting(): boolean {
    return this.#journal.first < this.#journal.end || this.#comingBytes > 0;
  }

  get byteCount(): number {
    return this.#journal.byteCount;
  }

  /** Resolves once the events are on the disk. Throws `unavailable` where the queue is full. */
  async add(append: SpooledAppend): Promise<void> {
    const line = writeLine(append);
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#closing.signal.aborted) throw new EngineError("unavailable", "The service is ending");
    if (this.byteCount + this.#comingBytes + bytes > this.#options.maxBytes) {
      const message = "The server of the events does not answer, and the queue on this service's disk is full";
      throw new EngineError("unavailable", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    if (!this.isWaiting) {
      this.#options.log("warn", `the server does not answer: events wait in ${this.#options.folder}`);
    }
    this.#comingBytes += bytes;
    try {
      await this.#journal.note([line]);
    } finally {
      this.#comingBytes -= bytes;
      this.#endRest();
    }
  }

  /** Resolves when a small rest is stored or cannot be; at once where there is none. */
  async restStored(): Promise<void> {
    await this.#rest?.stored;
  }

  /** Pending events stay on the disk. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#replaying;
    await this.#journal.close();
    await this.#unlock();
  }

  async #replayAll(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await this.#journal.waitForLines(this.#journal.first, signal);
      if (signal.aborted) break;
      try {
        await this.#replayOldest();
        if (!this.isWaiting) this.#options.log("info", "all events that waited are stored");
      } catch (error) {
        this.#options.log("error", `events wait, and cannot be read from the disk: ${reasonOf(error)}`);
        this.#isBack = false;
        this.#endRest();
        await this.#options.sleep(MAX_PAUSE_MS, signal);
      }
      this.#endRest();
    }
    this.#isBack = false;
    this.#endRest();
  }

  async #replayOldest(): Promise<void> {
    if (this.#isBack && this.#journal.byteCount < SMALL_REST_BYTES) this.#beginRest();
    const file = await this.#journal.takeOldest();
    if (file === undefined) return;
    for (const group of groupsOf(await this.#readAll(file))) {
      if (!(await this.#store(group, file))) return;
    }
    await this.#journal.removeTaken(file);
  }

  #beginRest(): void {
    if (this.#rest !== undefined) return;
    let end: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#rest = { stored, end };
  }

  /** Lets senders go on where nothing is left, or where it cannot be stored. */
  #endRest(): void {
    if (this.isWaiting && this.#isBack) return;
    this.#rest?.end();
    this.#rest = undefined;
  }

  /** The content of the file, except damaged lines, which are logged and set aside. */
  async #readAll(file: JournalFile): Promise<readonly SpooledAppend[]> {
    const damaged: number[] = [];
    const appends = file.lines.flatMap((line, index) => {
      const append = readLine(line);
      if (append === undefined) damaged.push(index + 1);
      return append ?? [];
    });
    if (damaged.length > 0) {
      const kept = await setAside(file.path, join(this.#options.folder, "damaged"));
      const which = `${damaged.slice(0, 5).join(", ")}${damaged.length > 5 ? ", ..." : ""}`;
      const message = `${damaged.length} lines of ${file.path} are damaged (${which}) and their events are not stored`;
      this.#options.log("error", `${message}; the others are. The file is kept as ${kept}`);
    }
    return appends;
  }

  /** False when the service stops first. */
  async #store(group: SpooledAppend, file: JournalFile): Promise<boolean> {
    const { signal } = this.#closing;
    let [pauseMs, refusals] = [FIRST_PAUSE_MS, 0];
    while (!signal.aborted) {
      try {
        await this.#options.store.append(group.source, group.events, signal);
        this.#isBack = true;
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        if (error instanceof EngineError && error.code === "unknown_source") {
          this.#options.log("warn", `${group.events.length} events of ${group.source} waited: the source is gone`);
          return true;
        }
        if (!isPassing(error) && ++refusals === MAX_REFUSALS) {
          const kept = await setAside(file.path, join(this.#options.folder, "refused"));
          const message = `${group.events.length} events of ${group.source} cannot be stored: ${reasonOf(error)}`;
          this.#options.log("error", `${message}. They are kept in ${kept}`);
          return true;
        }
      }
      this.#isBack = false;
      this.#endRest();
      await this.#options.sleep(pauseMs, signal);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
    return false;
  }
}

/** Copies the file to a folder, under a name that none there has. */
async function setAside(path: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const kept = join(folder, `${Date.now()}-${basename(path)}`);
  await copyFile(path, kept);
  return kept;
}

/** Appends to the same source that follow each other, together. */
function groupsOf(appends: readonly SpooledAppend[]): readonly SpooledAppend[] {
  const groups: { source: string; events: SpooledAppend["events"][number][] }[] = [];
  for (const { source, events } of appends) {
    const last = groups.at(-1);
    const fits = last?.source === source && last.events.length + events.length <= MAX_GROUP_EVENTS;
    if (fits) last.events.push(...events);
    else groups.push({ source, events: [...events] });
  }
  return groups;
}
