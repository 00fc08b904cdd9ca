import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleSize } from "../../../test/support/sample-size.ts";
import type { LogEvent } from "../../engines/contract/query-engine.ts";
import { type DuckDbEngine, openMemoryEngine } from "../../engines/duckdb/index.ts";
import { Admission } from "../../shared/concurrency/admission.ts";
import { openSources } from "../../sources/source-registry.ts";
import { createPlanner } from "../call/plan/planner.ts";
import { prepareCall } from "../call/prepare/prepare-call.ts";
import { noPins } from "../call/prepare/query-call.ts";
import { runPrepared } from "../call/run/run-prepared.ts";
import type { EndpointRunner } from "../call/run/runner.ts";
import type { Endpoint } from "../definition/definition.ts";
import { draftEndpoint } from "../definition/draft-endpoint.ts";
import { parseEndpointFile } from "../definition/parse-endpoint.ts";
import { createCursorSealer } from "./cursor.ts";

let engine: DuckDbEngine;
let runner: EndpointRunner;
let sourceCount = 0;

const never = new AbortController().signal;

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
});

afterAll(async () => {
  await engine.close();
});

/** A new source with an endpoint that shows it, newest first. */
async function makeEndpoint(): Promise<{ readonly endpoint: Endpoint; readonly source: string }> {
  const source = `s${++sourceCount}`;
  const plain = { kind: "x", description: "", retentionDays: undefined, knownFields: [], aliases: [] };
  const sources = await openSources([{ ...plain, name: source }], engine.store);
  runner = {
    engine,
    planner: createPlanner({ engine, tables: sources, nowMs: () => 0 }),
    admission: new Admission({ maxRunning: 1, maxWaiting: 0 }),
    cursors: createCursorSealer(new Uint8Array(32).fill(7)),
    timeoutMs: 60_000,
    maxResultBytes: 10_000_000,
    now: () => 0,
  };
  const text = `/*---
id: 00000000-0000-4000-8000-0000000000aa
max_rows: 50
sandbox: true
---*/
WITH t AS (SELECT timestamp, id, event_message, metadata FROM ${source} ORDER BY timestamp DESC)
SELECT id, timestamp FROM t ORDER BY timestamp DESC LIMIT 5`;
  const parsed = parseEndpointFile(text, "e.sql");
  if ("problems" in parsed) throw new Error("the endpoint does not parse");
  const { definition } = parsed;
  return {
    source,
    endpoint: draftEndpoint(definition),
  };
}

async function store(source: string, seconds: readonly number[], prefix = "e"): Promise<void> {
  const events = seconds.map(
    (second, index): LogEvent => ({
      id: `${prefix}${index}`,
      hasGeneratedId: false,
      timestampUs: BigInt(second) * 1_000_000n,
      eventMessage: `m${second}`,
      fields: { metadata: { tags: [{ a: 1 }, { a: 2 }], n: second } },
    }),
  );
  if (events.length > 0) await engine.store.append(source, events, never);
}

type Row = Readonly<Record<string, unknown>>;

async function readPage(
  endpoint: Endpoint,
  parameters: Readonly<Record<string, string>>,
): Promise<{ readonly rows: readonly Row[]; readonly cursor: string | undefined }> {
  const call = { target: endpoint, parameters: new Map(Object.entries(parameters)), pinned: noPins, redactsPii: false };
  const prepared = prepareCall(runner, call);
  const run = runPrepared(runner, prepared, never);
  const texts: string[] = [];
  let step = await run.next();
  for (; step.done !== true; step = await run.next()) if (step.value.rowCount > 0) texts.push(step.value.json);
  const { next } = step.value;
  return {
    rows: JSON.parse(`[${texts.join(",")}]`) as Row[],
    cursor: next === undefined ? undefined : runner.cursors.seal(prepared.cursorScope, next),
  };
}

/** All pages in order; `between` runs before each page except the first. */
async function readAll(
  endpoint: Endpoint,
  parameters: Readonly<Record<string, string>>,
  between: (page: number) => Promise<void> = async () => undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 200; page++) {
    if (page > 0) await between(page);
    const read = await readPage(endpoint, { ...parameters, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...read.rows);
    cursor = read.cursor;
    if (cursor === undefined) return rows;
  }
  throw new Error("the pages do not end");
}

const fewSeconds = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 40 });

describe("pages", () => {
  it("contain every row once and in order, even with equal timestamps", async () => {
    await fc.assert(
      fc.asyncProperty(fewSeconds, fc.integer({ min: 1, max: 9 }), async (seconds, limit) => {
        const { endpoint, source } = await makeEndpoint();
        await store(source, seconds);
        const rows = await readAll(endpoint, { limit: String(limit) });
        expect(rows.map(({ id }) => id).sort()).toEqual(seconds.map((_, index) => `e${index}`).sort());
        const times = rows.map(({ timestamp }) => Number(timestamp));
        expect(times).toEqual([...times].sort((a, b) => b - a));
      }),
      { numRuns: sampleSize(10, 500) },
    );
  });

  it("neither lose nor repeat earlier rows while events arrive", async () => {
    await fc.assert(
      fc.asyncProperty(fewSeconds, fewSeconds, async (seconds, more) => {
        const { endpoint, source } = await makeEndpoint();
        await store(source, seconds);
        const rows = await readAll(endpoint, { limit: "3" }, (page) => store(source, more.slice(0, 4), `new${page}-`));
        const ids = rows.map(({ id }) => String(id));
        expect(new Set(ids).size).toBe(ids.length);
        const old = ids.filter((id) => id.startsWith("e")).sort();
        expect(old).toEqual(seconds.map((_, index) => `e${index}`).sort());
      }),
      { numRuns: sampleSize(6, 300) },
    );
  });

  it.each([
    [
      "a query that does not select the id",
      "select event_message as m, timestamp as ts from t order by timestamp desc limit 3",
    ],
    ["an order that the table has", "select event_message as m from t limit 3"],
    ["further keys", "select event_message as m from t order by timestamp desc, event_message asc limit 3"],
    [
      "groups",
      "select timestamp as ts, count(*) as n, min(event_message) as m from t group by timestamp order by " +
        "timestamp desc limit 3",
    ],
    ["distinct rows", "select distinct timestamp as ts, event_message as m from t order by ts desc limit 3"],
    [
      "a table of the caller's own",
      "with u as (select * from t) select event_message as m from u order by timestamp desc limit 3",
    ],
  ])("continue to the end for %s, without showing hidden key columns", async (_, sql) => {
    const { endpoint, source } = await makeEndpoint();
    await store(source, [1, 2, 2, 2, 2, 3, 3, 4, 5, 5]);
    const whole = await readPage(endpoint, { sql: sql.replace(" limit 3", " limit 50") });
    const rows = await readAll(endpoint, { sql });
    expect(rows).toEqual(whole.rows);
    expect(rows.length).toBeGreaterThan(4);
    expect(Object.keys(rows[0] ?? {}).filter((key) => key.startsWith("$"))).toEqual([]);
  });

  const undated = "select if(event_message = 'm2', null, timestamp) as timestamp, id, event_message from t";
  it.each([
    ["OFFSET", "select event_message as m, id from t order by timestamp desc limit 3 offset 2", 2],
    ["OFFSET beyond a page", "select event_message as m, id from t order by timestamp desc limit 3 offset 7", 7],
    ["times that are NULL", `with u as (${undated}) select id from u order by timestamp desc limit 3`, 0],
    [
      "times that are NULL first",
      `with u as (${undated}) select id from u order by timestamp desc nulls first limit 3`,
      0,
    ],
    [
      "OFFSET among times that are NULL",
      `with u as (${undated}) select id from u order by timestamp desc nulls first limit 2 offset 3`,
      3,
    ],
  ])("contain each row after the offset once for %s", async (_, sql, offset) => {
    const { endpoint, source } = await makeEndpoint();
    await store(source, [1, 2, 2, 2, 2, 3, 3, 4, 5, 5]);
    const size = Number(/limit (\d+)/.exec(sql)?.[1]);
    const limited = (limit: number) => sql.replace(/limit \d+(?: offset \d+)?/, `limit ${limit}`);
    const { rows: whole } = await readPage(endpoint, { sql: limited(50) });
    const first = await readPage(endpoint, { sql });
    expect(first.rows).toEqual(whole.slice(offset, offset + size));
    const rows = await readAll(endpoint, { sql });
    expect(rows).toEqual(whole.slice(offset));
    expect(rows.length).toBeGreaterThan(first.rows.length - 1);
    // A limit equal to the number of rows: a full page with no rows after it.
    const { cursor = "", rows: exact } = await readPage(endpoint, { sql: limited(whole.length) });
    expect(exact).toEqual(whole);
    expect(await readPage(endpoint, { sql: limited(whole.length), cursor })).toEqual({ rows: [], cursor: undefined });
    expect((await readPage(endpoint, { sql: limited(whole.length + 1) })).cursor).toBeUndefined();
  });

  it("have no cursor after a partial page, and end with the last row", async () => {
    const { endpoint, source } = await makeEndpoint();
    await store(source, [1, 2, 3]);
    expect((await readPage(endpoint, { limit: "4" })).cursor).toBeUndefined();
    const { cursor = "" } = await readPage(endpoint, { limit: "3" });
    expect(await readPage(endpoint, { limit: "3", cursor })).toEqual({ rows: [], cursor: undefined });
  });

  it.each([
    ["rising order", "select id from t order by timestamp limit 2"],
    ["no timestamp first", "select id from t order by id desc limit 2"],
    [
      "rows that nothing tells apart",
      "select t.timestamp from t cross join unnest(metadata) m cross join unnest(m.tags) order by 1 desc limit 2",
    ],
  ])("are not offered for %s", async (_, sql) => {
    const { endpoint, source } = await makeEndpoint();
    await store(source, [1, 2, 3]);
    expect((await readPage(endpoint, { sql })).cursor).toBeUndefined();
  });
});

describe("a cursor", () => {
  it("is refused when any character is changed or when it is not a cursor", async () => {
    const { endpoint, source } = await makeEndpoint();
    await store(source, [1, 2, 3]);
    const { cursor = "" } = await readPage(endpoint, { limit: "2" });
    const wrong = [...cursor].map(
      (letter, at) => cursor.slice(0, at) + (letter === "A" ? "B" : "A") + cursor.slice(at + 1),
    );
    for (const each of [...wrong, "x", `${cursor}A`, `${cursor}=`, cursor.slice(1)]) {
      const read = () => prepareCall(runner, callOf(endpoint, { limit: "2", cursor: each }));
      expect(read).toThrow("cursor");
    }
  });

  it("is valid only for the call that it was issued for", async () => {
    const { endpoint, source } = await makeEndpoint();
    await store(source, [1, 2, 3]);
    const { cursor = "" } = await readPage(endpoint, { limit: "2" });
    expect(() => prepareCall(runner, callOf(endpoint, { limit: "1", cursor }))).toThrow("cursor");
    expect(() => prepareCall(runner, callOf(endpoint, { limit: "2", cursor, sql: "select id from t" }))).toThrow(
      "cursor",
    );
    expect(() => prepareCall(runner, { ...callOf(endpoint, { limit: "2", cursor }), redactsPii: true })).toThrow(
      "cursor",
    );
    expect(() => prepareCall(runner, callOf({ ...endpoint, version: 2 }, { limit: "2", cursor }))).toThrow("cursor");
    expect(() => prepareCall(runner, callOf(endpoint, { limit: "2", cursor }))).not.toThrow();
  });

  it("reveals nothing of its row, and is invalid for a service with another key", () => {
    const cursor = runner.cursors.seal("call", ["1755680400000000", "secret-id"]);
    expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toContain("secret-id");
    expect(() => createCursorSealer(new Uint8Array(32)).open("call", cursor)).toThrow("cursor");
    expect(runner.cursors.open("call", cursor)).toEqual(["1755680400000000", "secret-id"]);
  });
});

function callOf(endpoint: Endpoint, parameters: Readonly<Record<string, string>>) {
  return { target: endpoint, parameters: new Map(Object.entries(parameters)), pinned: noPins, redactsPii: false };
}
