/**
 * How a checkpoint is made. Commits wait while one is, so it must be short. It compresses what is in the log, 10 us
 * an event, and ends the last row group of each table. Left to itself DuckDB would also *fold* row groups: write up
 * to four neighbours anew as three or fewer where they fit, which takes seconds. Compaction does that beside the
 * commits.
 */
import { freeBytesOf } from "../../../../shared/system/free-bytes.ts";
import type { Connection } from "../../driver/connection.ts";
import { isCheckpointKept } from "../../driver/driver-error.ts";

/** Room for the metadata that a checkpoint rewrites. */
const SPARE_BYTES = 8 * 1024 * 1024;

/** Far longer than a checkpoint of a log of usual size. */
const PATIENCE_MS = 2000;

/**
 * Writes the log into the file, and folds row groups up to `maxFolds` times. Row groups without rows are always
 * freed. `isAlone`: no query has the database's threads, for which commits would wait. Answers false where a statement
 * keeps the log.
 */
export async function makeCheckpoint(connection: Connection, maxFolds: number, isAlone: boolean): Promise<boolean> {
  await connection.all(`SET GLOBAL max_vacuum_tasks = ${maxFolds}`);
  try {
    if (isAlone) await connection.runAside("CHECKPOINT store", PATIENCE_MS);
    else await connection.all("CHECKPOINT store");
    return true;
  } catch (error) {
    if (isCheckpointKept(error)) return false;
    throw error;
  }
}

/**
 * True when the disk has room for what a checkpoint writes before the log is dropped. One that fails for want of space
 * leaves the database unusable until it is opened anew, and the rest of the disk taken; the log can grow on meanwhile.
 */
export function hasRoomForCheckpoint(directory: string, logBytes: number): boolean {
  return freeBytesOf(directory) > logBytes + SPARE_BYTES;
}
