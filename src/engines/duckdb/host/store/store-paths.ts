/** The names of a store's files. */
import { statSync } from "node:fs";
import { join } from "node:path";

export const FILE_NAME = "events.duckdb";
export const NEW_FILE_NAME = "events.duckdb.new";
export const SPILL_NAME = "spill";
export const IDS_NAME = "ids";
export const POSITION_NAME = "log-position.json";

export interface StorePaths {
  readonly file: string;
  /** Where a new file is made. */
  readonly newFile: string;
  readonly writeAheadLog: string;
  readonly logPosition: string;
  readonly spill: string;
  /** The folder of ids in files. */
  readonly ids: string;
}

/** Bytes of a file; none where there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

export function storePaths(directory: string): StorePaths {
  const file = join(directory, FILE_NAME);
  return {
    file,
    newFile: join(directory, NEW_FILE_NAME),
    writeAheadLog: `${file}.wal`,
    logPosition: join(directory, POSITION_NAME),
    spill: join(directory, SPILL_NAME),
    ids: join(directory, IDS_NAME),
  };
}
