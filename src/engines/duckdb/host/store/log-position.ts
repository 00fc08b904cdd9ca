/**
 * How far the log goes for certain: a file beside it, written after each commit that was acknowledged. DuckDB replays
 * a log that was cut short as if it had never been longer, and one whose head or lengths of entries are damaged as if
 * it ended there, so this file alone shows that acknowledged events are gone.
 *
 * It is written without a sync, which costs a commit two microseconds: the log was synced before, so whatever becomes
 * of the machine the log is never shorter than what stands here. Before anything that replaces the log it says that
 * nothing is known, and is synced.
 */
import { closeSync, constants, fsyncSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import type { LogLoss } from "../../../contract/event-store.ts";
import { sizeOf } from "./store-paths.ts";

/** How long a loss is reported, from the start that found it. */
const TOLD_FOR_MS = 7 * 24 * 3600 * 1000;
/** Always written at full length, so that no remainder of a longer text follows it. */
const LINE_BYTES = 256;
/** The first bytes of the log that are noted: more than its own entry, which has no checksum, and its longest length. */
const HEAD_BYTES = 60;
const LONGEST_FIRST_ENTRY = 80;
/** Before each further entry: its length and its checksum. */
const ENTRY_HEAD_BYTES = 16;

interface Known {
  /** Bytes of the log that hold acknowledged events; null while the log may be replaced. */
  readonly log_bytes: number | null;
  /** The log's first bytes in base64; absent where an earlier release wrote this. */
  readonly head?: string;
  readonly loss?: { readonly found_at: string; readonly acknowledged_bytes: number; readonly found_bytes: number };
}

const NOTHING: Known = { log_bytes: null };

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Parses the text; empty for anything else, such as a line cut off by a power failure, or written by hand. */
function parse(text: string): Known {
  try {
    const { log_bytes, head, loss } = JSON.parse(text) as Partial<Known>;
    const isLoss = loss !== undefined && !Number.isNaN(Date.parse(loss.found_at));
    return {
      log_bytes: isSize(log_bytes) ? log_bytes : null,
      ...(typeof head === "string" ? { head } : {}),
      ...(isLoss ? { loss } : {}),
    };
  } catch {
    return NOTHING;
  }
}

/**
 * Reports why the database would not read the log as far as it was acknowledged, though it is long enough; undefined
 * where it will, or where that is not known. Damage between heads of entries is found by the database itself. To be
 * asked before it opens the log, and changes nothing.
 */
export function findLogDamage(position: string, log: string): string | undefined {
  const { log_bytes: acknowledged, head } = readKnown(position);
  if (acknowledged === null || head === undefined) return undefined;
  const size = sizeOf(log);
  if (size === 0 || size < acknowledged) return undefined;
  const file = openSync(log, "r");
  try {
    if (readHead(file, acknowledged) !== head) return "its first bytes are not what was written";
    const begins = Array.from({ length: Math.min(LONGEST_FIRST_ENTRY, acknowledged) }, (_, index) => index + 1);
    if (begins.some((begin) => endsAt(file, begin, acknowledged))) return undefined;
    return "the length of an entry is not what was written";
  } finally {
    closeSync(file);
  }
}

/** Bytes of the log that hold acknowledged events, as the file beside it has it; null where that is not known. */
export function readAcknowledged(position: string): number | null {
  return readKnown(position).log_bytes;
}

function readKnown(path: string): Known {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch {
    return NOTHING;
  }
}

function readHead(file: number, logBytes: number): string {
  const head = Buffer.alloc(Math.min(HEAD_BYTES, logBytes));
  return head.subarray(0, readSync(file, head, 0, head.length, 0)).toString("base64");
}

/** Whether one entry after the other, the first beginning at `begin`, ends at the end. */
function endsAt(file: number, begin: number, end: number): boolean {
  const head = Buffer.alloc(ENTRY_HEAD_BYTES);
  let at = begin;
  while (at + ENTRY_HEAD_BYTES < end) {
    readSync(file, head, 0, ENTRY_HEAD_BYTES, at);
    const byteCount = head.readBigUInt64LE();
    // No entry is empty, and none goes on behind the end.
    if (byteCount === 0n || byteCount > BigInt(end - at - ENTRY_HEAD_BYTES)) return false;
    at += ENTRY_HEAD_BYTES + Number(byteCount);
  }
  return at === end;
}

export class LogPosition {
  readonly #file: number;
  readonly #log: string;
  #known: Known;

  /** Opens the file, or makes it; `log` is the log that it stands beside. */
  constructor(path: string, log: string) {
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o644);
    this.#log = log;
    const buffer = Buffer.alloc(LINE_BYTES);
    const bytes = readSync(this.#file, buffer, 0, LINE_BYTES, 0);
    this.#known = parse(buffer.toString("utf8", 0, bytes));
  }

  /**
   * Checks that the log is not shorter than when its last events were acknowledged, and records a loss.
   * To be asked before the database opens it, which forgets what it lacks.
   */
  check(nowMs: number): LogLoss | undefined {
    const { log_bytes: acknowledged } = this.#known;
    const found = sizeOf(this.#log);
    if (acknowledged !== null && found < acknowledged) {
      const loss = { found_at: new Date(nowMs).toISOString(), acknowledged_bytes: acknowledged, found_bytes: found };
      // How far the rest of the log goes is not known before the next commit.
      this.#write({ log_bytes: null, loss });
      fsyncSync(this.#file);
    } else if (this.#known.loss !== undefined && nowMs - Date.parse(this.#known.loss.found_at) > TOLD_FOR_MS) {
      const { loss: _, ...rest } = this.#known;
      this.#write(rest);
    }
    return this.loss;
  }

  get loss(): LogLoss | undefined {
    const { loss } = this.#known;
    if (loss === undefined) return undefined;
    return { foundAt: loss.found_at, acknowledgedBytes: loss.acknowledged_bytes, foundBytes: loss.found_bytes };
  }

  /** Notes that everything that is in the log now is acknowledged. */
  record(): void {
    const logBytes = sizeOf(this.#log);
    if (logBytes === this.#known.log_bytes) return;
    const { log_bytes: before, head: known, ...rest } = this.#known;
    const isSame = before !== null && before >= HEAD_BYTES && known !== undefined && logBytes > before;
    const head = isSame ? known : this.#readHead(logBytes);
    this.#write({ log_bytes: logBytes, ...(logBytes > 0 ? { head } : {}), ...rest });
  }

  /** Notes, durably, that the log may be replaced from now on. */
  invalidate(): void {
    const { head: _, ...rest } = this.#known;
    this.#write({ ...rest, log_bytes: null });
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }

  #readHead(logBytes: number): string {
    if (logBytes === 0) return "";
    const log = openSync(this.#log, "r");
    try {
      return readHead(log, logBytes);
    } finally {
      closeSync(log);
    }
  }

  #write(known: Known): void {
    this.#known = known;
    writeSync(this.#file, `${JSON.stringify(known)}\n`.padEnd(LINE_BYTES), 0, "utf8");
  }
}
