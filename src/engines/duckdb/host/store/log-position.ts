/**
 * How far the log goes for certain: a file beside it, written after each commit that was acknowledged. DuckDB replays
 * a log that was cut short as if it had never been longer, so this file alone tells that acknowledged events are
 * gone.
 *
 * It is written without a sync, which costs a commit two microseconds: the log was synced before, so whatever becomes
 * of the machine the log is never shorter than what stands here. Before anything that replaces the log it says that
 * nothing is known, and is synced.
 */
import { closeSync, constants, fsyncSync, openSync, readSync, statSync, writeSync } from "node:fs";
import type { LogLoss } from "../../../contract/event-store.ts";

/** How long a loss is reported, from the start that found it. */
const TOLD_FOR_MS = 7 * 24 * 3600 * 1000;
/** Always written at full length, so that no remainder of a longer text follows it. */
const LINE_BYTES = 256;

interface Known {
  /** Bytes of the log that hold acknowledged events; null while the log may be replaced. */
  readonly log_bytes: number | null;
  readonly loss?: { readonly found_at: string; readonly acknowledged_bytes: number; readonly found_bytes: number };
}

const NOTHING: Known = { log_bytes: null };

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Parses the text; empty for anything else, such as a line cut off by a power failure, or written by hand. */
function parse(text: string): Known {
  try {
    const { log_bytes, loss } = JSON.parse(text) as Partial<Known>;
    const isLoss = loss !== undefined && !Number.isNaN(Date.parse(loss.found_at));
    return { log_bytes: isSize(log_bytes) ? log_bytes : null, ...(isLoss ? { loss } : {}) };
  } catch {
    return NOTHING;
  }
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
    const found = this.#logBytes();
    if (acknowledged !== null && found < acknowledged) {
      const loss = { found_at: new Date(nowMs).toISOString(), acknowledged_bytes: acknowledged, found_bytes: found };
      // How far the rest of the log goes is not known before the next commit.
      this.#write({ log_bytes: null, loss });
      fsyncSync(this.#file);
    } else if (this.#known.loss !== undefined && nowMs - Date.parse(this.#known.loss.found_at) > TOLD_FOR_MS) {
      this.#write({ log_bytes: acknowledged });
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
    const logBytes = this.#logBytes();
    if (logBytes !== this.#known.log_bytes) this.#write({ ...this.#known, log_bytes: logBytes });
  }

  /** Notes, durably, that the log may be replaced from now on. */
  unsettle(): void {
    this.#write({ ...this.#known, log_bytes: null });
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }

  #logBytes(): number {
    return statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0;
  }

  #write(known: Known): void {
    this.#known = known;
    writeSync(this.#file, `${JSON.stringify(known)}\n`.padEnd(LINE_BYTES), 0, "utf8");
  }
}
