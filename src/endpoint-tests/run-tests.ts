import { createPlanner } from "../endpoints/call/plan/planner.ts";
import { prepareCall } from "../endpoints/call/prepare/prepare-call.ts";
import { noPins } from "../endpoints/call/prepare/query-call.ts";
import { runPrepared } from "../endpoints/call/run/run-prepared.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import { createCursorSealer } from "../endpoints/paging/cursor.ts";
import type { Engine, LogEvent, OutputColumn } from "../engines/contract/query-engine.ts";
import { Admission } from "../shared/concurrency/admission.ts";
import { ServiceError } from "../shared/errors.ts";
import type { SourceTables } from "../sources/source-tables.ts";
import { compareRows, type Row } from "./compare-rows.ts";
import type { EndpointTest } from "./load-tests.ts";
import type { TestBench } from "./test-bench.ts";
import type { Expectation } from "./test-file.ts";

/** The result of a case. */
export interface TestOutcome {
  readonly path: string;
  readonly endpoint: string;
  readonly name: string;
  readonly isPassed: boolean;
  readonly ms: number;
  /** The difference from the expected result, in readable lines. */
  readonly difference: string | undefined;
}

const timeoutMs = 30_000;
const maxResultBytes = 64_000_000;

/**
 * Runs the cases one after another and yields each result as soon as it is known. `now` is a monotonic clock in
 * milliseconds.
 */
export async function* runTests(
  bench: TestBench,
  tests: readonly EndpointTest[],
  now: () => number,
): AsyncGenerator<TestOutcome> {
  const filled: FilledTables = new Map();
  for (const test of tests) {
    const started = now();
    const difference = judge(test.test.expect, await answer(bench, test, await fillTables(bench, test, filled)));
    yield {
      path: test.path,
      endpoint: test.endpoint.definition.name,
      name: test.test.name,
      isPassed: difference === undefined,
      ms: Math.round((now() - started) * 10) / 10,
      difference,
    };
  }
}

/** The outcome of a call: its rows, or its error. */
type Answer =
  | { readonly rows: readonly Row[]; readonly columns: readonly OutputColumn[] }
  | { readonly error: ServiceError };

/** Names of the tables that hold lists of events. Cases that give the very same list share its table. */
type FilledTables = Map<readonly LogEvent[], string>;

/** The tables of a case: its own for the sources that it gives events to. */
async function fillTables(
  { engine, sources }: TestBench,
  { events }: EndpointTest,
  filled: FilledTables,
): Promise<SourceTables> {
  const { signal } = new AbortController();
  const own = new Map<string, string>();
  for (const [source, given] of events) {
    const name = filled.get(given) ?? `${filled.size + 1}/${source}`;
    own.set(source, name);
    if (filled.has(given)) continue;
    const { knownFields = [], tenantField } = sources.findSource(source) ?? {};
    const tenant = tenantField === undefined ? {} : { tenantField };
    await engine.store.ensureSource({ name, knownFields, ...tenant });
    await engine.store.append(name, given, signal);
    filled.set(given, name);
  }
  return {
    findTable(name, tenant) {
      const shared = sources.findTable(name, tenant);
      const table = shared === undefined ? undefined : own.get(shared.name);
      return table === undefined ? shared : engine.store.describe(table, tenant);
    },
    tableNames: () => sources.tableNames(),
  };
}

async function answer(
  bench: TestBench,
  { endpoint, test, nowUs }: EndpointTest,
  tables: SourceTables,
): Promise<Answer> {
  const { engine, endpoints } = bench;
  const compile: Engine["compile"] = (query, options) => engine.compile(query, { ...options, nowUs });
  const runner: EndpointRunner = {
    engine,
    planner: createPlanner({ engine: { compile }, tables, endpoints, nowMs: () => Number(nowUs / 1000n) }),
    admission: new Admission({ maxRunning: 1, maxWaiting: 0 }),
    cursors: createCursorSealer(new Uint8Array(32)),
    timeoutMs,
    maxResultBytes,
    now: () => 0,
  };
  const parameters = new Map<string, unknown>(Object.entries(test.parameters ?? {}));
  if (test.sql !== undefined) parameters.set("sql", test.sql);
  if (test.lql !== undefined) parameters.set("lql", test.lql);
  try {
    const redactsPii = test.redact ?? endpoint.definition.redactsPii;
    const prepared = prepareCall(runner, { target: endpoint, parameters, pinned: noPins, redactsPii });
    const { columns, paging } = prepared.query;
    let json = "";
    for await (const batch of runPrepared(runner, prepared, new AbortController().signal)) {
      if (batch.rowCount > 0) json += `${json === "" ? "" : ","}${batch.json}`;
    }
    const rows = JSON.parse(`[${json}]`) as readonly Row[];
    return { rows, columns: columns.slice(0, columns.length - (paging?.hiddenCount ?? 0)) };
  } catch (error) {
    if (error instanceof ServiceError) return { error };
    throw error;
  }
}

function judge(expect: Expectation, answer: Answer): string | undefined {
  const wanted =
    expect.error !== undefined ? `the error ${expect.error}` : `${expect.count ?? expect.rows?.length ?? 0} rows`;
  if ("error" in answer) {
    const { code, message, details } = answer.error;
    if (expect.error !== code) return `expected ${wanted}, got the error ${code}: ${message}`;
    if (expect.parameter === undefined || expect.parameter === details.parameter) return undefined;
    return `expected the error to name the parameter ${expect.parameter}, it names ${details.parameter ?? "none"}`;
  }
  const { rows, columns } = answer;
  if (expect.rows !== undefined) return compareRows({ ...expect, rows: expect.rows }, rows, columns);
  if (expect.count === rows.length) return undefined;
  const shown = rows.slice(0, 10).map((row) => `+ ${JSON.stringify(row)}`);
  return [`expected ${wanted}, got ${rows.length} rows`, ...shown].join("\n");
}
