/** Reads sources' tables without the compiler: every row in its stored form. */
import { INT64, type SqlType, STRING } from "../../../googlesql/types.ts";
import type { Engine, OutputColumn } from "../../contract/query-engine.ts";
import type { TimeRange } from "../../contract/stored-events.ts";
import type { StoredTables } from "../../schema/decode/stored-events.ts";
import type { StoredCells } from "../../schema/decode/stored-rows.ts";
import { quoteIdentifier } from "../sql-text.ts";

/** Events of a slice are read; what stops it is its caller. */
const limits = {
  timeoutMs: 3_600_000,
  maxRows: Number.MAX_SAFE_INTEGER,
  maxResultBytes: Number.MAX_SAFE_INTEGER,
};

async function* readRows(
  run: Engine["run"],
  sql: string,
  types: readonly SqlType[],
  signal: AbortSignal,
): AsyncGenerator<readonly StoredCells[], void, void> {
  const columns = types.map((type, index): OutputColumn => ({ name: `c${index}`, type }));
  const query = { sql, parameters: [], columns, tables: [] };
  const { batches } = await run({ query, values: [], encoding: "cells", limits, signal });
  for await (const { json, rowCount } of batches) {
    if (rowCount > 0) yield JSON.parse(`[${json}]`) as readonly StoredCells[];
  }
}

const micros = "epoch_us(timestamp)";

function within({ fromUs, toUs }: TimeRange): string {
  return `timestamp >= ${timeOf(fromUs)} AND timestamp < ${timeOf(toUs)}`;
}

/** On the bare column, so that row groups are skipped by their times. */
function timeOf(us: bigint): string {
  return `make_timestamp(CAST(${us} AS BIGINT))`;
}

/** How the tables are read; the caller says which sources there are. */
export function createStoredTables(run: Engine["run"]): Pick<StoredTables, "slices" | "rows"> {
  return {
    async slices(table, range, widthUs, signal) {
      const start = `${micros} - ((${micros} % ${widthUs}) + ${widthUs}) % ${widthUs}`;
      const hash = `md5_number_lower(concat(CAST(${micros} AS VARCHAR), ' ', id))`;
      const sql =
        `SELECT ${start} AS c0, count(*) AS c1, CAST(sum(${hash}) AS VARCHAR) AS c2 ` +
        `FROM ${quoteIdentifier(table)} WHERE ${within(range)} GROUP BY 1 ORDER BY 1`;
      const all: StoredCells[] = [];
      for await (const rows of readRows(run, sql, [INT64, INT64, STRING], signal)) all.push(...rows);
      return all;
    },
    rows(table, columns, range, signal) {
      const names = columns.map(({ name }) => quoteIdentifier(name));
      const cells = ["id", micros, "event_message", ...names];
      const sql =
        `SELECT ${cells.map((cell, index) => `${cell} AS c${index}`).join(", ")} ` +
        `FROM ${quoteIdentifier(table)} WHERE ${within(range)}`;
      return readRows(run, sql, [STRING, INT64, STRING, ...columns.map(({ type }) => type)], signal);
    },
  };
}
