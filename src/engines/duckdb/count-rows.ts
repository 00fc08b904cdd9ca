/** Looks into a copy of a store's file, to see that it is whole. */
import { openDatabase } from "./driver/connection.ts";
import { toEngineError } from "./driver/driver-error.ts";
import { readSources } from "./host/store/store-file.ts";

/**
 * Rows by source of a store's file that nobody has open; reads every row's timestamp and id, and changes nothing. Runs
 * in this process, so it is for commands only. Throws `EngineError` where the file is damaged.
 */
export async function countStoredRows(path: string): Promise<ReadonlyMap<string, number>> {
  try {
    const database = await openDatabase({ path, isReadOnly: true, threads: 2, memoryLimitBytes: 512 * 1024 ** 2 });
    try {
      const connection = await database.connect();
      const counts = new Map<string, number>();
      for (const { name, table } of await readSources(connection)) {
        const [row] = await connection.all(
          `SELECT count(*) FILTER (timestamp IS NOT NULL AND length(id) > 0)::DOUBLE FROM "${table}"`,
        );
        counts.set(name, Number(row?.[0]));
      }
      connection.close();
      return counts;
    } finally {
      database.close();
    }
  } catch (error) {
    throw toEngineError(error);
  }
}
