import { describe, expect } from "vitest";
import { codeOf, manage } from "./manage.ts";
import { readError, type Service } from "./service.ts";
import { it } from "./shared-service.ts";

const project = "lists";
let service: Service;

const events = [
  { id: "none", list: undefined },
  { id: "one", list: { k: 1, name: "a" } },
  {
    id: "two",
    list: [
      { k: 1, name: "a" },
      { k: 2, name: "b", ip: "5.6.7.8", tags: ["x", "y"], parts: [{ n: 1 }, { n: 7, deep: { word: "end" } }] },
    ],
  },
  { id: "bare", list: [{ other: 1 }, { other: 2 }], mixed: [1, "text", { k: 3 }, null] },
];

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  await service.ingest(
    "edge",
    events.map(({ id, list, mixed }, index) => ({
      id,
      timestamp: `2026-08-20T09:00:0${index}Z`,
      project,
      event_message: id,
      identifier: project,
      metadata: { list, mixed, user: { name: id, plan: "free" }, request: { method: "GET" } },
    })),
  );
});

async function ids(lql: string, headers: Record<string, string> = {}): Promise<readonly unknown[]> {
  const rows = await service.rows("logs.all", { project, lql: `f:edge_logs ${lql} s:id` }, headers);
  return rows.map((row) => row.id).sort();
}

describe("an LQL path through a list of objects", () => {
  it.each([
    ["m.list.k:2", ["two"]],
    ["m.list.k:1", ["one", "two"]],
    ["m.list.k:2..5", ["two"]],
    ["m.list.k:>1", ["two"]],
    ["m.list.name:b", ["two"]],
    ['m.list.name:~"^b"', ["two"]],
    ['m.list.tags:@>"y"', ["two"]],
    ['m.list.tags:@>~"^z"', []],
    ["m.list.parts.n:7", ["two"]],
    ["m.list.parts.deep.word:end", ["two"]],
    ["-m.list.k:2", ["bare", "none", "one"]],
    ["-m.list.parts.n:7", ["bare", "none", "one"]],
    ["m.list.k:NULL", ["bare", "none"]],
    ["-m.list.k:NULL", ["one", "two"]],
    ["m.list:NULL", ["none"]],
    ["m.list.k:2 m.list.k:1", ["two"]],
    ["m.list.k:2 OR m.list.other:2", ["bare", "two"]],
    ["m.list.nothing:2", []],
    ["m.user.plan:free m.list.k:2", ["two"]],
  ])("matches any element: %s", async (lql, expected) => {
    expect(await ids(lql)).toEqual(expected);
  });

  it("counts a row once in a chart, however many elements match", async () => {
    const rows = await service.rows("logs.all", { project, lql: "m.list.k:>0 c:count(*) c:group_by(t::hour)" });
    expect(rows.map((row) => row.count)).toEqual([2]);
  });

  it("works the same in an owner's query over a source", async () => {
    const { body } = await manage(service, "POST", "/api/query", { lql: `f:edge project:${project} m.list.k:2 s:id` });
    expect(body).toMatchObject({ result: [{ id: "two" }] });
  });

  it("reads redacted values", async () => {
    expect(await ids('m.list.ip:"5.6.7.8"')).toEqual(["two"]);
    expect(await ids('m.list.ip:"5.6.7.8"', { "lf-endpoint-redact-pii": "true" })).toEqual([]);
    expect(await ids("m.list.ip:REDACTED m.list.k:2", { "lf-endpoint-redact-pii": "true" })).toEqual(["two"]);
  });

  it("skips elements that are not objects", async () => {
    expect(await ids("m.mixed.k:3")).toEqual(["bare"]);
    expect(await ids("m.mixed.k:4")).toEqual([]);
  });
});

describe("an LQL condition on a field that holds objects", () => {
  it.each([
    ["m.user:x", []],
    ["m.list:>1", []],
    ['m.list:@>"x"', []],
    ["-m.list:1..2", ["bare", "none", "one", "two"]],
  ])("%s matches no value and fails for no event", async (lql, expected) => {
    expect(await ids(lql)).toEqual(expected);
  });
});

describe("an LQL condition on a declared object", () => {
  it.each([
    ["m.request:x", 1, "metadata.request is an object", "metadata.request."],
    ["error -m.request:1..2", 8, "metadata.request is an object", "metadata.request."],
    ["m:x", 1, "metadata is an object", "metadata."],
  ])("%s is refused with its path and fields", async (lql, column, message, fields) => {
    const response = await service.get("/api/endpoints/query/logs.all", { project, lql });
    const error = await readError(response);
    expect(error).toMatchObject({ status: 400, code: "type_mismatch", line: 1, column });
    expect(error.message).toContain(message);
    expect(error.message).toContain(fields);
    expect(error.message).not.toContain("STRUCT");
  });

  it("is refused in an owner's query too", async () => {
    expect(codeOf(await manage(service, "POST", "/api/query", { lql: "f:edge m.request:x" }))).toBe(
      "400 type_mismatch",
    );
  });
});
