import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateToken, readError, type Service, startService } from "./service.ts";

let service: Service;
let tenant: string;

const base = Date.parse("2026-08-20T09:00:00Z");
const range = { from: "2026-08-20T09:00:00Z", to: "2026-08-20T10:00:00Z" };

function request(project: string, second: number, status: number, method: string) {
  return {
    id: `${project}-${second}`,
    timestamp: new Date(base + second * 1000).toISOString(),
    project,
    event_message: `${method} /rest/v1/items ${status}`,
    metadata: {
      request: { method, path: "/rest/v1/items", headers: { cf_connecting_ip: `192.0.2.${second % 9}` } },
      response: { status_code: status },
    },
  };
}

beforeAll(async () => {
  service = await startService();
  const mine = Array.from({ length: 30 }, (_, index) =>
    request("abc", index * 60, index % 3 === 0 ? 500 : 200, index % 2 === 0 ? "GET" : "POST"),
  );
  await service.ingest("edge", [
    ...mine,
    { ...request("other", 61, 418, "BREW"), metadata: { request: { method: "BREW" }, secret_field: "x" } },
  ]);
  const response = await fetch(`${service.url}/api/access-tokens`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": privateToken },
    body: JSON.stringify({ scopes: ["query:endpoint:logs.all"], pins: { project: "abc" } }),
  });
  tenant = ((await response.json()) as { token: string }).token;
});

afterAll(async () => {
  await service.stop();
});

interface OverviewAnswer {
  readonly total: number;
  readonly is_truncated: boolean;
  readonly bucket_us: number;
  readonly series: { readonly value: string | null; readonly counts: number[] }[];
  readonly facets: { readonly path: string; readonly values: { value: string | null; count: number }[] }[];
}

async function ask<Result>(path: string, parameters: Record<string, string>, token = tenant): Promise<Result> {
  const response = await service.get(`/api/endpoints/query/${path}`, parameters, { "x-api-key": token });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return (JSON.parse(text) as { result: Result }).result;
}

async function refusal(path: string, parameters: Record<string, string>, token = tenant) {
  const response = await service.get(`/api/endpoints/query/${path}`, parameters, { "x-api-key": token });
  const { code, parameter } = await readError(response);
  return [response.status, code, parameter];
}

describe("an overview", () => {
  it("counts rows over time and by value, within the token's project", async () => {
    const { total, series, facets, ...rest } = await ask<OverviewAnswer>("logs.all/overview", {
      ...range,
      buckets: "6",
      split: "metadata.response.status_code",
      split_by: "class",
      facets: "metadata.request.method,metadata.response.status_code,metadata.secret_field",
    });
    expect(rest).toMatchObject({ is_truncated: false, bucket_us: 600_000_000 });
    expect(total).toBe(29);
    expect(series.map(({ value, counts }) => [value, counts.reduce((sum, each) => sum + each, 0)]).sort()).toEqual([
      ["2xx", 20],
      ["5xx", 9],
    ]);
    expect(facets[0]?.values).toEqual([
      { value: "POST", count: 15 },
      { value: "GET", count: 14 },
    ]);
    expect(facets[1]?.values).toEqual([
      { value: "200", count: 20 },
      { value: "500", count: 9 },
    ]);
    // A field of another project: none of its values appear.
    expect(facets[2]?.values).toEqual([{ value: null, count: 29 }]);
  });

  it("covers the rows of the caller's LQL or SQL query, ignoring its LIMIT", async () => {
    const facets = "metadata.request.method";
    const lql = await ask<OverviewAnswer>("logs.all/overview", {
      ...range,
      facets,
      lql: "m.response.status_code:500 s:event_message",
    });
    expect([lql.total, lql.facets[0]?.values.length]).toEqual([9, 2]);
    const sql = await ask<OverviewAnswer>("logs.all/overview", {
      ...range,
      facets: "method",
      sql:
        "select timestamp, metadata.request.method as method from edge_logs where event_message like '%500' " +
        "order by timestamp desc limit 1",
    });
    expect([sql.total, sql.facets[0]?.values.reduce((sum, { count }) => sum + count, 0)]).toEqual([9, 9]);
    const other = await ask<OverviewAnswer>("logs.all/overview", { ...range, table: "db_logs" });
    expect(other.total).toBe(0);
  });

  it("does not change the limit of an LQL query", async () => {
    expect(await ask<unknown[]>("logs.all", { lql: "s:id", limit: "7" })).toHaveLength(7);
  });

  it("excludes its start and includes its end", async () => {
    const first = { from: "2026-08-20T08:00:00Z", to: range.from, buckets: "1" };
    const { series } = await ask<OverviewAnswer>("logs.all/overview", first);
    expect(series).toEqual([{ value: null, counts: [1] }]);
  });

  it("shows redacted values when the call is redacted", async () => {
    const parameters = { ...range, project: "abc", facets: "metadata.request.headers.cf_connecting_ip" };
    const response = await service.get("/api/endpoints/query/logs.all/overview", parameters, {
      "x-api-key": privateToken,
      "LF-ENDPOINT-REDACT-PII": "true",
    });
    const { result } = (await response.json()) as { result: OverviewAnswer };
    expect(result.facets[0]?.values).toEqual([{ value: "REDACTED", count: 29 }]);
  });

  it("names the parameter that it refuses", async () => {
    expect(await refusal("logs.all/overview", { to: range.to })).toEqual([400, "missing_parameter", "from"]);
    expect(await refusal("logs.all/overview", { from: "soon", to: range.to })).toEqual([
      400,
      "invalid_parameter",
      "from",
    ]);
    expect(await refusal("logs.all/overview", { from: range.to, to: range.from })).toEqual([
      400,
      "invalid_parameter",
      "to",
    ]);
    for (const [name, value] of [
      ["buckets", "0"],
      ["values", "101"],
      ["split_by", "color"],
      ["facets", "a..b"],
    ] as const) {
      expect(await refusal("logs.all/overview", { ...range, [name]: value })).toEqual([400, "invalid_parameter", name]);
    }
    expect(await refusal("logs.all/overview", { ...range, table: "edge" })).toEqual([
      403,
      "sandbox_table_denied",
      undefined,
    ]);
    expect(await refusal("logs.all/overview", { ...range, table: "a` where true -- `" })).toEqual([
      403,
      "sandbox_table_denied",
      undefined,
    ]);
    expect(await refusal("logs.all/overview", { ...range, facets: "nothing" })).toEqual([
      400,
      "unknown_column",
      undefined,
    ]);
    expect(await refusal("logs.all/overview", { ...range, project: "other" })).toEqual([
      403,
      "pinned_parameter",
      "project",
    ]);
    expect(await refusal("usage.api-counts/overview", range)).toEqual([401, "insufficient_scope", undefined]);
    expect(await refusal("source:edge/overview", range)).toEqual([401, "insufficient_scope", undefined]);
  });
});

describe("the tables of an endpoint", () => {
  it("are listed with their fields for any token that may query the endpoint", async () => {
    const response = await service.get("/api/endpoints/query/logs.all/tables", {}, { "x-api-key": tenant });
    const { tables } = (await response.json()) as {
      tables: { name: string; is_default: boolean; aliases: string[]; fields: { path: string; type: string }[] }[];
    };
    expect(tables).toHaveLength(15);
    expect(tables[0]).toMatchObject({ name: "edge_logs", is_default: true, aliases: [] });
    expect(tables[1]?.aliases).toEqual(["postgres_logs"]);
    expect(tables[0]?.fields).toContainEqual({ path: "metadata.response.status_code", type: "INT64" });
  });
});

describe("the diagnostics of a query", () => {
  it("have positions and are answered with status 200", async () => {
    const good = await ask("logs.all/parse", { sql: "select id, timestamp from edge_logs" });
    expect(good).toEqual({
      is_valid: true,
      columns: [
        { name: "id", type: "STRING" },
        { name: "timestamp", type: "TIMESTAMP" },
      ],
      diagnostics: [],
      warnings: [],
    });
    const bad = await ask("logs.all/parse", { sql: "select idd from edge_logs" });
    expect(bad).toMatchObject({
      is_valid: false,
      diagnostics: [{ code: "unknown_column", line: 1, column: 8, end_column: 11 }],
    });
    const denied = await ask("logs.all/parse", { sql: "select 1 from edge" });
    expect(denied).toMatchObject({ diagnostics: [{ code: "sandbox_table_denied", column: 15 }] });
    const lql = await ask("logs.all/parse", { lql: "a:b:" });
    expect(lql).toMatchObject({ is_valid: false, diagnostics: [{ code: "invalid_lql", line: 1 }] });
  });

  it("warn of fields that none of the caller's events has, and suggest only fields of those events", async () => {
    const sql = "select 1 from edge_logs cross join unnest(metadata) m\nwhere m.secret_fild = 'x' or m.respnse is null";
    const told = await ask<{ is_valid: boolean; warnings: object[] }>("logs.all/parse", { sql });
    expect(told).toMatchObject({
      is_valid: true,
      warnings: [
        { message: "no event has carried m.secret_fild", line: 2, column: 9, end_column: 20 },
        { message: "no event has carried m.respnse; did you mean response?", line: 2 },
      ],
    });
    const owners = await ask<{ warnings: object[] }>(
      "source:edge/parse",
      { sql: sql.replace("edge_logs", "edge") },
      privateToken,
    );
    expect(owners.warnings[0]).toMatchObject({
      message: "no event has carried m.secret_fild; did you mean secret_field?",
    });
  });

  it("reveal nothing about the endpoint's own text", async () => {
    expect(await ask("logs.all/parse", {})).toMatchObject({ is_valid: true, warnings: [] });
  });
});

describe("the rows around a row", () => {
  it("are its neighbours in time, newest first, with the row itself in the middle", async () => {
    const at = "2026-08-20T09:10:00Z";
    const rows = await ask<{ id: string }[]>("logs.all/around", { timestamp: at, id: "abc-600", count: "2" });
    expect(rows.map(({ id }) => id)).toEqual(["abc-720", "abc-660", "abc-600", "abc-540", "abc-480"]);
    const filtered = { timestamp: at, id: "abc-600", count: "1", lql: "m.response.status_code:500" };
    expect((await ask<{ id: string }[]>("logs.all/around", filtered)).map(({ id }) => id)).toEqual([
      "abc-720",
      "abc-540",
    ]);
    expect(await refusal("logs.all/around", { timestamp: at })).toEqual([400, "missing_parameter", "id"]);
  });
});

describe("a source addressed as an endpoint", () => {
  it("answers its owner like any other endpoint", async () => {
    const rows = await ask<{ id: string }[]>("source:edge", { lql: "m.request.method:BREW" }, privateToken);
    expect(rows.map(({ id }) => id)).toEqual(["other-61"]);
    const { total } = await ask<OverviewAnswer>("source:edge/overview", range, privateToken);
    expect(total).toBe(30);
    const bounded = await ask<unknown[]>(
      "source:edge",
      { iso_timestamp_start: range.from, iso_timestamp_end: "2026-08-20T09:02:00Z" },
      privateToken,
    );
    expect(bounded).toHaveLength(3);
    const audit = await ask<unknown[]>("source:logweir.audit", { sql: "select * from `logweir.audit`" }, privateToken);
    expect(audit.length).toBeGreaterThanOrEqual(0);
    expect(await refusal("source:none", {}, privateToken)).toEqual([404, "unknown_source", undefined]);
  });
});

describe("the session", () => {
  it("describes what a token may do, and nothing else", async () => {
    const read = async (token: string) =>
      (await service.get("/api/session", {}, { "x-api-key": token })).json() as Promise<Record<string, never>>;
    const mine = await read(tenant);
    expect(mine).toMatchObject({
      token: { pins: { project: "abc" } },
      may: { query: true, manage: false, ingest: false, metrics: false },
      sources: [],
      ingest_sources: [],
    });
    expect(mine.endpoints).toMatchObject([{ name: "logs.all", sandbox: true }]);
    expect(JSON.stringify(mine.endpoints)).not.toContain('"project"');
    const owner = await read(privateToken);
    expect(owner).toMatchObject({ may: { query: true, manage: true, ingest: true, metrics: true } });
    expect(owner.sources).toContain("edge");
    expect((await service.get("/api/session", {}, {})).status).toBe(401);
  });
});

describe("the catalogue", () => {
  it("lists the functions with their signatures and has an entity tag", async () => {
    const response = await service.get("/api/catalogue", {}, { "x-api-key": tenant });
    const { functions } = (await response.json()) as { functions: { name: string; summary: string }[] };
    expect(functions.length).toBeGreaterThan(250);
    expect(functions).toContainEqual(
      expect.objectContaining({ name: "COUNTIF", kind: "aggregate", signatures: ["(BOOL) -> INT64"] }),
    );
    const etag = response.headers.get("etag") ?? "";
    const again = await service.get("/api/catalogue", {}, { "x-api-key": tenant, "if-none-match": etag });
    expect(again.status).toBe(304);
  });
});

describe("statistics", () => {
  const read = async (path: string, token = privateToken) =>
    service.get(`/api/statistics/${path}`, {}, { "x-api-key": token });

  it("count endpoint calls from the audit", async () => {
    await ask("logs.all", {});
    expect(await refusal("logs.all", { sql: "select nope from edge_logs" })).toEqual([
      400,
      "unknown_column",
      undefined,
    ]);
    await expect
      .poll(async () => (await (await read("endpoints")).json()) as object)
      .toMatchObject({
        is_recorded: true,
        endpoints: expect.arrayContaining([
          expect.objectContaining({ endpoint: "logs.all", calls: expect.any(Number), p95_ms: expect.any(Number) }),
        ]),
      });
    expect((await service.get("/api/statistics/endpoints", { since: "1 day" })).status).toBe(400);
  });

  it("count a caller that disconnected as a call with status 499, not as an error", async () => {
    const sql =
      "select count(*) as n from unnest(generate_array(1, 200000)) as a cross join unnest(generate_array(1, 200000)) as b";
    const leaving = new AbortController();
    const call = fetch(
      `${service.url}/api/endpoints/query/usage.api-counts?${new URLSearchParams({ project: "default", interval: "hourly", sql })}`,
      { headers: { "x-api-key": privateToken }, signal: leaving.signal },
    );
    const left = expect(call).rejects.toThrow();
    await expect.poll(async () => (await service.get("/metrics")).text()).toMatch(/^logweir_queries_running 1$/m);
    leaving.abort();
    await left;
    const recorded = `select metadata.status as status, metadata.outcome as outcome from \`logweir.audit\`
      where metadata.endpoint = 'usage.api-counts'`;
    await expect
      .poll(async () => (await service.get("/api/query", { sql: recorded })).json())
      .toMatchObject({ result: [{ status: 499, outcome: "caller_gone" }] });
    expect(await (await read("endpoints")).json()).toMatchObject({
      endpoints: expect.arrayContaining([
        expect.objectContaining({ endpoint: "usage.api-counts", calls: 1, errors: 0 }),
      ]),
    });
  });

  it("report what became of the events of a source, with the reasons for rejections", async () => {
    const post = (body: string) =>
      fetch(`${service.url}/api/logs?source_name=db`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": privateToken },
        body,
      });
    await post('[{"event_message":"good"},"bad",{"event_message":"untimed","timestamp":"nonsense"}]');
    await post("{");
    const { sources } = (await (await read("sources")).json()) as { sources: { source: string; reasons: object[] }[] };
    const db = sources.find(({ source }) => source === "db");
    expect(db).toMatchObject({ stored: 2, rejected: 1, refused_bodies: 1, untimed: 1, lag_ms: expect.any(Number) });
    expect(db?.reasons).toMatchObject([
      { count: 1 },
      { reason: expect.stringContaining("not a JSON object"), count: 1 },
    ]);
  });

  it("are for owners only", async () => {
    for (const path of ["endpoints", "sources"]) expect((await read(path, tenant)).status).toBe(401);
  });
});

describe("the tests of an endpoint", () => {
  it("run over the API, and their last result can be read afterwards", async () => {
    const url = `${service.url}/api/endpoints/usage.api-counts/tests`;
    const headers = { "x-api-key": privateToken };
    expect(await (await fetch(url, { headers })).json()).toEqual({ has_tests: true, last: null });
    const ran = (await (await fetch(url, { method: "POST", headers })).json()) as { last: { tests: object[] } };
    expect(ran).toMatchObject({ has_tests: true, last: { failed: 0 } });
    expect(ran.last.tests.length).toBeGreaterThan(2);
    expect(await (await fetch(url, { headers })).json()).toEqual(ran);
    expect((await fetch(url, { method: "POST", headers: { "x-api-key": tenant } })).status).toBe(401);
  });
});
