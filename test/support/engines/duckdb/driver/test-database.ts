import { afterAll, beforeAll } from "vitest";
import { type Connection, openDatabase } from "../../../../../src/engines/duckdb/driver/connection.ts";

/** DuckDB as the tests of a group have it. */
interface TestDatabase {
  /** There from the first `beforeAll` after this one on. */
  readonly connection: Connection;
}

/** A database in memory for the tests of a group, with one connection. */
export function useDatabase(): TestDatabase {
  let opened: { readonly connection: Connection; close(): void } | undefined;
  beforeAll(async () => {
    const database = await openDatabase({ threads: 1, memoryLimitBytes: 512 * 1024 ** 2 });
    const connection = await database.connect();
    const close = () => {
      connection.close();
      database.close();
    };
    opened = { connection, close };
  });
  afterAll(() => opened?.close());
  return {
    get connection() {
      if (opened === undefined) throw new Error("The database is opened before the group's first test");
      return opened.connection;
    },
  };
}
