/**
 * Measures the cost of views by tenant, as the difference to the same store without tenants' shapes, in one run:
 * planning a warm call, and memory, with 10,000 tenants of 60 fields each in 500 shapes. `node --expose-gc bin/tool.mjs
 * bench/tenant-views.ts`
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConsumerQuery, Planner } from "../src/endpoints/call/plan/plan.ts";
import { createPlanner } from "../src/endpoints/call/plan/planner.ts";
import type { Endpoint } from "../src/endpoints/definition/definition.ts";
import { draftEndpoint } from "../src/endpoints/definition/draft-endpoint.ts";
import { parseEndpointFile } from "../src/endpoints/definition/parse-endpoint.ts";
import { compileQuery } from "../src/engines/duckdb/compile/compile.ts";
import type { EngineHost } from "../src/engines/duckdb/host/protocol.ts";
import { DuckDbStore } from "../src/engines/duckdb/store/store.ts";
import { formatEntries } from "../src/engines/schema/entry-set.ts";
import type { SchemaEntry } from "../src/engines/schema/schema-entry.ts";
import type { TenantEntries } from "../src/engines/schema/source/source-schema.ts";
import { loadSources } from "../src/sources/load-sources.ts";
import { openSources } from "../src/sources/source-registry.ts";
import { rootFolder } from "./root.ts";
import { quantileOf } from "./statistics.ts";

const [TENANTS, FIELDS, SHAPES] = [10_000, 60, 500];
/** Fields that one shape has and the one before it has not. */
const STEP = 4;
const CALLS = 20_000;

function heapMegabytes(): number {
  if (globalThis.gc === undefined) throw new Error("Run it with node --expose-gc");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1e6;
}

/** The edge source's entries: a record, and fields of which each shape has its own part. */
const entries: readonly SchemaEntry[] = [
  { role: "json", path: "metadata", column: "j1" },
  { role: "record", path: "metadata", column: "p2" },
  { role: "value", path: "project", type: "STRING", column: "c3" },
  ...Array.from({ length: SHAPES * STEP + FIELDS }, (_, field): SchemaEntry => {
    const column = field < 500 ? `c${field + 4}` : null;
    return { role: "value", path: `metadata.field_${field}`, type: "INT64", column };
  }),
];

function* shapesOfTenants(): Generator<TenantEntries> {
  for (let tenant = 0; tenant < TENANTS; tenant++) {
    const first = 3 + (tenant % SHAPES) * STEP;
    yield [`tenant-${tenant}`, formatEntries([1, 2, ...Array.from({ length: FIELDS }, (_, i) => first + i)])];
  }
}

/** A host that keeps nothing: what is measured is the service's side. */
const host: Pick<EngineHost, "createSources" | "addEntries" | "defineSource"> = {
  createSources: async (sources) =>
    sources.map((source) => ({ ...source, table: `events_${source.name}`, tenants: [] })),
  addEntries: async () => undefined,
  defineSource: async (name, rules) => ({ name, table: `events_${name}`, entries, tenants: held, rules }),
};
let held: readonly TenantEntries[] = [];

async function openPlanner(tenants: readonly TenantEntries[]): Promise<{ planner: Planner; store: DuckDbStore }> {
  held = tenants;
  const store = new DuckDbStore(() => host as EngineHost);
  store.load({ sources: [{ name: "edge", table: "events_edge", entries, tenants }] });
  const tables = await openSources(await loadSources([join(rootFolder, "sources")]), store);
  const engine = { compile: (...[query, options]: Parameters<typeof compile>) => compile(query, options) };
  const compile: Parameters<typeof createPlanner>[0]["engine"]["compile"] = (query, options) =>
    compileQuery(query, store.layoutOf, options);
  return { planner: createPlanner({ engine, tables, nowMs: Date.now }), store };
}

function readEndpoint(name: string): Endpoint {
  const path = join(rootFolder, "endpoints", `${name}.sql`);
  const parsed = parseEndpointFile(readFileSync(path, "utf8"), path);
  if ("problems" in parsed) throw new Error(parsed.problems[0]?.message);
  return draftEndpoint(parsed.definition);
}

const logsAll = readEndpoint("logs.all");
const consumer: ConsumerQuery = {
  language: "sql",
  text: "SELECT COUNT(*) AS n FROM edge_logs CROSS JOIN UNNEST(metadata) AS m WHERE m.field_7 > 5",
  redactsPii: false,
};

/** Milliseconds of each of many calls, by one tenant after the other. */
function planCalls(planner: Planner, query: ConsumerQuery | undefined, count: number): readonly number[] {
  const times: number[] = [];
  for (let call = 0; call < count; call++) {
    const tenant = `tenant-${call % TENANTS}`;
    const begunAt = performance.now();
    planner.plan(logsAll, query, undefined, undefined, { readValue: () => tenant });
    times.push(performance.now() - begunAt);
  }
  return times;
}

interface Measured {
  readonly heapMb: number;
  readonly warm: Readonly<Record<"own" | "consumer", readonly number[]>>;
}

/** Stores and planners, referenced until the end so that their memory counts. */
const opened: unknown[] = [];

async function measureStore(tenants: Iterable<TenantEntries>): Promise<Measured> {
  const before = heapMegabytes();
  const { planner, store } = await openPlanner([...tenants]);
  opened.push(planner, store);
  const views = new Set(Array.from({ length: TENANTS }, (_, tenant) => store.describe("edge", `tenant-${tenant}`)));
  if (views.size !== (held.length === 0 ? 1 : SHAPES)) throw new Error(`${views.size} views, not one for each shape`);
  held = [];
  // The first calls make the plans.
  for (const query of [undefined, consumer]) planCalls(planner, query, TENANTS);
  const warm = { own: planCalls(planner, undefined, CALLS), consumer: planCalls(planner, consumer, CALLS) };
  return { heapMb: heapMegabytes() - before, warm };
}

// Once for what the language's code itself takes.
await measureStore([]);
const without = await measureStore([]);
const shaped = await measureStore(shapesOfTenants());
const microseconds = (ms: number) => `${(ms * 1_000).toFixed(1)} µs`;
console.log(
  `${TENANTS} tenants with ${FIELDS} fields each in ${SHAPES} shapes, beside a store without tenants' shapes\n`,
);
console.log("| | without | with | difference |\n|---|---|---|---|");
for (const kind of ["own", "consumer"] as const) {
  for (const [name, quantile] of [
    ["median", 0.5],
    ["p99", 0.99],
  ] as const) {
    const [a, b] = [without, shaped].map(({ warm }) => quantileOf(warm[kind], quantile));
    const what = kind === "own" ? "logs.all" : "a caller's SQL over it";
    console.log(
      `| planning a warm call of ${what}, ${name} | ${microseconds(a ?? 0)} | ${microseconds(b ?? 0)} | ` +
        `${microseconds((b ?? 0) - (a ?? 0))} (target 300 µs) |`,
    );
  }
}
const mb = (value: number) => `${value.toFixed(1)} MB`;
console.log(
  `| memory, views and plans in use | ${mb(without.heapMb)} | ${mb(shaped.heapMb)} | ` +
    `${mb(shaped.heapMb - without.heapMb)} (target 60 MB) |`,
);
