import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogEvent } from "../../../engines/contract/query-engine.ts";
import { type DuckDbEngine, openMemoryEngine } from "../../../engines/duckdb/index.ts";
import { Admission } from "../../../shared/concurrency/admission.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { openSources } from "../../../sources/source-registry.ts";
import type { Endpoint } from "../../definition/definition.ts";
import { draftEndpoint } from "../../definition/draft-endpoint.ts";
import { parseEndpointFile } from "../../definition/parse-endpoint.ts";
import { createCursorSealer } from "../../paging/cursor.ts";
import { prepareCall } from "../prepare/prepare-call.ts";
import { noPins } from "../prepare/query-call.ts";
import { runPrepared } from "../run/run-prepared.ts";
import type { EndpointRunner } from "../run/runner.ts";
import { createPlanner } from "./planner.ts";

let engine: DuckDbEngine;
let runner: EndpointRunner;

function makeEvent(id: string, second: number, project: string, status: number): LogEvent {
  return {
    id,
    hasGeneratedId: false,
    timestampUs: BigInt(Date.parse("2026-08-20T09:00:00Z") + second * 1_000) * 1_000n,
    eventMessage: `GET ${status}`,
    fields: { project, metadata: { response: { status_code: status }, tags: ["a", id] } },
  };
}

const never = new AbortController().signal;

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
  const source = { kind: "edge", description: "", retentionDays: undefined, knownFields: [], aliases: [] };
  const tables = await openSources(
    [
      { ...source, name: "edge" },
      { ...source, name: "db" },
    ],
    engine.store,
  );
  const mine = Array.from({ length: 150 }, (_, index) =>
    makeEvent(`e${index}`, index, "mine", index % 10 === 0 ? 500 : 200),
  );
  await engine.store.append("edge", [...mine, makeEvent("x", 500, "other", 500)], never);
  runner = {
    engine,
    planner: createPlanner({ engine, tables, nowMs: () => Date.parse("2026-08-20T09:01:00Z") }),
    admission: new Admission({ maxRunning: 1, maxWaiting: 0 }),
    cursors: createCursorSealer(new Uint8Array(32)),
    timeoutMs: 60_000,
    maxResultBytes: 1_000_000,
    now: () => 0,
  };
});

afterAll(async () => {
  await engine.close();
});

const file = `/*---
id: 0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c11
max_rows: 120
sandbox: true
parameters: { Project: { required: true } }
table_aliases: { alias_logs: edge_logs }
---*/
WITH
  edge_logs AS (SELECT id, timestamp, event_message, metadata FROM edge WHERE project = @project ORDER BY timestamp DESC),
  db_logs AS (SELECT id, timestamp FROM db)
SELECT id FROM edge_logs LIMIT 100`;

function endpointOf(text: string): Endpoint {
  const parsed = parseEndpointFile(text, "test.sql");
  if ("problems" in parsed) throw new Error(parsed.problems[0]?.message);
  return draftEndpoint(parsed.definition);
}

async function run(parameters: Record<string, string>, text = file): Promise<Record<string, unknown>[]> {
  const call = {
    target: endpointOf(text),
    parameters: new Map(Object.entries({ Project: "mine", ...parameters })),
    pinned: noPins,
    redactsPii: false,
  };
  const rows: string[] = [];
  for await (const batch of runPrepared(runner, prepareCall(runner, call), never)) rows.push(batch.json);
  return JSON.parse(`[${rows.filter((json) => json !== "").join(",")}]`) as Record<string, unknown>[];
}

async function refusal(parameters: Record<string, string>): Promise<ServiceError> {
  const error = await run(parameters).catch((thrown: unknown) => thrown);
  if (error instanceof ServiceError) return error;
  throw new Error(`was answered ${JSON.stringify(error)}`);
}

describe("the endpoint's own query", () => {
  it("runs with its parameters and its limit", async () => {
    const rows = await run({});
    expect(rows).toHaveLength(100);
    expect(rows[0]).toEqual({ id: "e149" });
  });

  it("has its limit replaced by the caller's limit, and is cut at max_rows when it has none", async () => {
    expect(await run({ limit: "3" })).toEqual([{ id: "e149" }, { id: "e148" }, { id: "e147" }]);
    expect(await run({ limit: "120" })).toHaveLength(120);
    expect(await run({}, file.replace("LIMIT 100", ""))).toHaveLength(120);
    expect(await run({ limit: "2" }, file.replace("LIMIT 100", "LIMIT 100 OFFSET 5"))).toEqual([
      { id: "e144" },
      { id: "e143" },
    ]);
    expect(await run({ limit: "2" }, file.replace("LIMIT 100", "|> LIMIT 100"))).toEqual([
      { id: "e149" },
      { id: "e148" },
    ]);
  });
});

describe("a consumer's query", () => {
  it("reads the endpoint's tables and their aliases, in the tables' order", async () => {
    expect(await run({ sql: "select count(*) as n from edge_logs" })).toEqual([{ n: 150 }]);
    expect((await run({ sql: "select id from ALIAS_LOGS" }))[0]).toEqual({ id: "e149" });
    expect(await run({ sql: "select id from edge_logs" })).toHaveLength(120);
    expect(await run({ sql: "select id from edge_logs limit 130" })).toHaveLength(120);
    expect(await run({ sql: "select id from edge_logs limit 5", limit: "3" })).toHaveLength(3);
  });

  it("may read declared parameters in any letter case", async () => {
    expect(await run({ sql: "select @project as p, @PROJECT as q" })).toEqual([{ p: "mine", q: "mine" }]);
  });

  it.each([
    ["select * from edge", "sandbox_table_denied", 1, 15],
    ["select 1\nfrom edge_logs e join `db` on true", "sandbox_table_denied", 2, 23],
    ["select * from nowhere", "sandbox_table_denied", 1, 15],
    ["select idd from edge_logs", "unknown_column", 1, 8],
    ["select 'é', idd from edge_logs", "unknown_column", 1, 13],
    ["select foo(1)", "unknown_function", 1, 8],
    ["select @other", "unknown_parameter", 1, 8],
    ["select 1 +", "syntax_error", 1, 11],
  ])("%j is refused as %s", async (sql, code, line, column) => {
    const error = await refusal({ sql });
    expect(error).toMatchObject({ code, details: { line, column } });
    expect(error.details.hint).toContain("^");
    expect(JSON.stringify([error.message, error.details.hint])).not.toMatch(/WITH|ORDER BY timestamp/);
  });
});

describe("an LQL query", () => {
  it("reads the table of the endpoint's own query, newest first", async () => {
    const rows = await run({ lql: "m.response.status_code:>=500" });
    expect(rows).toHaveLength(15);
    expect(Object.keys(rows[0] ?? {})).toEqual(["id", "timestamp", "event_message", "metadata"]);
    expect(rows[0]?.id).toBe("e140");
    expect(await run({ lql: "GET" })).toHaveLength(100);
  });

  it.each([
    ["m.response.status_code:500..599 t:<=2026-08-20T09:00:10Z s:id", ["e10", "e0"]],
    ["-m.response.status_code:200 t:<2026-08-20T09:00:10Z s:id", ["e0"]],
    ["m.tags:@>e7 s:id", ["e7"]],
    ['m.tags:@>~"^e14[01]$" s:id', ["e141", "e140"]],
    ["m.nothing:1 s:id", []],
    ["m.nothing:NULL id:e3 s:id", ["e3"]],
    ["(id:e1 OR id:e2) s:id", ["e2", "e1"]],
    ['"GET 500" t:2026-08-20T09:02:{00..20} s:id', ["e140", "e130", "e120"]],
    ["f:alias_logs id:e1 s:id", ["e1"]],
  ])("%s selects %j", async (lql, ids) => {
    expect((await run({ lql })).map((row) => row.id)).toEqual(ids);
  });

  it("makes charts in ascending order of buckets, with each aggregate named count", async () => {
    const minute = Date.parse("2026-08-20T09:00:00Z") * 1_000;
    expect(await run({ lql: "c:count(*) c:group_by(t::minute)" })).toEqual([
      { timestamp: minute, count: 60 },
      { timestamp: minute + 60_000_000, count: 60 },
      { timestamp: minute + 120_000_000, count: 30 },
    ]);
    expect(await run({ lql: "c:max(m.response.status_code) c:group_by(t::day)" })).toMatchObject([{ count: 500 }]);
    expect(await run({ lql: "c:p50(m.response.status_code) c:group_by(t::day)" })).toMatchObject([{ count: 200 }]);
    expect(await run({ lql: "c:countd(id) c:group_by(t::day)" })).toMatchObject([{ count: 150 }]);
    expect(await run({ lql: "c:avg(m.response.status_code) c:group_by(t::day) id:e0" })).toMatchObject([
      { count: 500 },
    ]);
  });

  it.each([
    ["f:edge GET", "sandbox_table_denied", 3],
    ["GET m.level:", "invalid_lql", 13],
    ["nope:1", "unknown_column", 1],
  ])("%j is refused as %s", async (lql, code, column) => {
    expect(await refusal({ lql })).toMatchObject({ code, details: { line: 1, column } });
  });
});

it("the planner reuses a plan until a table it reads gets new fields", async () => {
  const call = {
    target: endpointOf(file),
    parameters: new Map([["Project", "late"]]),
    pinned: noPins,
    redactsPii: false,
  };
  const sql = "select m.fresh from edge_logs cross join unnest(metadata) as m";
  const prepare = () => prepareCall(runner, { ...call, parameters: new Map([...call.parameters, ["sql", sql]]) });
  const first = prepare();
  expect(prepare().query.columns).toBe(first.query.columns);
  expect(first.query.isCurrent?.()).toBe(true);
  const event = makeEvent("late", 1, "late", 200);
  await engine.store.append("edge", [{ ...event, fields: { project: "late", metadata: { fresh: "yes" } } }], never);
  expect(prepare().query.columns).not.toBe(first.query.columns);
  expect(first.query.isCurrent?.()).toBe(false);
  expect(await run({ Project: "late", sql })).toEqual([{ fresh: "yes" }]);
});
