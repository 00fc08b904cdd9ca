import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseQuery } from "../../../googlesql/parse.ts";
import { resolveQuery } from "../../../googlesql/resolve.ts";
import { BOOL, FLOAT64, formatType, INT64, STRING } from "../../../googlesql/types.ts";
import type { EventValue, LogEvent, SourceDefinition } from "../../contract/query-engine.ts";
import { schemaLimitsFor } from "../../schema/grant-entries.ts";
import { defaultStoreLimits, type StoreLimits } from "../../schema/source/store-limits.ts";
import { compileQuery } from "../compile/compile.ts";
import { openCore } from "../host/core.ts";
import type { EngineHost } from "../host/protocol.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "./store.ts";

const signal = new AbortController().signal;
const memoryLimitBytes = 256 * 1024 ** 2;
const edge: SourceDefinition = {
  name: "edge",
  tenantField: "project",
  knownFields: [
    { path: "project", type: STRING },
    { path: "origin_time", type: INT64 },
    { path: "metadata.request.path", type: STRING },
    { path: "metadata.status", type: INT64 },
  ],
};

describe("a source with tenants", () => {
  const closers: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function open(directory?: string, limits: Partial<StoreLimits["schema"]> = {}, definition = edge) {
    const { host, sources } = await openCore(
      {
        threads: 1,
        memoryLimitBytes,
        checkpointBytes: 1024 ** 2,
        compaction: { minRows: 10, maxRows: 5000 },
        ...(directory === undefined ? {} : { directory }),
      },
      { onFatal: () => expect.unreachable(), onProblem: () => expect.unreachable() },
    );
    let isOpen = true;
    const close = async () => {
      if (isOpen) await host.close();
      isOpen = false;
    };
    closers.push(close);
    const schema = { ...defaultStoreLimits.schema, ...limits };
    const failing = { isOn: false };
    const append: EngineHost["append"] = async (...call) => {
      if (failing.isOn) throw new Error("the disk is full");
      return host.append(...call);
    };
    const [addEntries, createSources, defineSource] = [host.addEntries, host.createSources, host.defineSource];
    const methods = { addEntries, createSources, defineSource };
    const bound = Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, method.bind(host)]));
    const store = new DuckDbStore(() => ({ ...bound, append }) as EngineHost, {
      limits: { ...defaultStoreLimits, schema },
    });
    store.load({ sources });
    await store.ensureSource(definition);
    let made = 0;
    const send = (...fields: readonly { readonly [field: string]: EventValue }[]) => {
      const events = fields.map((one): LogEvent => {
        const { id = `made ${made++}`, ...others } = one;
        return { id: String(id), hasGeneratedId: false, timestampUs: BigInt(made), eventMessage: null, fields: others };
      });
      return store.append("edge", events, signal);
    };
    const query = async (text: string, tenant?: string | null) => {
      const tables = { findTable: (name: string) => store.describe(name, tenant), tableNames: () => ["edge"] };
      const resolved = resolveQuery(parseQuery(text), text, { tables, parameters: new Map() });
      const compiled = compileQuery(resolved, store.layoutOf, { text });
      const bounds = { timeoutMs: 60_000, maxRows: 1000, maxResultBytes: 1_000_000 };
      const request = { query: compiled, values: [], encoding: "objects", limits: bounds, signal } as const;
      const { batches } = await runQuery(host, request);
      const rows: unknown[] = [];
      for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as unknown[]));
      return rows;
    };
    const view = (tenant?: string | null) =>
      Object.fromEntries(
        store.describe("edge", tenant)?.columns.map(({ name, type }) => [name, formatType(type)]) ?? [],
      );
    return { store, close, send, query, view, failing };
  }

  function folder(): string {
    const directory = mkdtempSync(join(tmpdir(), "logweir-tenants-"));
    closers.push(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
  }

  const declared = {
    timestamp: "TIMESTAMP",
    id: "STRING",
    event_message: "STRING",
    project: "STRING",
    origin_time: "INT64",
    metadata: "ARRAY<STRUCT<request ARRAY<STRUCT<path STRING>>, status INT64>>",
  };

  it("shows owners all fields, a tenant its own and the declared ones, and others the declared ones", async () => {
    const { send, view, store } = await open();
    await send({ project: "a", dur: 5 }, { project: "b", dur: { a: 1 }, metadata: { secret: "x" } });
    expect(view("a")).toEqual({ ...declared, dur: "INT64" });
    expect(view("never")).toEqual(declared);
    expect(view(null)).toEqual(declared);
    expect(Object.keys(view())).toEqual([...Object.keys(declared), "dur"]);
    expect(store.describe("edge", "never")).toBe(store.describe("edge", null));
  });

  it("returns the same description while a tenant's fields are unchanged, shared by equal tenants", async () => {
    const { send, store } = await open();
    await send({ project: "a", x: 1 }, { project: "b", x: 2 });
    const before = store.describe("edge", "a");
    expect(store.describe("edge", "b")).toBe(before);
    await send({ project: "c", y: 1, metadata: { z: [{ q: 1 }, { q: 2 }] } }, { project: "b", y: 1 });
    expect(store.describe("edge", "a")).toBe(before);
    expect(store.describe("edge", "b")).not.toBe(before);
  });

  it("isolates a tenant's values from the shapes of other tenants' values", async () => {
    const { send, query } = await open();
    await send({ project: "a", dur: 1, list: [1, 2], metadata: { status: 200, sub: { n: 1 } } });
    await send({ project: "b", dur: { a: 1 }, list: { z: 1 }, metadata: { sub: [{ n: "x" }, { n: 2.5 }], more: [] } });
    await send({ project: "b", dur: "text", metadata: { sub: "x", status: "none" } });
    await send({ project: "a", dur: 2, list: [3], metadata: { status: "404", sub: { n: 2 } } });
    const text = `SELECT t.dur, t.list, m.status, s.n FROM edge t CROSS JOIN UNNEST(metadata) m CROSS JOIN UNNEST(m.sub) s
      WHERE project = 'a' ORDER BY t.dur`;
    expect(await query(text, "a")).toEqual([
      { dur: 1, list: [1, 2], status: 200, n: 1 },
      { dur: 2, list: [3], status: 404, n: 2 },
    ]);
  });

  it("restores the fields of each tenant after a restart, and adds new ones with an append", async () => {
    const directory = folder();
    const first = await open(directory);
    await first.send({ project: "a", x: 1, metadata: { deep: { er: true } } }, { project: "b", y: "t" });
    await first.send({ project: "a", x: 2.5 });
    const views = [first.view("a"), first.view("b"), first.view()];
    await first.close();
    const second = await open(directory);
    expect([second.view("a"), second.view("b"), second.view()]).toEqual(views);
    await second.send({ project: "b", z: 1 });
    expect(second.view("b")).toEqual({ ...declared, y: "STRING", z: "INT64" });
  });

  it("stores an id once for each tenant and once without a tenant", async () => {
    const { send, query } = await open();
    const one = { id: "same" };
    expect(await send({ ...one, project: "a" }, { ...one, project: "b" }, one)).toMatchObject({
      stored: 3,
      repeated: 0,
    });
    expect(await send({ ...one, project: "a" }, one, { ...one, project: "c" })).toMatchObject({
      stored: 1,
      repeated: 2,
    });
    expect(await query("SELECT project FROM edge WHERE id = 'same' ORDER BY project")).toEqual([
      { project: null },
      { project: "a" },
      { project: "b" },
      { project: "c" },
    ]);
  });

  it("returns each tenant's own text if two tenants have the same id", async () => {
    const { send, query } = await open();
    for (const project of ["a", "b"]) {
      await send(...Array.from({ length: 3 }, (_, i) => ({ id: `${i}`, project, metadata: { whose: project } })));
    }
    for (let round = 0; round < 4; round++) {
      for (const project of ["a", "b"]) {
        const text = `SELECT id, timestamp, metadata FROM edge WHERE project = '${project}' ORDER BY timestamp DESC LIMIT 2`;
        const rows = (await query(text, project)) as { metadata: unknown }[];
        expect(rows.map(({ metadata }) => metadata)).toEqual([[{ whose: project }], [{ whose: project }]]);
      }
      const all = (await query("SELECT id, timestamp, metadata FROM edge ORDER BY timestamp DESC LIMIT 9")) as {
        metadata: unknown;
      }[];
      const own = all.map(({ metadata }) => JSON.stringify(metadata)).sort();
      expect(own).toEqual(["a", "a", "a", "b", "b", "b"].map((whose) => JSON.stringify([{ whose }])));
    }
  });

  it("converts values to the declared type without loss, and reads and counts all others as NULL", async () => {
    const { send, query, store } = await open();
    const values: EventValue[] = [200, "200", "abc", 1.5, true, { x: 1 }, [1], [{ x: 1 }], 9007199254740993n, "007"];
    const result = await send(
      ...values.map((origin_time) => ({ project: "a", origin_time, metadata: { status: origin_time } })),
    );
    expect(result).toMatchObject({ stored: 10, mistyped: 12 });
    const text = "SELECT origin_time, m.status FROM edge CROSS JOIN UNNEST(metadata) m ORDER BY timestamp, id";
    const expected = [200, 200, null, null, null, null, null, null, "9007199254740993", 7];
    for (const tenant of ["a", undefined, null]) {
      expect(await query(text, tenant)).toEqual(expected.map((n) => ({ origin_time: n, status: n })));
    }
    expect(await query("SELECT DISTINCT project FROM edge", "a")).toEqual([{ project: "a" }]);
    expect(store.describe("edge", "a")?.columns.some(({ name }) => name === "_origin_time")).toBe(true);
  });

  it("stores a value in the place of a declared record under another name, and a tenant that is not text", async () => {
    const { send, query } = await open();
    const sent = await send(
      { project: { a: 1 }, metadata: "x" },
      { project: [1, 2], metadata: [1] },
      { project: "a", metadata: { request: "none", status: 1 } },
      { project: 5, metadata: [{ request: { path: 7 } }] },
    );
    expect(sent.mistyped).toBe(5);
    expect(
      await query(
        "SELECT project, ARRAY_LENGTH(metadata) AS n, m.status, r.path FROM edge LEFT " +
          "JOIN UNNEST(metadata) m LEFT JOIN UNNEST(m.request) r ORDER BY timestamp, id",
      ),
    ).toEqual([
      { project: null, n: null, status: null, path: null },
      { project: null, n: null, status: null, path: null },
      { project: "a", n: 1, status: 1, path: null },
      { project: "5", n: 1, status: null, path: "7" },
    ]);
    expect(await query("SELECT metadata FROM edge WHERE project = 'a'")).toEqual([
      { metadata: [{ _request: "none", status: 1 }] },
    ]);
  });

  it("treats names that differ by case as one field, and separates two within one event", async () => {
    const { send, query, view } = await open();
    await send({ Project: "a", Metadata: { Request: { PATH: "/1" }, userId: 1 }, Level: "x" });
    await send({ project: "a", metadata: { request: { path: "/2" }, UserID: 2, userid: 3 }, level: "y" });
    await send({ PROJECT: "no", project: "a", level: "z", LEVEL: "w" });
    expect(
      await query(
        "SELECT project, level, m.userid, r.path FROM edge LEFT JOIN UNNEST(metadata) m LEFT " +
          "JOIN UNNEST(m.request) r ORDER BY timestamp, id",
        "a",
      ),
    ).toEqual([
      { project: "a", level: "x", userid: 1, path: "/1" },
      { project: "a", level: "y", userid: 2, path: "/2" },
      { project: "a", level: "z", userid: null, path: null },
    ]);
    expect(Object.keys(view("a")).slice(6)).toEqual(["_LEVEL", "_PROJECT", "Level"]);
  });

  it.each([
    ["stored in columns", {}],
    ["stored in the JSON alone", { maxColumns: 10 }],
    ["in records with more fields than are listed", { maxColumns: 10, maxTenantFields: 12 }],
  ])("returns the values of all spellings of a field %s", async (_, limits) => {
    const { send, query } = await open(undefined, limits);
    const spellings = ["user", "USER", "uSER", "Uuid"];
    const rows = spellings.map((name, index) => {
      const lists = [
        { [name]: index, [name.toUpperCase()[0] === "U" ? "Deep" : "deep"]: { [name]: `d${index}` } },
        { [name]: 9 },
      ];
      return {
        project: "a",
        id: String(index),
        metadata: { [name]: { [name]: { [name]: index } }, lists },
        [name]: 1.5,
      };
    });
    await send(...rows);
    const from = "FROM edge, UNNEST(metadata) m";
    const deep = `SELECT id, m.user.user.user AS v, uSeR AS top ${from} WHERE m.user IS NOT NULL ORDER BY id`;
    expect(await query(deep, "a")).toEqual([0, 1, 2].map((n) => ({ id: `${n}`, v: n, top: 1.5 })));
    const records = `SELECT id, TO_JSON_STRING(u) AS j ${from}, UNNEST(m.user) u ORDER BY id`;
    const shown = spellings.slice(0, 3).map((name, n) => ({ id: `${n}`, j: `{"${name}":[{"${name}":${n}}]}` }));
    expect(await query(records, "a")).toEqual(shown);
    const listed = `SELECT id, l.user AS v, l.deep.user AS d ${from}, UNNEST(m.lists) l WHERE l.user < 9 ORDER BY id`;
    expect(await query(listed, "a")).toEqual([0, 1, 2].map((n) => ({ id: `${n}`, v: n, d: `d${n}` })));
    const distinct = `SELECT COUNT(DISTINCT x.user.user.user) AS n FROM (SELECT DISTINCT m AS x ${from})`;
    expect(await query(distinct, "a")).toEqual([{ n: 3 }]);
    const union = `SELECT COUNT(x.user.user.USER) AS n FROM (SELECT m AS x ${from} UNION ALL SELECT m ${from})`;
    expect(await query(union, "a")).toEqual([{ n: 6 }]);
  });

  it("reads declared fields below arrays of objects by type, just like fields with columns", async () => {
    const fields = { n: INT64, x: FLOAT64, b: BOOL, s: STRING };
    const knownFields = Object.entries(fields).map(([name, type]) => ({ path: `metadata.${name}`, type }));
    const source = { ...edge, knownFields: [...edge.knownFields, ...knownFields] };
    const [inColumns, inLists] = [await open(undefined, {}, source), await open(undefined, {}, source)];
    const values: readonly EventValue[] = [
      ...[200, "200", "-007", 1.5, "1.5", true, "true", "t", "two", "[1]", " 7 ", "1_0", "", "1e3", "2,5", "NaN"],
      ...[9007199254740993n, 2n ** 63n, 2n ** 64n, 10n ** 30n, 10n ** 400n, 1e17, 1e21, 1e-7, 0.00001, 5e-324, -0],
      ...[["x"], [1], [true], { a: 1 }, [{ a: 1 }], '{"a":1}', "null", "ü\n\u0000", "-9223372036854775808", "1e400"],
    ].filter((value) => value !== "");
    for (const [id, value] of values.entries()) {
      const metadata = { n: value, x: value, b: value, s: value };
      await inColumns.send({ id: String(1000 + id), metadata });
      await inLists.send({ id: String(1000 + id), metadata: [metadata, { other: 1 }] });
    }
    const text = "SELECT id, m.n, m.x, m.b, m.s FROM edge, UNNEST(metadata) m WHERE m.other IS NULL ORDER BY id";
    const rows = await inColumns.query(text);
    expect(rows.slice(0, 4)).toEqual([
      { id: "1000", n: 200, x: 200, b: null, s: "200" },
      { id: "1001", n: 200, x: 200, b: null, s: "200" },
      { id: "1002", n: -7, x: -7, b: null, s: "-007" },
      { id: "1003", n: null, x: 1.5, b: null, s: "1.5" },
    ]);
    expect(await inLists.query(text)).toEqual(rows);
    const distinct = text.replace("edge", "(SELECT DISTINCT id, metadata FROM edge)");
    expect(await inColumns.query(distinct)).toEqual(rows);
  });

  it("shows a tenant the same after a field is declared, whatever other tenants sent", async () => {
    const own = { project: "a", dur: 1, metadata: { x: { y: [1] }, lists: [{ n: 1, N2: "x" }, { n: "7" }], REQ: 5 } };
    const others = [
      { project: "b", DUR: 2, metadata: { X: { Y: ["x"] }, lists: { N: 1, n2: [1], n: { z: 1 } }, req: "x" } },
      { project: "b", dur: { q: 1 }, metadata: [{ a: 1 }, { req: 3 }] },
    ];
    const declares = { ...edge, knownFields: [...edge.knownFields, { path: "metadata.req", type: INT64 }] };
    const answers: unknown[] = [];
    for (const sent of [[own], [...others, own, ...others]]) {
      const directory = folder();
      const { send, close } = await open(directory);
      await send(...sent.map((event, id) => ({ ...event, id: event === own ? "own" : String(id) })));
      await close();
      const { query, view, close: end } = await open(directory, {}, declares);
      const text =
        "SELECT dur, m.*, l.n, l.n2 FROM edge, UNNEST(metadata) m, UNNEST(m.lists) l WHERE project = 'a' ORDER BY l.n";
      answers.push([view("a"), await query(text, "a")]);
      await end();
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toMatchObject([{ dur: "INT64" }, [{ dur: 1, req: 5, n: 1 }, { n: "7" }]]);
  });

  it("never reads the tenant from an element of a list, even if the tenant field is set later", async () => {
    const directory = folder();
    const path = { path: "metadata.ref", type: STRING };
    const { send, close } = await open(directory, {}, { name: "edge", knownFields: [] });
    await send({ id: "2", metadata: [{ ref: "a" }, { ref: "b" }] });
    await send({ id: "0", metadata: [{ REF: "a" }, { REF: "b" }] });
    await send({ id: "1", metadata: { ref: "a" } }, { id: "3", metadata: [{ ref: 7 }] });
    await close();
    const named = { name: "edge", tenantField: "metadata.ref", knownFields: [path] };
    const { query, send: sendAgain } = await open(directory, {}, named);
    const late = await sendAgain(
      { id: "4", metadata: { REF: "a" } },
      { id: "5", metadata: [{ ref: "a" }, { n: 1 }] },
      { id: "6", Metadata: { Ref: "a" } },
    );
    expect(late.newestByTenant?.size).toBe(1);
    const ids = (tenant: string) =>
      query(`SELECT id FROM edge, UNNEST(metadata) m WHERE m.ref = '${tenant}' ORDER BY id`, tenant);
    expect(await ids("a")).toEqual([{ id: "1" }, { id: "4" }, { id: "6" }]);
    expect(await ids("b")).toEqual([]);
    expect(await ids("7")).toEqual([{ id: "3" }]);
  });

  it("reads any number of fields beyond a tenant's columns by type, without effect on other tenants", async () => {
    const { send, query, view, store } = await open(undefined, { maxTenantColumns: 5, maxTenantFields: 50 });
    await send({ project: "a", n: 1 });
    const before = store.describe("edge", "a");
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, i]));
    await send({ project: "b", top: [1], ...many, metadata: { ...many, flag: true, list: [1, 2], large: 2n ** 70n } });
    expect(store.describe("edge", "a")).toBe(before);
    expect(Object.keys(view("b")).length).toBeLessThanOrEqual(6 + 51);
    await send({ project: "a", n: 2, other: 5, metadata: { more: 1.5 } });
    expect(view("a")).toMatchObject({ other: "INT64" });
    expect(
      await query("SELECT n, other, m.more FROM edge LEFT JOIN UNNEST(metadata) m WHERE project = 'a' ORDER BY n", "a"),
    ).toEqual([
      { n: 1, other: null, more: null },
      { n: 2, other: 5, more: 1.5 },
    ]);
    expect(await query("SELECT f0, f10 FROM edge WHERE project = 'b'", "b")).toEqual([{ f0: 0, f10: 10 }]);
  });

  it("gives a tenant's fields at most the configured number of columns, and reads the others alike", async () => {
    const { send, query, store } = await open(undefined, { maxTenantColumns: 7 });
    const columnsOf = (tenant: string) => {
      const table = store.describe("edge", tenant);
      const leaves = table === undefined ? undefined : store.layoutOf(table)?.leaves;
      return [...(leaves?.keys() ?? [])].filter((name) => /^f\d/.test(name));
    };
    // The tenant field has the seventh.
    const six = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`f${i}`, i]));
    await send({ project: "a", ...six });
    expect(columnsOf("a")).toHaveLength(6);
    await send({ project: "a", ...six, f6: 6 });
    expect(columnsOf("a")).toHaveLength(6);
    const sql = "SELECT SUM(f5) AS five, SUM(f6) AS six FROM edge WHERE project = 'a'";
    expect(await query(sql, "a")).toEqual([{ five: 10, six: 6 }]);
    await send({ project: "b", ...six });
    expect(columnsOf("b")).toHaveLength(6);
  });

  it("loses nothing when a store opens with fewer columns for a tenant, or with more again", async () => {
    const directory = folder();
    const sql =
      "SELECT id, a, b, c, d, e, m.x, m.y FROM edge LEFT JOIN UNNEST(metadata) m WHERE project = 'a' ORDER BY id";
    const sent = { project: "a", a: 1, b: "t", c: true, d: 2.5, metadata: { x: 1 } };
    const first = await open(directory);
    await first.send({ id: "1", ...sent });
    await first.close();
    const second = await open(directory, { maxTenantColumns: 1, maxColumns: 2 });
    await second.send({ id: "2", ...sent, e: 7, metadata: { x: 2, y: "new" } });
    const both = [
      { id: "1", a: 1, b: "t", c: true, d: 2.5, e: null, x: 1, y: null },
      { id: "2", a: 1, b: "t", c: true, d: 2.5, e: 7, x: 2, y: "new" },
    ];
    expect(await second.query(sql, "a")).toEqual(both);
    await second.close();
    const third = await open(directory);
    await third.send({ id: "3", project: "a", e: 8 });
    expect(await third.query(sql, "a")).toEqual([
      ...both,
      { id: "3", a: null, b: null, c: null, d: null, e: 8, x: null, y: null },
    ]);
  });

  it.each([
    ["what a tenant may have", 1024 ** 3, { max: 500, percent: 90 }, 600, 500],
    ["its share of a source's columns", 1024 ** 3, { max: 500, percent: 50 }, 600, 300],
    ["its share of what the memory allows", 128_000_000, { max: 500, percent: 90 }, 139, 125],
    ["nothing at all", 1024 ** 3, { max: 0, percent: 100 }, 600, 0],
  ])("bounds a tenant's columns by %s", (_by, memory, columns, ofSource, ofTenant) => {
    expect(schemaLimitsFor(memory, columns)).toMatchObject({ maxColumns: ofSource, maxTenantColumns: ofTenant });
  });

  it("stores events however many fields tenants bring, with as many columns as memory allows", async () => {
    const { send, query } = await open(undefined, schemaLimitsFor(memoryLimitBytes));
    for (let tenant = 0; tenant < 6; tenant++) {
      const fields = Array.from({ length: 60 }, (_, index) => [`f${tenant}_${index}`, index]);
      await send({ project: `t${tenant}`, metadata: Object.fromEntries(fields) });
    }
    for (const tenant of ["t0", "t5"]) {
      const sql =
        `SELECT m.f${tenant[1]}_59 + m.f${tenant[1]}_1 AS v FROM edge, UNNEST(metadata) m ` +
        `WHERE project = '${tenant}'`;
      expect(await query(sql, tenant)).toEqual([{ v: 60 }]);
    }
  });

  it("leaves no trace of a failed append in the tenant's fields", async () => {
    const { send, view, failing } = await open();
    await send({ project: "a", x: 1 });
    failing.isOn = true;
    await expect(send({ project: "a", y: 1 }, { project: "b", y: 1 })).rejects.toThrow("the disk is full");
    expect([view("a"), view("b")]).toEqual([{ ...declared, x: "INT64" }, declared]);
    failing.isOn = false;
    await send({ project: "b", y: 1 });
    expect([view("a"), view("b")]).toEqual([
      { ...declared, x: "INT64" },
      { ...declared, y: "INT64" },
    ]);
  });
});
