/** Every pushed function over special and random values, compared with the embedded engine. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSharedServer, type SharedServer } from "../../../../test/clickhouse/shared-server.ts";
import { calls } from "../../../../test/support/engines/clickhouse/functions/calls.ts";
import { valuesQuery } from "../../../../test/support/engines/clickhouse/functions/values.ts";
import { sampleOf } from "../../../../test/support/sample-size.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import { resolveQuery } from "../../../googlesql/resolver/resolve.ts";
import type { CompiledQuery } from "../../contract/query-engine.ts";
import type { ScratchEngine } from "../../contract/scratch-engine.ts";
import { openScratchEngine } from "../../index.ts";
import { planOf } from "../compile-query.ts";

const ROWS = 20;
const TIMEOUT_MS = 60_000;

let shared: SharedServer;
let judge: ScratchEngine;
let engine: ScratchEngine;

beforeAll(async () => {
  shared = await openSharedServer();
  judge = await openScratchEngine();
  engine = await openScratchEngine(shared.server);
  for (const each of [judge, engine]) await each.createTable("v", compile(each, valuesQuery(ROWS, 20_260_101)));
}, 300_000);
afterAll(async () => {
  await judge.close();
  await engine.close();
  await shared.release();
});

function compile(on: ScratchEngine, text: string): CompiledQuery {
  const query = resolveQuery(parseQuery(text), text, { tables: on.tables });
  return on.compile(query, { text });
}

async function ask(on: ScratchEngine, text: string): Promise<string> {
  try {
    return await on.run(compile(on, text), [], TIMEOUT_MS);
  } catch {
    return "an error";
  }
}

/** Functions whose last digits differ between engines. */
const ROUGH: ReadonlySet<string> = new Set(["floats", "statistics"]);
const TOLERANCE = 1e-13;

type IsSame = (expected: string, found: string) => boolean;

function comparisonFor(topic: string): IsSame {
  if (!ROUGH.has(topic)) return (expected, found) => expected === found;
  return (expected, found) => {
    if (expected === found) return true;
    if (expected === "an error" || found === "an error") return false;
    return isNear(JSON.parse(expected), JSON.parse(found));
  };
}

function isNear(due: unknown, got: unknown): boolean {
  if (Array.isArray(due) && Array.isArray(got)) {
    return due.length === got.length && due.every((each, index) => isNear(each, got[index]));
  }
  if (typeof due !== "number" || typeof got !== "number") return due === got;
  return (
    Math.abs(due - got) <= TOLERANCE * Math.max(Math.abs(due), Math.abs(got), (Number.MIN_VALUE * 2 ** 52) / TOLERANCE)
  );
}

/** The rows in which the two engines differ. Where the call fails for some, a part of the rows is queried alone. */
async function compare(call: string, isSame: IsSame): Promise<readonly string[]> {
  const askBoth = async (where: string) => {
    const text = `SELECT ${call} AS x FROM v WHERE ${where} ORDER BY k`;
    const [due, got] = [await ask(judge, text), await ask(engine, text)];
    return { due, got, isRight: isSame(due, got) && due !== "an error" };
  };
  if ((await askBoth("TRUE")).isRight) return [];
  const rows = sampleOf(
    Array.from({ length: ROWS }, (_, row) => row),
    0.4,
  );
  const failing: number[] = [];
  for (const row of rows) {
    if ((await ask(judge, `SELECT ${call} AS x FROM v WHERE k = ${row}`)) === "an error") failing.push(row);
  }
  const others = await askBoth(`k IN (${[-1, ...rows.filter((row) => !failing.includes(row))].join(", ")})`);
  const wrong: string[] = [];
  for (const row of others.isRight ? [...failing.slice(0, 1), ...sampleOf(failing.slice(1), 0.5)] : rows) {
    const { due, got } = await askBoth(`k = ${row}`);
    if (!isSame(due, got)) wrong.push(`${call} in row ${row}: ${got} instead of ${due}`);
  }
  return wrong;
}

/** Calls that one query computes together: a query for each would take five times as long. */
const TOGETHER = 12;

/** The same of several calls, each by itself only where they fail or differ together. */
async function compareAll(together: readonly string[], isSame: IsSame): Promise<readonly string[]> {
  const text = `SELECT ${together.map((call, index) => `${call} AS x${index}`).join(", ")} FROM v ORDER BY k`;
  const [expected, found] = [await ask(judge, text), await ask(engine, text)];
  if (isSame(expected, found) && expected !== "an error") return [];
  const wrong: string[] = [];
  for (const call of together) wrong.push(...(await compare(call, isSame)));
  return wrong;
}

const batches = (["text", "numbers", "comparisons", "times", "parsed", "floats", "arrays"] as const).flatMap((topic) =>
  Array.from({ length: Math.ceil(calls[topic].length / TOGETHER) }, (_, index) => {
    const batch = calls[topic].slice(index * TOGETHER, (index + 1) * TOGETHER);
    return [topic, batch[0], batch] as const;
  }),
);

it.each(sampleOf(batches, 0.15))("%s: %s and those after it", async (topic, _, batch) => {
  for (const call of batch) expect(planOf(compile(engine, `SELECT ${call} AS x FROM v`)).kind, call).toBe("whole");
  expect(await compareAll(batch, comparisonFor(topic))).toEqual([]);
});

const overRows = (["aggregates", "statistics", "windows"] as const).flatMap((topic) =>
  calls[topic].map((call) => [topic, call] as const),
);

it.each(sampleOf(overRows, 0.15))("%s: %s", async (topic, call) => {
  const texts =
    topic === "windows"
      ? [`SELECT k, ${call} AS x FROM v ORDER BY k`]
      : [`SELECT b, ${call} AS x FROM v GROUP BY b ORDER BY b`, `SELECT ${call} AS x FROM v WHERE k < 0`];
  for (const text of texts) {
    expect(planOf(compile(engine, text)).kind).toBe("whole");
    const [due, got] = [await ask(judge, text), await ask(engine, text)];
    expect(comparisonFor(topic)(due, got) ? due : got).toBe(due);
  }
});
