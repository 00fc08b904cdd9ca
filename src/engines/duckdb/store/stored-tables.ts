/** Reads sources' tables without the compiler: every row in its stored form. */
import { arrayOf, INT64, type SqlType, STRING } from "../../../googlesql/types.ts";
import type { CompiledParameter, Engine, OutputColumn, RunRequest } from "../../contract/query-engine.ts";
import type { TimeRange } from "../../contract/stored-events.ts";
import type { RowSelection, StoredTables } from "../../schema/decode/stored-events.ts";
import type { StoredCells } from "../../schema/decode/stored-rows.ts";
import { quoteIdentifier } from "../sql-text.ts";

/** Events of a slice are read; what stops it is its caller. */
const limits = {
  timeoutMs: 3_600_000,
  maxRows: Number.MAX_SAFE_INTEGER,
  maxResultBytes: Number.MAX_SAFE_INTEGER,
};

type Bound = Pick<RunRequest, "values"> & { readonly parameters: readonly CompiledParameter[] };

async function* readRows(
  run: Engine["run"],
  sql: string,
  types: readonly SqlType[],
  signal: AbortSignal,
  { values, parameters }: Bound = { values: [], parameters: [] },
  maxBytes = limits.maxResultBytes,
): AsyncGenerator<readonly StoredCells[], void, void> {
  const columns = types.map((type, index): OutputColumn => ({ name: `c${index}`, type }));
  const query = { sql, parameters, columns, tables: [] };
  const ofRun = { ...limits, maxResultBytes: maxBytes };
  const { batches } = await run({ query, values, encoding: "cells", limits: ofRun, signal });
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

/** The condition of a selection, with the values of its placeholders. */
function select({ range, ids, tenants, tenantColumn }: RowSelection): Bound & { readonly condition: string } {
  const conditions = range === undefined ? [] : [within(range)];
  const values: (readonly string[])[] = [];
  const isIn = (column: string, texts: readonly string[]) => {
    values.push(texts);
    return `${column} IN (SELECT unnest($${values.length}))`;
  };
  if (ids !== undefined) conditions.push(isIn("id", ids));
  if (tenants !== undefined && tenantColumn !== undefined) {
    const column = quoteIdentifier(tenantColumn);
    const isNamed = isIn(
      column,
      tenants.filter((tenant) => tenant !== null),
    );
    conditions.push(tenants.includes(null) ? `(${column} IS NULL OR ${isNamed})` : isNamed);
  }
  return {
    condition: conditions.length === 0 ? "true" : conditions.join(" AND "),
    values,
    parameters: values.map((_, index) => ({ key: index + 1, type: arrayOf(STRING) })),
  };
}

/** How the tables are read; the caller says which sources there are. */
export function createStoredTables(run: Engine["run"]): Pick<StoredTables, "slices" | "rows"> {
  return {
    async slices(table, selection, widthUs, signal) {
      const start = `${micros} - ((${micros} % ${widthUs}) + ${widthUs}) % ${widthUs}`;
      const hash = `md5_number_lower(concat(CAST(${micros} AS VARCHAR), ' ', id))`;
      const { condition, ...bound } = select(selection);
      const sql =
        `SELECT ${start} AS c0, count(*) AS c1, CAST(sum(${hash}) AS VARCHAR) AS c2 ` +
        `FROM ${quoteIdentifier(table)} WHERE ${condition} GROUP BY 1 ORDER BY 1`;
      const all: StoredCells[] = [];
      for await (const rows of readRows(run, sql, [INT64, INT64, STRING], signal, bound)) all.push(...rows);
      return all;
    },
    rows(table, columns, selection, signal) {
      const names = columns.map(({ name }) => quoteIdentifier(name));
      const cells = ["id", micros, "event_message", ...names];
      const { condition, ...bound } = select(selection);
      const sql =
        `SELECT ${cells.map((cell, index) => `${cell} AS c${index}`).join(", ")} ` +
        `FROM ${quoteIdentifier(table)} WHERE ${condition}`;
      const types = [STRING, INT64, STRING, ...columns.map(({ type }) => type)];
      return readRows(run, sql, types, signal, bound, selection.maxBytes);
    },
  };
}
