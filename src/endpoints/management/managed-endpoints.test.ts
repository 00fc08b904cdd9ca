import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DuckDbEngine, openMemoryEngine } from "../../engines/duckdb/index.ts";
import type { Source } from "../../sources/source.ts";
import { openSources } from "../../sources/source-registry.ts";
import type { SourceTables } from "../../sources/source-tables.ts";
import { createSourceScopes } from "../explore/source-scopes.ts";
import { createVersionFinder } from "../versions/versions.ts";
import { createEndpointRegistry } from "./endpoint-registry.ts";
import type { EndpointStore, NewVersion, VersionRecord } from "./endpoint-store.ts";
import { ManagedEndpoints } from "./managed-endpoints.ts";

/** A store in memory. `conflicts` makes each save and removal come too late. */
function createStore(): EndpointStore & { readonly records: VersionRecord[]; conflicts: boolean } {
  const records: VersionRecord[] = [];
  const add = (version: NewVersion) => {
    const number = records.filter(({ endpointId }) => endpointId === version.endpointId).length + 1;
    records.push({ ...version, number, createdAt: 0 });
    return number;
  };
  const find = (id: string, number: number) =>
    records.find((record) => record.endpointId === id && record.number === number);
  const store = {
    records,
    conflicts: false,
    list: async () => [],
    save: async (version: NewVersion) => (store.conflicts ? undefined : add(version)),
    remove: async () => !store.conflicts,
    record: async (versions: readonly NewVersion[]) => versions.map(add),
    versions: async () => [],
    version: async (id: string, number: number) => find(id, number),
    latest: async () => undefined,
  };
  return store;
}

let engine: DuckDbEngine;
let tables: SourceTables;

beforeAll(async () => {
  engine = await openMemoryEngine({ threads: 1 });
  const known = { kind: "x", description: "", retentionDays: undefined, aliases: [] };
  const knownFields = [{ path: "n", type: { kind: "INT64" as const } }];
  tables = await openSources([{ ...known, name: "edge", knownFields }], engine.store);
});

afterAll(() => engine.close());

function open() {
  const store = createStore();
  const registry = createEndpointRegistry([]);
  const managed = new ManagedEndpoints({ engine, tables, registry, store });
  const finder = createVersionFinder(store, { engine, tables, endpoints: () => registry.endpoints });
  return { managed, registry, store, finder };
}

const me = { author: "me" };
const refusal = (fields: object, more = "") => ({
  code: "validation_failed",
  message: expect.stringMatching(new RegExp(`^The endpoint was not saved: .*${more}$`)),
  details: { fields: expect.objectContaining(fields) },
});

describe("an endpoint of the API", () => {
  it("is created with an id and its first version, and changed by documents and by fields", async () => {
    const { managed, registry, store } = open();
    const made = await managed.create({ name: "first", query: "select id from edge", max_rows: 7 }, me);
    expect(made.definition).toMatchObject({ name: "first", maxRows: 7, query: "select id from edge" });
    expect([made.version, made.origin]).toEqual([1, { kind: "api" }]);
    expect(registry.find("first")?.definition.id).toBe(made.definition.id);
    const same = await managed.replace("first", { name: "first", query: "select id from edge", max_rows: 7 }, me);
    expect(same).toEqual({ endpoint: registry.find("first"), isChanged: false });
    const patched = await managed.patch("first", { max_rows: 9 }, { author: "you" });
    expect(patched).toMatchObject({ isChanged: true, endpoint: { version: 2, definition: { maxRows: 9 } } });
    const replaced = await managed.replace(made.definition.id, { name: "second", query: "select 1 as one" }, me);
    expect(replaced.endpoint.definition).toMatchObject({ id: made.definition.id, name: "second" });
    expect(replaced.endpoint.definition.maxRows).not.toBe(9);
    expect(store.records.map(({ number, author, action, rollbackTo }) => [number, author, action, rollbackTo])).toEqual(
      [
        [1, "me", "create", undefined],
        [2, "you", "update", undefined],
        [3, "me", "update", undefined],
      ],
    );
    expect(store.records[1]?.changed).toEqual(["max_rows"]);
    expect(registry.names()).toEqual(["second"]);
  });

  it("goes back to an older version as a new one, also after it was removed", async () => {
    const { managed, registry, store } = open();
    const { definition } = await managed.create({ name: "a", query: "select 1 as one" }, me);
    await managed.patch("a", { query: "select 2 as one" }, me);
    const back = await managed.rollback("a", 1, me);
    expect(back).toMatchObject({ isChanged: true, endpoint: { version: 3, definition: { query: "select 1 as one" } } });
    expect(store.records.at(-1)).toMatchObject({ action: "rollback", rollbackTo: 1, changed: ["query"] });
    expect((await managed.rollback("a", 3, me)).isChanged).toBe(false);
    await expect(managed.rollback("a", 9, me)).rejects.toMatchObject({
      code: "unknown_version",
      message: "The endpoint a has no version 9",
    });
    await managed.remove("a", me);
    expect(registry.names()).toEqual([]);
    await expect(managed.rollback("a", 1, me)).rejects.toMatchObject({ code: "unknown_endpoint" });
    await expect(managed.rollback(definition.id, 9, me)).rejects.toMatchObject({ code: "unknown_endpoint" });
    const restored = await managed.rollback(definition.id.toUpperCase(), 2, me);
    expect(restored).toMatchObject({
      isChanged: true,
      endpoint: { version: 4, definition: { id: definition.id, name: "a", query: "select 2 as one" } },
    });
    expect(store.records.at(-1)).toMatchObject({ action: "rollback", rollbackTo: 2, changed: [] });
  });

  it("is refused with its problems by field, and how many there are", async () => {
    const { managed, registry } = open();
    await managed.create({ name: "taken", query: "select 1 as one" }, me);
    const create = (document: object) => managed.create(document, me);
    await expect(create({ name: "taken", query: "select 1 as one" })).rejects.toMatchObject(
      refusal({ name: [expect.any(String)] }),
    );
    await expect(create({ name: "b" })).rejects.toMatchObject(refusal({ query: [expect.any(String)] }));
    await expect(create({ name: "b", query: "select 1 as one", max_rows: "x", nonsense: 1 })).rejects.toMatchObject(
      refusal({ max_rows: [expect.any(String)], nonsense: [expect.any(String)] }, "\\(and 1 more\\)"),
    );
    await expect(create({ name: "b", query: "select" })).rejects.toMatchObject(
      refusal({ query: ["line 1, column 7: Syntax error: Unexpected end of statement"] }),
    );
    // The parameter of the query may be the one whose declaration is wrong.
    const undeclared = { name: "b", query: "select id from edge where id = @p and n = nosuch(1)" };
    const fieldsOf = (document: object) =>
      create(document).then(
        () => undefined,
        (error: { readonly details: { readonly fields: object } }) => JSON.stringify(error.details.fields),
      );
    expect(await fieldsOf({ ...undeclared, parameters: { p: { type: "nonsense" } } })).not.toContain("@p");
    expect(await fieldsOf({ ...undeclared, parameters: { p: { type: "nonsense" } } })).toContain("nosuch");
    expect(registry.names()).toEqual(["taken"]);
    await expect(managed.patch("taken", { max_rows: "x" }, me)).rejects.toMatchObject(
      refusal({ max_rows: [expect.any(String)] }),
    );
    await expect(managed.patch("none", {}, me)).rejects.toMatchObject({
      code: "unknown_endpoint",
      message: "There is no endpoint none",
    });
  });

  it.each(["", "a b", "a-b", "1a", "a\r\nb", "x\u202ey", "@p", "p".repeat(129)])(
    "has no parameter %j",
    async (name) => {
      const { managed } = open();
      const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}...` : name);
      const message = expect.stringContaining(`the parameter ${shown} needs a name of the form`);
      const declared = { name: "b", query: "select 1 as one", parameters: { [name]: { type: "string" } } };
      await expect(managed.create(declared, me)).rejects.toMatchObject(refusal({ parameters: [message] }));
      if (name === "") return;
      const undeclared = { name: "b", query: `select @\`${name.replaceAll("\r\n", "\\r\\n")}\` as one` };
      await expect(managed.create(undeclared, me)).rejects.toMatchObject(refusal({ query: [message] }));
    },
  );

  it("has parameters with the names of JavaScript's own members, and aliases with those of sources", async () => {
    const { managed } = open();
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "_", "p".repeat(128)];
    const parameters = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const query = "with t as (select id from edge) select @__proto__ as one from t";
    const aliases = { name: "b", query, parameters, table_aliases: { "a.b-c": "t" } };
    expect((await managed.create(aliases, me)).contract.parameters.map(({ name }) => name)).toEqual(names);
    const wrong = managed.patch("b", { table_aliases: { "a b": "t" } }, me);
    await expect(wrong).rejects.toMatchObject(refusal({ table_aliases: [expect.stringContaining('"a b" needs')] }));
  });

  it("is changed and removed only at the version that the caller names, and without a conflict", async () => {
    const { managed, store, registry } = open();
    await managed.create({ name: "a", query: "select 1 as one" }, me);
    const late = { ...me, accepts: (version: number) => version === 2 };
    const conflict = {
      code: "version_conflict",
      message: "The endpoint a is at version 1, which If-Match does not name",
      details: { currentVersion: 1 },
    };
    await expect(managed.patch("a", { max_rows: 2 }, late)).rejects.toMatchObject(conflict);
    await expect(managed.remove("a", late)).rejects.toMatchObject(conflict);
    store.conflicts = true;
    const meanwhile = { code: "version_conflict", message: "The endpoint a was changed at the same time" };
    await expect(managed.patch("a", { max_rows: 2 }, me)).rejects.toMatchObject(meanwhile);
    await expect(managed.remove("a", me)).rejects.toMatchObject(meanwhile);
    expect(registry.find("a")?.version).toBe(1);
    store.conflicts = false;
    expect((await managed.remove("a", { ...me, accepts: (version) => version === 1 })).definition.name).toBe("a");
  });

  it("stays as others read it", async () => {
    const { managed } = open();
    await managed.create({ name: "base", query: "select id, n from edge" }, me);
    await managed.create({ name: "reader", query: "select n from base" }, me);
    await expect(managed.remove("base", me)).rejects.toMatchObject({
      code: "endpoint_in_use",
      message: "The endpoint base is read by reader",
    });
    await expect(managed.patch("base", { query: "select id from edge" }, me)).rejects.toMatchObject(
      refusal({ query: [expect.stringContaining("the endpoint reader reads this one: ")] }),
    );
    await managed.remove("reader", me);
    expect((await managed.patch("base", { query: "select id from edge" }, me)).isChanged).toBe(true);
  });

  it("is only looked at by a validation, as a new one or as the one of its id", async () => {
    const { managed, registry, store } = open();
    const { definition } = await managed.create({ name: "a", query: "select 1 as one" }, me);
    const document = { name: "a", query: "select 2 as one" };
    expect(() => managed.validate(document)).toThrow(expect.objectContaining(refusal({ name: [expect.any(String)] })));
    const checked = managed.validate({ ...document, id: definition.id.toUpperCase() });
    expect(checked.definition).toMatchObject({ id: definition.id, query: "select 2 as one" });
    expect(managed.validate({ ...document, name: "b" }).definition.id).not.toBe(definition.id);
    expect(registry.find("a")?.definition.query).toBe("select 1 as one");
    expect(store.records).toHaveLength(1);
  });
});

describe("an older version of an endpoint", () => {
  it("runs as it was, under the present name, with what was closed since closed", async () => {
    const { managed, registry, finder } = open();
    const query = "with t as (select id from edge) select id from t";
    const open1 = { name: "a", query, sandbox: true, max_rows: 5 };
    await managed.create(open1, me);
    const closed = { name: "b", query: "select 1 as one", redact_pii: ["email"] };
    await managed.replace("a", closed, me);
    const current = registry.find("b");
    if (current === undefined) throw new Error("b is missing");
    const old = await finder.find(current, 1);
    expect(old?.problem).toBeUndefined();
    expect(old).toMatchObject({
      version: 1,
      definition: { name: "b", query, maxRows: 5, isSandboxed: false, redactsPii: true, detectors: ["email"] },
    });
    // It is made once, until something changes that it is made of.
    finder.forget(["another"]);
    expect(await finder.find(current, 1)).toBe(old);
    finder.forget([current.definition.id]);
    expect(await finder.find(current, 1)).not.toBe(old);
    await expect(finder.find(current, 3)).rejects.toMatchObject({ code: "unknown_version" });
    await expect(finder.find(current, 1.5)).rejects.toMatchObject({ message: "The endpoint b has no version 1.5" });
  });

  it("is made anew where an endpoint that it reads has changed", async () => {
    const { managed, registry, finder } = open();
    const { definition: read } = await managed.create({ name: "read", query: "select 1 as one" }, me);
    await managed.create({ name: "a", query: "select one from read" }, me);
    await managed.replace("a", { name: "a", query: "select 2 as two" }, me);
    const current = registry.find("a") ?? expect.unreachable();
    const old = await finder.find(current, 1);
    expect(old?.problem).toBeUndefined();
    finder.forget([read.id]);
    expect(await finder.find(current, 1)).not.toBe(old);
  });

  it("that does not compile any more has its problem", async () => {
    const { managed, registry, store, finder } = open();
    await managed.create({ name: "a", query: "select 1 as one" }, me);
    const current = registry.find("a");
    if (current === undefined) throw new Error("a is missing");
    const [first] = store.records;
    if (first === undefined) throw new Error("there is no version");
    store.records.push({ ...first, number: 2, document: '{"name":"a","query":"select gone(1) as n"}' });
    expect((await finder.find(current, 2))?.problem).toContain("gone");
  });
});

describe("a source called like an endpoint", () => {
  it("is one sandboxed table between two times, the same object as long as the source is", () => {
    const source: Source = {
      name: "edge",
      aliases: ["cdn"],
      kind: "x",
      description: "",
      retentionDays: undefined,
      knownFields: [],
    };
    const scopes = createSourceScopes({ find: (name) => (name === "none" ? undefined : source) });
    expect(scopes.find("none")).toBeUndefined();
    const scope = scopes.find("edge");
    expect(scopes.find("cdn")).toBe(scope);
    expect(scope?.definition).toMatchObject({
      name: "source:edge",
      isSandboxed: true,
      maxRows: 10_000,
      tableAliases: { cdn: "edge" },
    });
    const bound = { type: "timestamp", isRequired: false, default: null };
    expect(scope?.definition.parameters).toMatchObject([
      { ...bound, name: "iso_timestamp_start", description: "Only events strictly after it" },
      { ...bound, name: "iso_timestamp_end", description: "Only events at or before it" },
    ]);
    expect(scope?.sourceText).toContain("ORDER BY timestamp DESC LIMIT 100");
  });
});
