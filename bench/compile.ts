/**
 * How long a query takes from its text to DuckDB SQL, warm, beside a bare parse: `npx esbuild bench/compile.ts
 * --bundle --platform=node --format=esm --packages=external | node --input-type=module`.
 */
import { compileQuery } from "../src/engines/duckdb/compile/compile.ts";
import type { LeafLayout, TableLayout } from "../src/engines/schema/layout.ts";
import { parseQuery } from "../src/googlesql/parse.ts";
import { resolveQuery } from "../src/googlesql/resolver/resolve.ts";
import { arrayOf, FLOAT64, INT64, type RecordField, type SqlType, STRING, TIMESTAMP } from "../src/googlesql/types.ts";
import { THREE_CTES } from "./three-ctes.ts";

// V8 goes on compiling for some thousand runs.
const WARM_UP_RUNS = 6_000;
const RUNS = 2_000;

function record(fields: readonly RecordField[]): SqlType {
  return arrayOf({ kind: "RECORD", fields, isRepeated: false, isOpen: false });
}

function leaf(column: string, type: SqlType): LeafLayout {
  return { type, variants: [{ column, type }] };
}

const text = (name: string): RecordField => ({ name, type: STRING });
const metadata = record([
  {
    name: "request",
    type: record([
      text("method"),
      text("path"),
      text("host"),
      { name: "headers", type: record([text("user_agent")]) },
      { name: "cf", type: record([text("country")]) },
    ]),
  },
  {
    name: "response",
    type: record([
      { name: "status_code", type: INT64 },
      { name: "origin_time", type: FLOAT64 },
    ]),
  },
]);

const layout: TableLayout = {
  definition: {
    name: "edge_logs",
    isLenient: true,
    columns: [
      { name: "id", type: STRING },
      { name: "timestamp", type: TIMESTAMP },
      { name: "event_message", type: STRING },
      { name: "project", type: STRING },
      { name: "metadata", type: metadata },
    ],
  },
  table: "events_1",
  recordColumns: new Map([["metadata", "metadata"]]),
  leaves: new Map([
    ["id", leaf("id", STRING)],
    ["timestamp", leaf("timestamp", TIMESTAMP)],
    ["event_message", leaf("event_message", STRING)],
    ["project", leaf("project", STRING)],
    ["metadata.request.method", leaf("c1", STRING)],
    ["metadata.request.path", leaf("c2", STRING)],
    ["metadata.request.host", leaf("c3", STRING)],
    ["metadata.request.headers.user_agent", leaf("c4", STRING)],
    ["metadata.request.cf.country", leaf("c5", STRING)],
    ["metadata.response.status_code", leaf("c6", INT64)],
    ["metadata.response.origin_time", leaf("c7", FLOAT64)],
  ]),
  presence: new Map([
    ["metadata", "p1"],
    ["metadata.request", "p2"],
    ["metadata.request.headers", "p3"],
    ["metadata.request.cf", "p4"],
    ["metadata.response", "p5"],
  ]),
};

const layouts = () => layout;
const tables = {
  findTable: (name: string) => (name === "edge_logs" ? layout.definition : undefined),
  tableNames: () => ["edge_logs"],
};
const parameters = new Map<string, SqlType>([
  ["project", STRING],
  ["iso_timestamp_start", STRING],
  ["iso_timestamp_end", STRING],
]);

/** The median of many runs, in microseconds of processor time. */
function measure(run: () => unknown): number {
  for (let i = 0; i < WARM_UP_RUNS; i++) run();
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    times.push(user + system);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(RUNS / 2)] ?? Number.NaN;
}

const parse = () => parseQuery(THREE_CTES);
const resolve = () => resolveQuery(parse(), THREE_CTES, { tables, parameters });
const compile = () => compileQuery(resolve(), layouts, { text: THREE_CTES });
const resolved = resolve();
const ONE_LINE =
  "SELECT id, timestamp, event_message FROM edge_logs WHERE project = @project ORDER BY timestamp DESC LIMIT 100";
const compileLine = () =>
  compileQuery(resolveQuery(parseQuery(ONE_LINE), ONE_LINE, { tables, parameters }), layouts, { text: ONE_LINE });
const rows: readonly (readonly [string, number])[] = [
  ["parse", measure(parse)],
  ["parse, resolve", measure(resolve)],
  ["parse, resolve, compile", measure(compile)],
  ["compile alone", measure(() => compileQuery(resolved, layouts))],
  ["one line, all of it", measure(compileLine)],
];
if (process.env.SHOW !== undefined) console.log(compile().sql);
console.log(
  `query of ${THREE_CTES.split("\n").length} lines to ${compile().sql.length} characters of SQL; median of ${RUNS}`,
);
for (const [name, median] of rows) console.log(`${name.padEnd(24)} ${median.toFixed(1).padStart(8)} us`);
