import type { Connection } from "../../../../../src/engines/duckdb/driver/connection.ts";

/** The connection, which reports each statement before it runs. */
export function observeStatements(connection: Connection, before: (statement: string) => void): Connection {
  const runAll = connection.all.bind(connection);
  const append = connection.append.bind(connection);
  const observed: Pick<Connection, "all" | "append" | "transaction"> = {
    all(sql, values) {
      before(sql);
      return runAll(sql, values);
    },
    async append(table, chunks) {
      before("append");
      await append(table, chunks);
      before("appended");
    },
    async transaction(work) {
      await observed.all("BEGIN");
      const result = await work();
      await observed.all("COMMIT");
      return result;
    },
  };
  return Object.assign(connection, observed);
}
