/**
 * A commit that a power failure left unfinished at the end of the log. DuckDB passes over an entry that was cut short,
 * but refuses the whole log where the file had grown and blocks of its last commit were not written. Each commit is
 * synced before the next begins: only the last one can be unfinished, and nobody was answered that it is stored.
 */
import { closeSync, openSync, readSync, statSync, truncateSync, writeSync } from "node:fs";

/** The entry that ends each commit: its length, its checksum, and what it says. */
const COMMIT_END = Buffer.from("0500000000000000e7fe7d722fed3d5e640064ffff", "hex");
/** Far more than one commit. */
const LONGEST_BYTES = 256 * 1024 ** 2;

/** A commit that was cut off a log. */
export interface CutCommit {
  readonly byteCount: number;
  /** Makes the log what it was. */
  putBack(): void;
}

/**
 * Cuts the last commit off a log that the database refuses, if it may be unfinished: nothing before `acknowledged` is.
 * Where that is not known, what follows the last commit but one. Undefined where there is none.
 */
export function cutUnfinishedCommit(log: string, acknowledged: number | null): CutCommit | undefined {
  const { size } = statSync(log);
  const from = Math.max(acknowledged ?? 0, size - LONGEST_BYTES);
  const rest = readFrom(log, from, size - from);
  // One that is whole may be the end of the unfinished commit, whose blocks are written in any order.
  const before = rest.lastIndexOf(COMMIT_END, rest.length - COMMIT_END.length - 1);
  if (before === -1 && from !== acknowledged) return undefined;
  const cut = rest.subarray(before === -1 ? 0 : before + COMMIT_END.length);
  if (cut.length === 0) return undefined;
  truncateSync(log, size - cut.length);
  return { byteCount: cut.length, putBack: () => writeAt(log, size - cut.length, cut) };
}

function readFrom(path: string, from: number, byteCount: number): Buffer {
  const bytes = Buffer.alloc(byteCount);
  const file = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, byteCount, from));
  } finally {
    closeSync(file);
  }
}

function writeAt(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, "r+");
  try {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(file, bytes, done, bytes.length - done, at + done);
    }
  } finally {
    closeSync(file);
  }
}
