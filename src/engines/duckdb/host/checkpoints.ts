/**
 * When to make a checkpoint. Commits wait while one is made, so it must be short: after so many bytes of log, and with
 * row groups that DuckDB leaves as they are. Every checkpoint ends the last row group of a table; DuckDB folds four
 * neighbours into three (and fewer into fewer) when they fit, which takes seconds. Groups over three quarters never fit.
 */
import { statfsSync } from "node:fs";

const ROW_GROUP_ROWS = 30_720;
const SETTLED_ROWS = (ROW_GROUP_ROWS * 3) / 4;
/** Fewer rows than these are folded quickly. */
const FEW_ROWS = 2000;
/** At so many times the wanted size of the log a checkpoint is made whatever the row groups are. */
const URGENT_FACTOR = 3;

/** Room for the metadata that a checkpoint writes anew. */
const SPARE_BYTES = 8 * 1024 * 1024;

export interface CheckpointPolicy {
  /** Notes rows that were committed to a table. */
  note(table: string, rowCount: number): void;
  isDue(logBytes: number): boolean;
  /** A checkpoint was made. */
  reset(): void;
}

/** Builds a policy for a log of about `logBytes`. */
export function createCheckpointPolicy(wantedLogBytes: number): CheckpointPolicy {
  const rowsByTable = new Map<string, number>();
  return {
    note(table, rowCount) {
      rowsByTable.set(table, (rowsByTable.get(table) ?? 0) + rowCount);
    },
    isDue(logBytes) {
      if (logBytes < wantedLogBytes) return false;
      if (logBytes >= wantedLogBytes * URGENT_FACTOR) return true;
      const mostRows = Math.max(0, ...rowsByTable.values());
      const lastGroupRows = mostRows % ROW_GROUP_ROWS;
      return mostRows < FEW_ROWS || lastGroupRows > SETTLED_ROWS;
    },
    reset() {
      rowsByTable.clear();
    },
  };
}

/**
 * True when the disk has room for what a checkpoint writes before the log is dropped. One that fails for want of space
 * leaves the database unusable until it is opened anew, and the rest of the disk taken; the log can grow on meanwhile.
 */
export function hasRoomForCheckpoint(directory: string, logBytes: number): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize > logBytes + SPARE_BYTES;
}
