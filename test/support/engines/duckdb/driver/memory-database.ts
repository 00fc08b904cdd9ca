/** A database in memory and in this process, for tests of what is compiled to SQL. */

import type { OutputColumn, ParameterValue, RowEncoding } from "../../../../../src/engines/contract/query-engine.ts";
import { type BoundValue, type Connection, openDatabase } from "../../../../../src/engines/duckdb/driver/connection.ts";
import type { DuckDBValue } from "../../../../../src/engines/duckdb/driver/driver.ts";
import { physicalType, toDriverValue } from "../../../../../src/engines/duckdb/driver/parameters.ts";
import { createRowEncoder } from "../../../../../src/engines/duckdb/driver/rows.ts";
import type { SqlType } from "../../../../../src/googlesql/types.ts";
import { formatType } from "../../../../../src/googlesql/types.ts";
import { guardText } from "../sql/printed-sql.ts";

interface TypedParameter {
  readonly type: SqlType;
  readonly value: ParameterValue;
}

export interface MemoryDatabase extends Pick<Connection, "all"> {
  /**
   * Runs one statement, guarded as what the compiler prints is; parameters stand as `$1`, `$2`, ... Rows as the
   * driver's values; errors as DuckDB words them.
   */
  query(sql: string, parameters?: readonly TypedParameter[]): Promise<{ readonly rows: DuckDBValue[][] }>;
  /** Runs one statement and answers its rows as the engine would: the parsed JSON of the encoded rows. */
  encode(
    sql: string,
    columns: readonly OutputColumn[],
    encoding: RowEncoding,
    parameters?: readonly TypedParameter[],
  ): Promise<readonly unknown[]>;
  close(): void;
}

function bind(parameter: TypedParameter): BoundValue {
  return { value: toDriverValue(parameter.type, parameter.value), type: physicalType(parameter.type) };
}

/**
 * Opens a database that is empty but for the registered functions. Close it at the end of the test. It has one thread,
 * so that rows that no ORDER BY orders always come in one order.
 */
export async function openMemoryDatabase(): Promise<MemoryDatabase> {
  const database = await openDatabase({ threads: 1, memoryLimitBytes: 1024 ** 3 });
  const connection = await database.connect();
  return {
    all: (sql, values) => connection.all(sql, values),
    async query(sql, parameters = []) {
      return { rows: await connection.all(guardText(sql), parameters.map(bind)) };
    },
    async encode(sql, columns, encoding, parameters = []) {
      const reader = await connection.stream(sql, parameters.map(bind));
      if (reader.columnCount !== columns.length) {
        const types = columns.map((column) => formatType(column.type)).join(", ");
        throw new Error(`The statement answers ${reader.columnCount} columns, not ${types}`);
      }
      const encode = createRowEncoder(columns, encoding);
      const batches: string[] = [];
      for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
        batches.push(encode(chunk, 0, chunk.rowCount));
      }
      return JSON.parse(`[${batches.join(",")}]`) as unknown[];
    },
    close() {
      connection.close();
      database.close();
    },
  };
}
