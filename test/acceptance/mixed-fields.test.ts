import { tableFromIPC } from "@uwdata/flechette";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenApiDocument } from "../../src/openapi/open-api-document.ts";
import { create, manage } from "./manage.ts";
import { type Service, startService } from "./service.ts";

const project = "odd";
let service: Service;

/** Values that one project sent at `metadata.x`, one shape an event. */
const values: readonly unknown[] = [
  200,
  "200",
  "from 203.0.113.9",
  1.5,
  true,
  [1, "203.0.113.9"],
  { ip: "203.0.113.9" },
  [{ n: 1 }, { n: 2 }],
];

beforeAll(async () => {
  service = await startService();
  await service.ingest(
    "edge",
    values.map((x, n) => ({
      id: `e${n}`,
      timestamp: `2026-08-20T09:00:0${n}Z`,
      project,
      event_message: `${n}`,
      identifier: project,
      metadata: { n, x },
    })),
  );
  await create(service, {
    name: "odd.values",
    query: "select m.n, m.x from edge t cross join unnest(metadata) m order by m.n",
    parameters: {},
  });
  await create(service, {
    name: "odd.pages",
    query:
      "select t.timestamp, t.id, m.x from edge t cross join unnest(metadata) m order by t.timestamp desc, m.x limit 3",
    parameters: {},
  });
});

afterAll(async () => {
  await service.stop();
});

async function ids(lql: string): Promise<readonly unknown[]> {
  const rows = await service.rows("logs.all", { project, lql: `f:edge_logs ${lql} s:id` });
  return rows.map((row) => row.id).sort();
}

async function bytesOf(format: string): Promise<Uint8Array> {
  const response = await service.get("/api/endpoints/query/odd.values", { format });
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

describe("a field with values of several types", () => {
  it("appears in JSON as it was sent, with a record as an array of one object", async () => {
    const rows = await service.rows("odd.values", {});
    expect(rows.map(({ x }) => x)).toEqual(values.map((x, n) => (n === 6 ? [x] : x)));
  });

  it("is text in CSV and in Arrow", async () => {
    const texts = ["200", "200", "from 203.0.113.9", "1.5", "true", '[1,"203.0.113.9"]', '[{"ip":"203.0.113.9"}]'];
    const csv = new TextDecoder().decode(await bytesOf("csv"));
    expect(csv.split("\r\n").slice(0, 7)).toEqual([
      "n,x",
      ...["0,200", "1,200", "2,from 203.0.113.9", "3,1.5", "4,true", '5,"[1,""203.0.113.9""]"'],
    ]);
    const arrow = tableFromIPC(await bytesOf("arrow")).toArray() as readonly Record<string, unknown>[];
    expect(arrow.slice(0, 7).map(({ x }) => x)).toEqual(texts);
  });

  it.each([
    ["m.x:200", ["e0", "e1"]],
    ['m.x:"200"', ["e0", "e1"]],
    ["m.x:1.5", ["e3"]],
    ["m.x:>4", ["e0", "e1"]],
    ["m.x:1..300", ["e0", "e1", "e3"]],
    ['m.x:~"^2"', ["e0", "e1"]],
    ["m.x:true", ["e4"]],
    ['m.x:@>"200"', ["e0", "e1"]],
    ['m.x:@>"203.0.113.9"', ["e5"]],
    ["m.x:NULL", []],
    ["m.x.ip:203.0.113.9", ["e6"]],
    ["m.x.n:2", ["e7"]],
    ["-m.x:200", ["e2", "e3", "e4", "e5", "e6", "e7"]],
  ])("matches the LQL condition %s", async (lql, expected) => {
    expect(await ids(lql)).toEqual(expected);
  });

  it("is redacted in every text that it holds, before any expression reads it", async () => {
    const headers = { "LF-ENDPOINT-REDACT-PII": "true" };
    const rows = await service.rows("odd.values", {}, headers);
    expect(rows.map(({ x }) => x)).toEqual([
      ...[200, "200", "from REDACTED", 1.5, true, [1, "REDACTED"], [{ ip: "REDACTED" }]],
      [{ n: 1 }, { n: 2 }],
    ]);
    for (const expression of ["upper(m.x)", "to_json_string(m.x)", "m.x.ip", "format('%t', m.x)", "max(m.x)"]) {
      const sql =
        `select ${expression} as v from edge_logs t cross join unnest(metadata) m ` +
        `${expression === "max(m.x)" ? "group by m.n" : ""}`;
      const read = await service.rows("logs.all", { project, sql }, headers);
      expect(JSON.stringify(read)).not.toContain("203.0");
    }
    const sql = "select count(*) as c from edge_logs t cross join unnest(metadata) m where m.x like '%203%'";
    expect(await service.rows("logs.all", { project, sql }, headers)).toEqual([{ c: 0 }]);
  });

  it("prevents pagination of a query that is ordered by it", async () => {
    const response = await service.get("/api/endpoints/query/odd.pages");
    expect(response.status).toBe(200);
    expect(response.headers.get("link")).toBeNull();
  });

  it("has the type of any value in contracts, OpenAPI and the source's schema", async () => {
    const { body } = await manage(service, "GET", "/api/endpoints/odd.values");
    expect(JSON.stringify(body)).toContain('{"name":"x","type":"MIXED"}');
    const schema = await manage(service, "GET", "/api/sources/edge/schema");
    expect((schema.body as { readonly fields: readonly object[] }).fields).toEqual(
      expect.arrayContaining([
        { path: "metadata.x", type: "MIXED" },
        { path: "metadata.x.n", type: "INT64" },
      ]),
    );
    const openApi = (await manage(service, "GET", "/api/openapi.json")).body as unknown as OpenApiDocument;
    expect(JSON.stringify(openApi)).toContain('"x":{"description":"MIXED: each row\'s own value, of any shape"}');
  });

  it("cannot be the type of a parameter or of a CAST", async () => {
    const declared = { name: "odd.bad", query: "select @p as p", parameters: { p: { type: "mixed" } } };
    expect((await manage(service, "POST", "/api/endpoints", declared)).status).toBe(422);
    const cast = { sql: "select cast(1 as mixed)" };
    expect((await manage(service, "POST", "/api/query", cast)).status).toBe(400);
  });
});
