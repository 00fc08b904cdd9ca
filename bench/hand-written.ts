/** The eight queries in DuckDB's SQL as a person would write them, run on the service's own file in this process. */

import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { QueryContext } from "./queries.ts";
import { defaultEffort, type Effort, measure, type Timing } from "./statistics.ts";

/** Columns by the path of their field, and the table's name. */
interface Columns {
  readonly table: string;
  of(path: string): string;
}

const hourMs = 3_600_000;
const time = (ms: number) => `TIMESTAMP '${new Date(ms).toISOString().slice(0, -1)}'`;

function statements({ table, of }: Columns, { project, endMs, id }: QueryContext): Readonly<Record<string, string>> {
  const own = `${of("project")} = '${project}'`;
  const newest = (condition: string) =>
    `SELECT id, timestamp, event_message, ${of("metadata")} FROM ${table} WHERE ${own} ${condition} ` +
    "ORDER BY timestamp DESC LIMIT 100";
  const [path, status] = [of("metadata.request.path"), of("metadata.response.status_code")];
  const origin = of("metadata.response.origin_time");
  const counts = (unit: string, spanMs: number) =>
    `SELECT date_trunc('${unit}', timestamp) AS t, ${["rest", "storage", "auth", "realtime"].map((area) => `count(*) FILTER (contains(${path}, '/${area}'))`).join(", ")}
     FROM ${table} WHERE timestamp >= ${time(endMs - spanMs)}
     AND regexp_matches(coalesce(${of("metadata.request.url")}, ${of("project")}), '${project}') GROUP BY 1 ORDER BY 1`;
  return {
    "newest-1h": newest(`AND timestamp > ${time(endMs - hourMs)} AND timestamp <= ${time(endMs)}`),
    "newest-all": newest(""),
    "counts-daily": counts("day", 7 * 24 * hourMs),
    "counts-minutely": counts("minute", hourMs),
    "errors-24h": newest(
      `AND timestamp > ${time(endMs - 24 * hourMs)} AND ${status} >= 500 ` +
        `AND regexp_matches(${path}, '^/rest/v1/[a-z_]+')`,
    ),
    "hourly-7d": `SELECT date_trunc('hour', timestamp) AS t, count(*), count(*) FILTER (${status} >= 500), avg(${origin}),
      quantile_disc(${origin}, 0.95) FROM ${table} WHERE ${own} AND timestamp > ${time(endMs - 7 * 24 * hourMs)} GROUP BY 1 ORDER BY 1`,
    "rare-word": newest("AND contains(event_message, 'kestrelfall')"),
    "by-id": newest(`AND id = '${id}'`),
  };
}

/** Times the queries to their last row, by key. The service must not run. */
export async function measureHandWritten(
  storeFolder: string,
  context: QueryContext,
  effort: Effort = defaultEffort,
): Promise<ReadonlyMap<string, Timing>> {
  const instance = await DuckDBInstance.create(join(storeFolder, "events.duckdb"), { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  const [source] = await read("SELECT table_name FROM lw_sources WHERE name = 'edge'");
  const fields = await read(
    "SELECT path, column_name FROM lw_fields WHERE source = 'edge' AND role IN ('value', 'json')",
  );
  const names = new Map(fields.map(([path, column]) => [String(path), String(column)]));
  const columns: Columns = {
    table: String(source?.[0]),
    of(path) {
      const column = names.get(path);
      if (column === undefined) throw new Error(`The store has no column for ${path}`);
      return `"${column}"`;
    },
  };
  const timings = new Map<string, Timing>();
  for (const [key, sql] of Object.entries(statements(columns, context))) {
    const run = async () => {
      const startedAt = performance.now();
      const result = await connection.stream(sql);
      for await (const _chunk of result) {
        // Reading to the end is all that is wanted.
      }
      return performance.now() - startedAt;
    };
    timings.set(key, await measure(run, effort));
  }
  connection.closeSync();
  instance.closeSync();
  return timings;
}
