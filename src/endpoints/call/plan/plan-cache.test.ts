import { beforeEach, describe, expect, it } from "vitest";
import { emptyQuery } from "../../../../test/support/fake-engine.ts";
import type { TableDefinition } from "../../../googlesql/relation.ts";
import { arrayOf, INT64, STRING } from "../../../googlesql/types.ts";
import type { Endpoint } from "../../definition/definition.ts";
import { draftEndpoint } from "../../definition/draft-endpoint.ts";
import { parseEndpointFile } from "../../definition/parse-endpoint.ts";
import type { CallTenants, ConsumerQuery, Planner } from "./plan.ts";
import { createPlanner } from "./planner.ts";

const idOf = (last: number) => `0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c${String(last).padStart(2, "0")}`;

function endpointOf(sql: string, last = 11, name = "saved"): Endpoint {
  const parsed = parseEndpointFile(
    `/*---\nid: ${idOf(last)}\nname: ${name}\nsandbox: true\n---*/\n${sql}`,
    `${name}.sql`,
  );
  if ("problems" in parsed) throw new Error(parsed.problems[0]?.message);
  return draftEndpoint(parsed.definition);
}

const tableOf = (...fields: readonly string[]): TableDefinition => ({
  name: "edge",
  isLenient: true,
  columns: ["id", ...fields].map((name) => ({ name, type: STRING })),
});

/** Tables and endpoints as the test sets them, and the number of compilations. */
let tables: Map<string, TableDefinition>;
let endpoints: Map<string, Endpoint>;
let compiled: number;
let planner: Planner;

beforeEach(() => {
  tables = new Map([["edge", tableOf()]]);
  endpoints = new Map();
  compiled = 0;
  planner = createPlanner({
    engine: {
      compile: (query) => {
        compiled++;
        const found = new Set<string>();
        JSON.stringify(query, (key, value: unknown) => {
          if (key === "table") found.add((value as TableDefinition).name);
          return value;
        });
        return { ...emptyQuery, sql: `SELECT ${compiled}`, tables: [...found] };
      },
    },
    tables: {
      findTable: (name, tenant) => tables.get(tenant === undefined ? name : `${name} of ${tenant}`) ?? tables.get(name),
      tableNames: () => [...tables.keys()],
    },
    endpoints: { findByName: (name) => endpoints.get(name), names: () => [...endpoints.keys()] },
    nowMs: () => 0,
  });
});

const target = endpointOf("WITH logs AS (SELECT * FROM edge) SELECT * FROM logs");
const consumer: ConsumerQuery = { language: "sql", text: "SELECT id FROM logs" };

type Asked = Parameters<Planner["plan"]>;

/** Plans twice and checks that the second plan came from the cache. */
function planCached(...asked: Asked) {
  const plan = planner.plan(...asked);
  const before = compiled;
  expect(planner.plan(...asked).sql).toBe(plan.sql);
  expect(compiled).toBe(before);
  expect(plan.isCurrent?.()).toBe(true);
  return plan;
}

describe("a plan", () => {
  const own: Asked = [target, undefined, undefined];
  const bound: CallTenants = { readValue: () => undefined, bound: { parameter: "project", tenant: "a" } };
  const others: readonly (readonly [string, Asked, Asked])[] = [
    ["another endpoint", own, [endpointOf("SELECT * FROM edge", 12), undefined, undefined]],
    ["the same endpoint, changed", own, [{ ...target }, undefined, undefined]],
    ["another number of rows", own, [target, undefined, 5]],
    ["no number of rows", [target, undefined, 5], own],
    ["a consumer's query", own, [target, consumer, undefined]],
    [
      "another text",
      [target, consumer, undefined],
      [target, { ...consumer, text: "SELECT id FROM logs LIMIT 1" }, undefined],
    ],
    ["redaction", [target, consumer, undefined], [target, { ...consumer, redactsPii: true }, undefined]],
    ["another depth", [target, consumer, undefined], [target, { ...consumer, maxDepth: 9 }, undefined]],
    [
      "a followed page",
      [endpointOf("SELECT id, timestamp FROM edge ORDER BY timestamp DESC"), undefined, undefined, [false]],
      [endpointOf("SELECT id, timestamp FROM edge ORDER BY timestamp DESC"), undefined, undefined, [true]],
    ],
  ];
  it.each(others)("is cached, but not reused for %s", (_, first, second) => {
    const plan = planCached(...first);
    const before = compiled;
    expect(planner.plan(...second).sql).not.toBe(plan.sql);
    expect(compiled).toBe(before + 1);
  });

  it("for a call that a pin binds to a tenant is separate from that of an unbound call", () => {
    const free = planCached(target, undefined, undefined);
    expect(() => planner.plan(target, undefined, undefined, undefined, bound)).toThrow("no tenants");
    expect(planner.plan(target, undefined, undefined).sql).toBe(free.sql);
  });

  it("is not cached when LQL times depend on the clock", () => {
    tables.set("edge", {
      name: "edge",
      isLenient: true,
      columns: ["id", "timestamp", "event_message", "metadata"].map((name) => ({ name, type: STRING })),
    });
    const lql: ConsumerQuery = { language: "lql", text: "id:a" };
    expect(planner.plan(target, lql, undefined).isCurrent).toBeUndefined();
    planner.plan(target, lql, undefined);
    expect(compiled).toBe(2);
  });
});

describe("a cached plan", () => {
  const ends: readonly (readonly [string, string, () => void])[] = [
    ["when a table has got new fields", "SELECT * FROM edge", () => tables.set("edge", tableOf("fresh"))],
    [
      "when a table is another object, though it looks the same",
      "SELECT * FROM edge",
      () => tables.set("edge", tableOf()),
    ],
    [
      "when an endpoint that it reads has changed",
      "SELECT * FROM view",
      () => endpoints.set("view", endpointOf("SELECT 2 AS n FROM edge", 13, "view")),
    ],
    [
      "when a source takes the name of the endpoint that it reads",
      "SELECT * FROM view",
      () => tables.set("view", { ...tableOf(), name: "view" }),
    ],
  ];
  it.each(ends)("becomes outdated %s", (_, sql, end) => {
    endpoints.set("view", endpointOf("SELECT id FROM edge", 12, "view"));
    const endpoint = endpointOf(sql);
    const plan = planCached(endpoint, undefined, undefined);
    end();
    expect(plan.isCurrent?.()).toBe(false);
    expect(planner.plan(endpoint, undefined, undefined).sql).not.toBe(plan.sql);
    planCached(endpoint, undefined, undefined);
  });

  it("stays current when a table that it does not read changes", () => {
    tables.set("other", { name: "other", columns: [{ name: "n", type: arrayOf(INT64) }] });
    const plan = planCached(target, undefined, undefined);
    tables.set("other", { name: "other", columns: [] });
    expect(plan.isCurrent?.()).toBe(true);
    expect(planner.plan(target, undefined, undefined).sql).toBe(plan.sql);
  });

  it("becomes current again when a table returns to its earlier definition", () => {
    const [first, second] = [tableOf(), tableOf("fresh")];
    tables.set("edge", first);
    const plan = planCached(target, undefined, undefined);
    tables.set("edge", second);
    expect(planner.plan(target, undefined, undefined).sql).not.toBe(plan.sql);
    tables.set("edge", first);
    expect(planner.plan(target, undefined, undefined).sql).toBe(plan.sql);
    expect(plan.isCurrent?.()).toBe(true);
  });
});
