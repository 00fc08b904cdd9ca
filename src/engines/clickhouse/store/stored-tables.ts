/** Reads sources' tables without the compiler: every row in its stored form. */
import type { TimeRange } from "../../contract/stored-events.ts";
import type { RowSelection, StoredTables } from "../../schema/decode/stored-events.ts";
import type { StoredCells } from "../../schema/decode/stored-rows.ts";
import { readRow } from "../driver/answer-body.ts";
import { readLines } from "../driver/answer-lines.ts";
import type { ServerClient, ServerQuery, ServerSettings } from "../driver/client.ts";
import { quoteName } from "../driver/quote.ts";
import { type TablePlace, tableName } from "./statements.ts";

/** Texts of a batch, at most, before the rest waits: lines of the server's answer come in pieces of its own size. */
const FORMAT: ServerSettings = {
  output_format_json_quote_64bit_integers: "1",
  output_format_json_escape_forward_slashes: "0",
  session_timezone: "UTC",
  // Days of events are read; what stops it is its caller.
  max_execution_time: "0",
  max_result_rows: "0",
  max_result_bytes: "0",
};

const RANGE = "timestamp >= {from:Int64} AND timestamp < {to:Int64}";

/** The condition of a selection, with its values. */
function select({ range, ids, tenants, tenantColumn }: RowSelection) {
  const conditions = range === undefined ? [] : [RANGE];
  if (ids !== undefined) conditions.push("id IN {ids:Array(String)}");
  const named = tenantColumn === undefined ? undefined : tenants?.filter((tenant) => tenant !== null);
  if (tenants !== undefined && tenantColumn !== undefined) {
    const column = quoteName(tenantColumn);
    const isNamed = `${column} IN {tenants:Array(String)}`;
    conditions.push(tenants.includes(null) ? `(${column} IS NULL OR ${isNamed})` : isNamed);
  }
  return {
    condition: conditions.length === 0 ? "1" : conditions.join(" AND "),
    params: {
      ...(range === undefined ? {} : timesOf(range)),
      ...(ids === undefined ? {} : { ids }),
      ...(named === undefined ? {} : { tenants: named }),
    },
  };
}

type Reader = Pick<ServerClient, "stream" | "kill">;

async function* readRows(
  client: Reader,
  sql: string,
  params: ServerQuery["params"],
  signal: AbortSignal,
  maxBytes?: number,
): AsyncGenerator<readonly StoredCells[], void, void> {
  for await (const lines of readLines(client, { sql, params, settings: FORMAT, signal }, maxBytes)) {
    yield lines.map((line) => readRow(line) as StoredCells);
  }
}

function timesOf({ fromUs, toUs }: TimeRange) {
  return { from: fromUs, to: toUs };
}

/** How the tables are read; the caller says which sources there are. */
export function createStoredTables(client: Reader, place: TablePlace): Pick<StoredTables, "slices" | "rows"> {
  return {
    async slices(table, selection, widthUs, signal) {
      const { condition, params } = select(selection);
      const sql =
        `SELECT timestamp - toInt64(positiveModulo(timestamp, toInt64(${widthUs}))) AS start, count(), ` +
        `toString(sum(cityHash64(id, timestamp))) FROM ${tableName(place, table)} WHERE ${condition} ` +
        "GROUP BY start ORDER BY start";
      const all: StoredCells[] = [];
      for await (const rows of readRows(client, sql, params, signal)) all.push(...rows);
      return all;
    },
    rows(table, columns, selection, signal) {
      const { condition, params } = select(selection);
      const names = ["id", "timestamp", "event_message", ...columns.map(({ name }) => name)].map(quoteName);
      const sql = `SELECT ${names.join(", ")} FROM ${tableName(place, table)} WHERE ${condition}`;
      return readRows(client, sql, params, signal, selection.maxBytes);
    },
  };
}
