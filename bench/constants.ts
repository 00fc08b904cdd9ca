/**
 * Measures what the constants of a run cost, in processor time a call: computed by `src/engines/constants/`, and asked of the
 * embedded engine in one SELECT, in this process and in the engine's own. `node bin/tool.mjs bench/constants.ts`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { computeConstant } from "../src/engines/constants/evaluate.ts";
import { factsOf } from "../src/engines/constants/run-facts.ts";
import type { Engine } from "../src/engines/contract/query-engine.ts";
import { openEngine, openMemoryEngine } from "../src/engines/index.ts";
import { parseQuery } from "../src/googlesql/parse.ts";
import { resolveQuery } from "../src/googlesql/resolve.ts";
import { INT64, STRING } from "../src/googlesql/types.ts";
import { treeCpuSeconds } from "./processes.ts";

const rounds = 7;
const calls = 300;
/** The bounds of `usage.api-counts`, of an endpoint's usual period, and of a page. */
const constants = [
  `TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CASE @interval
    WHEN '15min' THEN 15 WHEN '30min' THEN 30 WHEN 'hourly' THEN 60 WHEN '1day' THEN 24 * 60 ELSE 7 * 24 * 60 END MINUTE)`,
  "TIMESTAMP_TRUNC(COALESCE(CAST(@since AS TIMESTAMP), CURRENT_TIMESTAMP()), HOUR)",
  "DATE_SUB(DATE(CURRENT_TIMESTAMP()), INTERVAL @days DAY)",
];
const parameters = new Map([
  ["interval", STRING],
  ["since", STRING],
  ["days", INT64],
]);
const values = { interval: "1day", since: "2026-08-20 09:00:00", days: "7" };
const limits = { timeoutMs: 60_000, maxRows: 10, maxResultBytes: 1_000_000 };

function compileOn(engine: Engine, text: string) {
  const tables = { findTable: () => undefined, tableNames: () => [] };
  const resolved = resolveQuery(parseQuery(text), text, { tables, parameters });
  return { resolved, compiled: engine.compile(resolved, { text }) };
}

/** A call that asks the engine for the text's row. */
function asking(engine: Engine, text: string): () => Promise<void> {
  const { compiled: query } = compileOn(engine, text);
  const given = query.parameters.map(({ key }) => values[key as keyof typeof values]);
  return async () => {
    const { signal } = new AbortController();
    const { batches } = await engine.run({ query, values: given, encoding: "cells", limits, signal });
    let rowCount = 0;
    for await (const batch of batches) rowCount += batch.rowCount;
    if (rowCount !== 1) throw new Error(`The constants came in ${rowCount} rows`);
  };
}

function computing(engine: Engine, text: string): () => Promise<void> {
  const { resolved, compiled: query } = compileOn(engine, text);
  if (resolved.scan.kind !== "Project") throw new Error(`The constants are in a ${resolved.scan.kind}`);
  const expressions = resolved.scan.computed.map(({ expression }) => expression);
  const given = query.parameters.map(({ key }) => values[key as keyof typeof values]);
  return async () => {
    const facts = factsOf({ query, values: given }, 1_790_000_000_000_000n);
    for (const expression of expressions) computeConstant(expression, facts);
  };
}

/** Microseconds of processor time a call, of this process and those below it. */
async function measure(call: () => Promise<void>): Promise<number> {
  const before = treeCpuSeconds(process.pid);
  for (let count = 0; count < calls; count++) await call();
  return ((treeCpuSeconds(process.pid) - before) / calls) * 1e6;
}

const directory = mkdtempSync(join(tmpdir(), "constants-"));
const memory = await openMemoryEngine({ threads: 1 });
const hosted = await openEngine({ directory, threads: 1 });
const all = `SELECT ${constants.map((constant, index) => `${constant} AS c${index}`).join(", ")}`;
const compute = computing(memory, all);
const arms: readonly (readonly [name: string, call: () => Promise<void>, weight: number])[] = [
  ["computed in TypeScript", async () => void (await Promise.all(Array.from({ length: 100 }, compute))), 100],
  ["one SELECT, engine in this process", asking(memory, all), 1],
  ["one SELECT, engine in its own process", asking(hosted, all), 1],
  ["SELECT 1, engine in its own process", asking(hosted, "SELECT 1 AS c0"), 1],
];
const costs = arms.map((): number[] => []);
for (let round = 0; round <= rounds; round++) {
  for (const [index, [, call, weight]] of arms.entries()) {
    const cost = (await measure(call)) / weight;
    // The first round warms up.
    if (round > 0) costs[index]?.push(cost);
  }
}
console.log(`${constants.length} constants, three parameters; median processor time a call of ${rounds} x ${calls}`);
for (const [index, [name]] of arms.entries()) {
  const median = costs[index]?.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  console.log(`${name.padEnd(40)} ${median.toFixed(1).padStart(8)} us`);
}
await hosted.close();
await memory.close();
rmSync(directory, { recursive: true });
