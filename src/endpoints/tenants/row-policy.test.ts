import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogEvent } from "../../engines/contract/query-engine.ts";
import { type DuckDbEngine, openMemoryEngine } from "../../engines/duckdb/index.ts";
import { Admission } from "../../shared/concurrency/admission.ts";
import { ServiceError } from "../../shared/errors.ts";
import { openSources } from "../../sources/source-registry.ts";
import { cacheKey } from "../cache/cache-key.ts";
import { createPlanner } from "../call/plan/planner.ts";
import { prepareCall } from "../call/prepare/prepare-call.ts";
import type { PreparedCall } from "../call/prepare/query-call.ts";
import { runPrepared } from "../call/run/run-prepared.ts";
import type { EndpointRunner } from "../call/run/runner.ts";
import { lookupOf } from "../definition/check-endpoint.ts";
import type { Endpoint } from "../definition/definition.ts";
import { draftEndpoint } from "../definition/draft-endpoint.ts";
import { parseEndpointFile } from "../definition/parse-endpoint.ts";
import { createCursorSealer } from "../paging/cursor.ts";

const never = new AbortController().signal;
let engine: DuckDbEngine;
let runner: EndpointRunner;

function makeEvent(id: string, fields: LogEvent["fields"]): LogEvent {
  return { id, hasGeneratedId: false, timestampUs: 1_787_216_400_000_000n, eventMessage: id, fields };
}

function readEndpoint(name: string, header: string, query: string): Endpoint {
  const text = `/*---\nid: ${crypto.randomUUID()}\nname: ${name}\n${header}\n---*/\n${query}`;
  const parsed = parseEndpointFile(text, `${name}.sql`);
  if ("problems" in parsed) throw new Error(parsed.problems[0]?.message);
  return draftEndpoint(parsed.definition);
}

const project = "parameters: { project: { required: true } }";
const stated = `${project}\ntenant_parameter: project`;
const drafts = [
  readEndpoint("guarded", project, "SELECT id FROM edge WHERE project = @project ORDER BY id"),
  readEndpoint("forgotten", stated, "SELECT id FROM edge ORDER BY id"),
  readEndpoint("pattern", stated, "SELECT id FROM edge WHERE REGEXP_CONTAINS(id, @project) OR TRUE ORDER BY id"),
  readEndpoint("either", stated, "SELECT id FROM edge WHERE project = @project OR project = 'bbb' ORDER BY id"),
  readEndpoint("other", stated, "SELECT id FROM edge WHERE project = 'bbb' ORDER BY id"),
  readEndpoint("nested", stated, "SELECT t.id FROM jobs AS t ORDER BY 1"),
  readEndpoint("joined", stated, "SELECT e.id, j.id AS job FROM edge AS e CROSS JOIN jobs AS j ORDER BY 1, 2"),
  readEndpoint("counted", stated, "SELECT (SELECT COUNT(*) FROM jobs) AS jobs, COUNT(*) AS n FROM edge"),
  readEndpoint("reader", "", "SELECT id FROM guarded WHERE id IN (SELECT id FROM forgotten) ORDER BY id"),
  readEndpoint("reads-all", "", "SELECT id FROM forgotten ORDER BY id"),
  readEndpoint(
    "tables",
    `${stated}\nsandbox: true`,
    "WITH mine AS (SELECT id, project FROM edge WHERE project = @project), every AS (SELECT id, timestamp, project FROM edge), \
shared AS (SELECT id FROM notes) SELECT id FROM mine ORDER BY id",
  ),
  readEndpoint("cased", stated, "SELECT id FROM cased"),
  readEndpoint("shared", stated, "SELECT id FROM notes"),
  readEndpoint("mixed", project, "SELECT e.id FROM edge AS e JOIN notes AS n ON TRUE WHERE e.project = @project"),
  readEndpoint("unrelated", "parameters: { project: , tier: }\ntenant_parameter: project", "SELECT id FROM edge"),
  readEndpoint("bare", project, "SELECT t.id FROM taken AS t CROSS JOIN UNNEST(t.metadata) AS m WHERE ref = @project"),
  readEndpoint("untold", "parameters: { project: }", "SELECT id FROM edge WHERE STARTS_WITH(project, @project)"),
  readEndpoint(
    "compared",
    "parameters: { a: , b: }",
    "SELECT e.id FROM edge AS e WHERE e.project = @a UNION ALL SELECT id FROM edge WHERE project = @b ORDER BY 1",
  ),
];

/** An endpoint's contract includes the parameters of the endpoints that it reads. */
const endpoints = drafts.map((draft) => {
  const read = draft.definition.name.startsWith("read") ? drafts.slice(0, 1) : [draft];
  return {
    ...draft,
    contract: { parameters: read.flatMap(({ definition }) => definition.parameters), columns: [] },
  };
});

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
  const source = { kind: "x", description: "", retentionDays: undefined, aliases: [] };
  const text = (path: string) => ({ path, type: { kind: "STRING" } as const });
  const tables = await openSources(
    [
      { ...source, name: "edge", knownFields: [text("project")], tenantField: "project" },
      { ...source, name: "jobs", knownFields: [text("metadata.ref")], tenantField: "metadata.ref" },
      { ...source, name: "taken", knownFields: [text("metadata.ref")], tenantField: "metadata.ref" },
      { ...source, name: "cased", knownFields: [text("Meta.Ref")], tenantField: "meta.ref" },
      { ...source, name: "notes", knownFields: [] },
    ],
    engine.store,
  );
  const edge = ["aaa", "bbb", "aaa", "ccc"].map((tenant, i) => makeEvent(`e${i}-${tenant}`, { project: tenant }));
  const jobs = ["aaa", "bbb"].map((ref) => makeEvent(`j-${ref}`, { metadata: { ref } }));
  await engine.store.append("edge", [...edge, makeEvent("e-none", {})], never);
  await engine.store.append("jobs", [...jobs, makeEvent("j-none", { metadata: { n: 1 } })], never);
  const taken = [
    makeEvent("own", { ref: "aaa", metadata: { ref: "aaa" } }),
    makeEvent("posing", { ref: "aaa", metadata: { ref: "bbb" } }),
  ];
  await engine.store.append("taken", taken, never);
  await engine.store.append("cased", [makeEvent("c-aaa", { Meta: { Ref: "aaa" } })], never);
  await engine.store.append("notes", [makeEvent("note", {})], never);
  runner = {
    engine,
    planner: createPlanner({ engine, tables, endpoints: lookupOf(endpoints), nowMs: () => 1_787_216_400_000 }),
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

interface Call {
  readonly pins?: Readonly<Record<string, string>>;
  readonly sent?: Readonly<Record<string, string>>;
}

function prepare(name: string, { pins = {}, sent = {} }: Call): PreparedCall {
  const target = endpoints.find(({ definition }) => definition.name === name);
  if (target === undefined) throw new Error(`no endpoint ${name}`);
  const values = new Map(Object.entries({ ...sent, ...pins }));
  return prepareCall(runner, { target, parameters: values, pinned: new Set(Object.keys(pins)), redactsPii: false });
}

async function answer(name: string, call: Call): Promise<string> {
  let json = "";
  for await (const batch of runPrepared(runner, prepare(name, call), never)) {
    if (batch.rowCount > 0) json += `${json === "" ? "" : ","}${batch.json}`;
  }
  const rows = JSON.parse(`[${json}]`) as Record<string, unknown>[];
  return rows.map((row) => Object.values(row).join("/")).join(" ");
}

const mine = { pins: { project: "aaa" } };

describe("a call with a token that pins the tenant parameter", () => {
  it.each([
    ["guarded", "e0-aaa e2-aaa"],
    ["forgotten", "e0-aaa e2-aaa"],
    ["pattern", "e0-aaa e2-aaa"],
    ["either", "e0-aaa e2-aaa"],
    ["other", ""],
    ["nested", "j-aaa"],
    ["joined", "e0-aaa/j-aaa e2-aaa/j-aaa"],
    ["counted", "1/2"],
    ["reader", "e0-aaa e2-aaa"],
    ["reads-all", "e0-aaa e2-aaa"],
  ])("reads only that tenant's rows: %s", async (name, expected) => {
    expect(await answer(name, mine)).toBe(expected);
  });

  it.each([
    ["select id from mine order by id", "e0-aaa e2-aaa"],
    ["select id from every order by id", "e0-aaa e2-aaa"],
    ["select id from every where project = 'bbb' or true order by id", "e0-aaa e2-aaa"],
    ["select count(*) from every e join mine m on true", "4"],
  ])("reads only that tenant's rows in its own query too: %s", async (sql, expected) => {
    expect(await answer("tables", { ...mine, sent: { sql } })).toBe(expected);
  });

  it("reads only that tenant's rows in LQL too", async () => {
    expect(await answer("tables", { ...mine, sent: { lql: "f:every project:bbb s:id" } })).toBe("");
    expect(await answer("tables", { ...mine, sent: { lql: 'f:every project:aaa id:"e0-aaa" s:id' } })).toBe("e0-aaa");
  });

  it("reads no rows for an unknown tenant", async () => {
    expect(await answer("forgotten", { pins: { project: "zzz" } })).toBe("");
    expect(await answer("forgotten", { pins: { project: "" } })).toBe("");
  });

  it.each(["shared", "mixed"])("is refused when a source has no tenants: %s", async (name) => {
    const error = await answer(name, mine).catch((thrown: unknown) => thrown);
    if (!(error instanceof ServiceError)) throw new Error("It was answered");
    expect([error.code, error.status, error.details.parameter]).toEqual(["pinned_parameter", 403, "project"]);
    expect(error.message).toContain("a source of this query has no tenants");
    expect(`${error.message}${error.details.hint}`).not.toContain("notes");
  });

  it("is refused for its own query only when that reads a source without tenants", async () => {
    const asked = answer("tables", { ...mine, sent: { sql: "select id from shared" } });
    await expect(asked).rejects.toMatchObject({ code: "pinned_parameter" });
    expect(await answer("tables", mine)).toBe("e0-aaa e2-aaa");
  });

  it("is bound by any of several parameters that are compared with a tenant field", async () => {
    expect(await answer("compared", { pins: { a: "aaa" }, sent: { b: "bbb" } })).toBe("e0-aaa e2-aaa");
    expect(await answer("compared", { pins: { b: "bbb" }, sent: { a: "aaa" } })).toBe("e1-bbb");
    expect(await answer("compared", { sent: { a: "aaa", b: "bbb" } })).toBe("e0-aaa e1-bbb e2-aaa");
  });
});

it("a guard excludes other tenants' rows even when a column takes over the name in its condition", async () => {
  // In the view of aaa the bare name refers to the event's own column, which bbb has set to aaa.
  expect(await answer("bare", { sent: { project: "aaa" } })).toBe("own");
  expect(await answer("bare", mine)).toBe("own");
});

it("a tenant field is found in any letter case of its declaration", async () => {
  expect(await answer("cased", mine)).toBe("c-aaa");
  expect(await answer("cased", { pins: { project: "bbb" } })).toBe("");
});

describe("a call that is not bound to a tenant", () => {
  it("with an unpinned value reads what the query selects", async () => {
    expect(await answer("forgotten", { sent: mine.pins })).toBe("e-none e0-aaa e1-bbb e2-aaa e3-ccc");
    expect(await answer("other", { sent: mine.pins })).toBe("e1-bbb");
    expect(await answer("tables", { sent: { ...mine.pins, sql: "select id from shared" } })).toBe("note");
  });

  it.each([
    ["unrelated", { tier: "aaa" }],
    ["untold", { project: "b" }],
  ])("with a pin that tells no tenant is refused: %s", async (name, pins) => {
    const [pin] = Object.keys(pins);
    await expect(answer(name, { pins })).rejects.toMatchObject({
      code: "pinned_parameter",
      message: `This token is bound by ${pin}, which does not tell whose rows this endpoint reads`,
      details: { parameter: pin },
    });
  });
});

describe("plans and cache keys", () => {
  const keyOf = (name: string, call: Call) => {
    const found = endpoints.find(({ definition }) => definition.name === name);
    return found === undefined ? "" : cacheKey(found, prepare(name, call));
  };

  it("differ between bound and unbound calls with the same value when their answers may differ", () => {
    const unbound = { sent: mine.pins };
    expect(keyOf("forgotten", mine)).not.toBe(keyOf("forgotten", unbound));
    expect(prepare("forgotten", mine).cursorScope).not.toBe(prepare("forgotten", unbound).cursorScope);
    expect(keyOf("forgotten", mine)).not.toBe(keyOf("forgotten", { pins: { project: "bbb" } }));
  });

  it("are shared by all tenants that see the same tables", () => {
    const [first, second] = ["bbb", "ccc"].map((tenant) => prepare("guarded", { pins: { project: tenant } }));
    expect(first?.query.columns).toBe(second?.query.columns);
    expect(first?.query.sql).toBe(second?.query.sql);
  });

  it("state whether they read a tenant's events or a whole source", () => {
    expect(prepare("joined", mine).query.reads).toEqual([
      { source: "edge", tenant: "aaa" },
      { source: "jobs", tenant: "aaa" },
    ]);
    expect(prepare("guarded", { sent: { project: "bbb" } }).query.reads).toEqual([{ source: "edge", tenant: "bbb" }]);
    expect(prepare("other", { sent: mine.pins }).query.reads).toEqual([{ source: "edge", tenant: "bbb" }]);
    expect(prepare("forgotten", { sent: mine.pins }).query.reads).toEqual([{ source: "edge", tenant: undefined }]);
  });
});
