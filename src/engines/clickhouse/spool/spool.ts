/**
 * A bounded queue on this machine's disk for events whose server is unreachable. They are acknowledged once they are on
 * the disk, and stored in order when the server answers again; ids deduplicate them however often that is interrupted.
 */
import { copyFile, type FileHandle, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { createSerialQueue } from "../../../shared/concurrency/serial-queue.ts";
import { type JournalFile, type LineJournal, openLineJournal } from "../../../shared/journal/line-journal.ts";
import { keepAside, makeFolder } from "../../../shared/journal/set-aside.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { freeBytesOf } from "../../../shared/system/free-bytes.ts";
import { EngineError, type EventStore } from "../../contract/query-engine.ts";
import { byReason, groupsOf } from "./append-groups.ts";
import { type SpoolDeletion, SpoolDeletions, withoutDeleted } from "./deletions.ts";
import { readLine, type SpooledAppend, writeLine } from "./event-line.ts";
import { lockFolder } from "./folder-lock.ts";
import { type RefusedCounts, RefusedEvents } from "./refused-events.ts";
import { isPassing } from "./spool-errors.ts";
import { type Attempt, storeInPieces } from "./store-in-pieces.ts";

/** Bytes of one file, which is read as a whole. */
const FILE_BYTES = 8 * 1024 * 1024;
/** So much of the disk is left to what goes with events that wait, and are stored: keys for drains, deletions. */
const LEFT_BYTES = 2 * FILE_BYTES;
/** A rest this small makes senders wait until it is stored, so that the queue empties even while events arrive. */
const SMALL_REST_BYTES = FILE_BYTES;
/** For how long they wait at most: then their events are queued, so that a slow server holds no sender up. */
const MAX_REST_MS = 3_000;
/** Lines that are looked at together, each an append. */
const LINES_READ = 1_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** How often the folder is looked at for refused events that an operator wants sent again. */
const RETRY_LOOK_MS = 1_000;
/** The retry time for senders when there is no room. */
const RETRY_AFTER_SECONDS = 5;

export interface SpoolOptions {
  /** This service's own folder; created if it is missing. */
  readonly folder: string;
  readonly maxBytes: number;
  /** Reads what is free of the folder's disk; for tests. */
  readonly freeBytes?: () => number;
  readonly store: Pick<EventStore, "append" | "describe">;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  /** Waits until what was written is on the disk; for tests that have no machine end. */
  readonly flush?: (file: FileHandle) => Promise<void>;
}

export class Spool {
  readonly #options: SpoolOptions;
  readonly #journal: LineJournal;
  readonly #unlock: () => Promise<void>;
  readonly #closing = new AbortController();
  readonly #replaying: Promise<void>;
  readonly #refused: RefusedEvents;
  readonly #deletions: SpoolDeletions;
  /** The append that is under way. */
  #appending: Promise<unknown> | undefined;
  readonly #looking: NodeJS.Timeout;
  #comingBytes = 0;
  /** Why the last attempt failed that is to be repeated; logged when it changes. */
  #obstacle: string | undefined;
  #taking: Promise<void> | undefined;
  /** Changes of what is waiting or refused by deletions, retries and refusals: each reads files that it writes anew. */
  readonly #inTurn = createSerialQueue();
  /** Whether the last that was tried was stored. */
  #isBack = false;
  /** Set while senders wait for a small rest. */
  #rest: { readonly stored: Promise<void>; readonly end: () => void } | undefined;

  private constructor(
    options: SpoolOptions,
    journal: LineJournal,
    { refused, deletions }: { readonly refused: RefusedEvents; readonly deletions: SpoolDeletions },
    unlock: () => Promise<void>,
  ) {
    this.#options = options;
    this.#journal = journal;
    this.#refused = refused;
    this.#deletions = deletions;
    this.#unlock = unlock;
    this.#looking = setInterval(() => void this.takeRetried(), RETRY_LOOK_MS);
    this.#looking.unref();
    this.#replaying = this.#replayAll();
  }

  /** Takes over what the folder holds, and begins to store it. Throws `UserError` where another service has the folder. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const { folder, log, flush } = options;
    await makeFolder(folder);
    const unlock = await lockFolder(folder);
    const onDamage = (message: string) => log("error", `events that wait for the server: ${message}`);
    try {
      const journal = await openLineJournal({
        ...{ folder, extension: "events", segmentBytes: FILE_BYTES, ...(flush === undefined ? {} : { flush }) },
        onDamage,
        onCut: async (path) => {
          const kept = await copyTo(path, join(folder, "cut")).catch(() => "nothing: the disk is full");
          log("warn", `the last line of ${path} has no end, as where a service is killed; the file is kept as ${kept}`);
        },
      });
      if (journal.first < journal.end) log("warn", `${journal.byteCount} bytes of events wait in ${folder}`);
      const refused = await RefusedEvents.open(folder, onDamage);
      const { events } = refused.counts;
      if (events > 0)
        log("error", `${events} events that the server refuses are in ${folder}: see \`logweir spool list\``);
      const deletions = await SpoolDeletions.open(folder, journal, onDamage);
      const spool = new Spool(options, journal, { refused, deletions }, unlock);
      await spool.takeRetried();
      return spool;
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

  /** Events that the server refuses, and the bytes of their files. */
  get refused(): RefusedCounts {
    return this.#refused.counts;
  }

  /** Resolves when the refused events that an operator wants sent again wait with the others; never rejects. */
  takeRetried(): Promise<void> {
    this.#taking ??= this.#inTurn(() => this.#refused.takeRetried((append) => this.#note(writeLine(append))))
      .catch((error: unknown) => {
        this.#options.log("error", `refused events cannot be read from the disk: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#taking = undefined;
      });
    return this.#taking;
  }

  /** Resolves once the events are on the disk. Throws `unavailable` where the queue is full, `disk_full` before that is. */
  async add(append: SpooledAppend): Promise<void> {
    const line = writeLine(append);
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#closing.signal.aborted) throw new EngineError("unavailable", "The service is ending");
    if (this.byteCount + this.refused.bytes + this.#comingBytes + bytes > this.#options.maxBytes) {
      const message = "The server of the events does not answer, and the queue on this service's disk is full";
      throw new EngineError("unavailable", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const { folder, freeBytes = () => freeBytesOf(folder) } = this.#options;
    if (freeBytes() < this.#comingBytes + bytes + LEFT_BYTES) {
      const message = "The disk of this service's queue has no room but for what goes with the events that wait";
      throw new EngineError("disk_full", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    if (!this.isWaiting) {
      this.#options.log("warn", `the server does not answer: events wait in ${this.#options.folder}`);
    }
    await this.#note(line);
  }

  async #note(line: string): Promise<void> {
    const bytes = Buffer.byteLength(line) + 1;
    this.#comingBytes += bytes;
    try {
      await this.#journal.note([line]);
    } finally {
      this.#comingBytes -= bytes;
      this.#endRest();
    }
  }

  /** Counts the waiting and refused events of a deletion. */
  count(deletion: SpoolDeletion): Promise<number> {
    return this.#inTurn(
      async () => (await this.#countWaiting(deletion)) + (await this.#refused.delete(deletion, true)),
    );
  }

  /**
   * Deletes waiting and refused events, and counts them. None of them reaches the server after this, except those that
   * it has by then.
   */
  async delete(deletion: SpoolDeletion): Promise<number> {
    const count = await this.#inTurn(async () => {
      const waiting = await this.#countWaiting(deletion);
      // Lines are refused later that are read now: first they are known to be deleted.
      if (this.isWaiting) await this.#deletions.note(deletion, this.#journal.end);
      return waiting + (await this.#refused.delete(deletion, false));
    });
    await this.#appending?.catch(() => undefined);
    return count;
  }

  async #countWaiting(deletion: SpoolDeletion): Promise<number> {
    let count = 0;
    let number = this.#journal.first;
    while (number < this.#journal.end) {
      const lines = await this.#journal.read(number, LINES_READ);
      // What is stored in the meantime is counted there.
      if (lines.length === 0) break;
      for (const [index, line] of lines.entries()) {
        const append = readLine(line);
        if (append === undefined) continue;
        const before = this.#deletions.left(append, number + index);
        count += before.events.length - withoutDeleted(before, deletion).events.length;
      }
      number += lines.length;
    }
    return count;
  }

  /** Resolves when a small rest is stored or cannot be; at once where there is none. */
  async restStored(): Promise<void> {
    await this.#rest?.stored;
  }

  /** Pending events stay on the disk. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#looking);
    await this.#taking;
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
        this.#options.log("error", `events wait, and cannot be read from the disk: ${messageOf(error)}`);
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
    const { noted } = this.#deletions;
    const appends = await this.#readAll(file);
    const leave = (append: SpooledAppend) => this.#leaveSince(noted, append);
    let refused: readonly SpooledAppend[] = [];
    for (const group of groupsOf(appends)) {
      const outcome = await this.#store(group, leave);
      if (outcome === undefined) return;
      refused = [...refused, ...outcome];
    }
    await this.#inTurn(async () => {
      refused = refused.map(leave).filter(({ events }) => events.length > 0);
      await this.#refused.note(file, refused);
      await this.#journal.removeTaken(file);
      await this.#deletions.releaseBefore(this.#journal.first);
    });
    for (const { source, events, reason } of refused) {
      const message = `${events.length} events of ${source} cannot be stored: ${reason}`;
      this.#options.log(
        "error",
        `${message}. \`logweir spool list\` names them, \`logweir spool retry\` sends them again`,
      );
    }
  }

  /** The events that were not deleted since these deletions, all of which apply to what was read before. */
  #leaveSince(before: readonly SpoolDeletion[], append: SpooledAppend): SpooledAppend {
    const since = this.#deletions.noted.filter((deletion) => !before.includes(deletion));
    return since.reduce(withoutDeleted, append);
  }

  #beginRest(): void {
    if (this.#rest !== undefined) return;
    let end: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => {
      end = resolve;
    });
    const rest = { stored, end };
    this.#rest = rest;
    void this.#options.sleep(MAX_REST_MS, this.#closing.signal).then(() => {
      end();
      if (this.#rest === rest) this.#rest = undefined;
    });
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
    const first = Number.parseInt(basename(file.path), 10);
    const appends = file.lines.flatMap((line, index) => {
      const append = readLine(line);
      if (append === undefined) damaged.push(index + 1);
      return append === undefined ? [] : this.#deletions.left(append, first + index);
    });
    if (damaged.length > 0) {
      const kept = await keepAside(file.path);
      const which = `${damaged.slice(0, 5).join(", ")}${damaged.length > 5 ? ", ..." : ""}`;
      const message = `${damaged.length} lines of ${file.path} are damaged (${which}) and their events are not stored`;
      this.#options.log("error", `${message}; the others are. The file is kept as ${kept}`);
    }
    return appends;
  }

  /** Stores the group and returns the part that the server refuses; undefined if the service stops first. */
  async #store(
    { source, events }: SpooledAppend,
    leave: (append: SpooledAppend) => SpooledAppend,
  ): Promise<readonly SpooledAppend[] | undefined> {
    const { signal } = this.#closing;
    const refused = await storeInPieces(events, {
      attempt: (piece) => this.#attempt(source, () => leave({ source, events: piece }).events),
      pause: async (round) => {
        await this.#waitOut(FIRST_PAUSE_MS * 2 ** round);
        return !signal.aborted;
      },
    });
    return refused === undefined ? undefined : byReason(source, refused, messageOf);
  }

  /** Tries until the server takes the events or refuses them. */
  async #attempt(source: string, readEvents: () => SpooledAppend["events"]): Promise<Attempt> {
    const { signal } = this.#closing;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs *= 2) {
      const events = readEvents();
      if (events.length === 0) return { kind: "stored", wrote: false };
      try {
        const appending = this.#options.store.append(source, events, signal);
        this.#appending = appending;
        const { stored } = await appending;
        this.#isBack = true;
        this.#obstacle = undefined;
        return { kind: "stored", wrote: stored > 0 };
      } catch (error) {
        if (signal.aborted) break;
        // A server that lost the table of a source, or a column of it, says the same: those events are refused.
        const isGone = error instanceof EngineError && error.code === "unknown_source";
        if (isGone && this.#options.store.describe(source) === undefined) {
          this.#options.log("warn", `${events.length} events of ${source} waited: the source is gone`);
          return { kind: "stored", wrote: false };
        }
        if (!isPassing(error)) return { kind: "refused", reason: error };
        const obstacle = messageOf(error);
        if (obstacle !== this.#obstacle) this.#options.log("warn", `events wait: ${obstacle}`);
        this.#obstacle = obstacle;
      }
      await this.#waitOut(pauseMs);
    }
    return { kind: "stopped" };
  }

  /** Lets senders go on meanwhile. */
  async #waitOut(pauseMs: number): Promise<void> {
    this.#isBack = false;
    this.#endRest();
    await this.#options.sleep(Math.min(MAX_PAUSE_MS, pauseMs), this.#closing.signal);
  }
}

/** Copies the file to a folder, under a name that none there has. */
async function copyTo(path: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const kept = join(folder, `${Date.now()}-${basename(path)}`);
  await copyFile(path, kept);
  return kept;
}
