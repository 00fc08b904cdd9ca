import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DuckDbEngine, openMemoryEngine } from "../../engines/duckdb/index.ts";
import { createPlanner } from "../call/plan/planner.ts";
import { prepareCall } from "../call/prepare/prepare-call.ts";
import { noPins } from "../call/prepare/query-call.ts";
import { createTarget } from "../definition/query-target.ts";
import { createCursorSealer } from "../paging/cursor.ts";
import { type PatternRow, patternsShape } from "./patterns-query.ts";

let engine: DuckDbEngine;

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
});

afterAll(() => engine.close());

/** The patterns of some messages, a second apart from each other. */
async function patternsOf(messages: readonly (string | null)[], count = 100): Promise<PatternRow[]> {
  const texts = messages.map((text) => (text === null ? "CAST(NULL AS STRING)" : JSON.stringify(text)));
  const rows = `SELECT event_message, TIMESTAMP_SECONDS(n) AS timestamp FROM UNNEST([${texts.join(", ")}]) AS event_message WITH OFFSET AS n`;
  const target = createTarget({
    ...{ id: "target", maxRows: 10, isSandboxed: true },
    query: `WITH t AS (${rows}) SELECT * FROM t`,
  });
  const tables = { findTable: () => undefined, tableNames: () => [] };
  const runner = {
    planner: createPlanner({ engine, tables, nowMs: () => 0 }),
    cursors: createCursorSealer(new Uint8Array(32)),
  };
  // What bounds rows is no part of the question.
  const parameters = new Map([["sql", "SELECT * FROM t ORDER BY timestamp DESC LIMIT 1"]]);
  const shape = patternsShape({ field: ["event_message"], count });
  const { query, values, maxRows } = prepareCall(runner, {
    ...{ target, parameters, pinned: noPins, redactsPii: false, shape },
  });
  const limits = { timeoutMs: 60_000, maxRows, maxResultBytes: 1_000_000 };
  const running = await engine.run({
    query,
    values,
    limits,
    encoding: "objects",
    signal: new AbortController().signal,
  });
  const found: PatternRow[] = [];
  for await (const { json } of running.batches) found.push(...(JSON.parse(`[${json}]`) as PatternRow[]));
  return found;
}

describe("the patterns of messages", () => {
  it.each<[string, string]>([
    ["took 12ms of 1.5 s, user17 4096", "took <n>ms of <n> s, user<n> <n>"],
    ["id 5f0c6f7e-7d2a-4c8b-9b1e-0a1b2c3d4e5f!", "id <uuid>!"],
    ["commit 9fceb02d0ae598e9 at 0xdeadBEEF, added", "commit <hex> at <hex>, added"],
    ["from 10.0.0.7:443 to 2001:db8::ff00:42:8329", "from <ip> to <ip>"],
    ["from fe80:0:0:0:200:f8ff:fe21:67cf", "from <ip>"],
    ["at 2026-08-20T09:00:00.123Z and 2026-08-20 09:00 and 09:00:01", "at <time> and <time> and <time>"],
    ["mail some.one+x@example.co.uk", "mail <email>"],
    [`relation "a \\" b" of 'x y' isn't there`, `relation "<text>" of '<text>' isn't there`],
    ["GET /v1/orders/42?limit=7", "GET /v<n>/orders/<n>?limit=<n>"],
    ["", ""],
    ["nothing to mask", "nothing to mask"],
  ])("of %j is %j", async (message, pattern) => {
    expect((await patternsOf([message])).map((row) => row.pattern)).toEqual([pattern]);
  });

  it("have counts, times and an example of all rows, most frequent first, and how many there are", async () => {
    const all = { total_rows: 6, total_patterns: 3 };
    const time = (second: number) => second * 1_000_000;
    const told = [
      { ...all, pattern: "a <n>", count: 3, first_seen: time(0), last_seen: time(5), example: "a 1" },
      { ...all, pattern: "b", count: 2, first_seen: time(1), last_seen: time(3), example: "b" },
      { ...all, pattern: null, count: 1, first_seen: time(4), last_seen: time(4), example: null },
    ];
    const messages = ["a 2", "b", "a 1", "b", null, "a 30"];
    expect(await patternsOf(messages)).toEqual(told);
    expect(await patternsOf(messages, 2)).toEqual(told.slice(0, 2));
    expect(await patternsOf([])).toEqual([]);
  });
});
