import { describe, expect, it } from "vitest";
import { decodeBatch } from "../../../test/support/engines/duckdb/batch/decode-batch.ts";
import { arrayOf, formatType } from "../../googlesql/types.ts";
import type { EventValue, LogEvent, SourceDefinition } from "../contract/query-engine.ts";
import { BatchEncoder } from "../duckdb/batch/event-encoder.ts";
import { createDeclaration } from "./declaration.ts";
import { NO_ENTRIES, newEntries } from "./entry-set.ts";
import type { Tenant } from "./field-requests.ts";
import { applyEntries, createFieldTree, type FieldTree } from "./field-tree.ts";
import { declaredEntries, defaultSchemaLimits, grantEntries, type SchemaLimits } from "./grant-entries.ts";
import type { TableLayout } from "./layout.ts";
import type { SchemaEntry } from "./schema-entry.ts";
import { TenantSets } from "./source/tenant-sets.ts";
import { createTableLayout } from "./table-layout.ts";

type Fields = { readonly [field: string]: EventValue };

function eventOf(fields: Fields): LogEvent {
  return { id: "e", hasGeneratedId: true, timestampUs: 1n, eventMessage: null, fields };
}

/** A schema that grows as the store's does. */
class Schema {
  readonly entries: SchemaEntry[] = [];
  readonly tenants = new TenantSets();
  readonly tree: FieldTree;
  readonly limits: SchemaLimits;

  constructor(limits: Partial<SchemaLimits> = {}, definition: SourceDefinition = { name: "s", knownFields: [] }) {
    this.limits = { ...defaultSchemaLimits, ...limits };
    this.tree = createFieldTree([], createDeclaration(definition));
    this.add(declaredEntries(this.tree));
  }

  add(entries: readonly SchemaEntry[]): void {
    this.entries.push(...entries);
    applyEntries(this.tree, entries);
  }

  layout(): TableLayout {
    const isOpen = this.tenants.get(null).count >= this.limits.maxTenantFields;
    return createTableLayout({
      name: "s",
      table: "t",
      entries: this.entries,
      tree: this.tree,
      shown: undefined,
      isOpen,
    });
  }
}

/**
 * Encodes into a schema that grows as needed; returns the rows as objects by column, and the added entries.
 */
function encode(schema: Schema, fields: readonly Fields[]) {
  const events = fields.map(eventOf);
  const added: SchemaEntry[] = [];
  const full = new Set<Tenant>();
  for (let round = 0; round < 3; round++) {
    const encoded = new BatchEncoder().encode({ tree: schema.tree, full }, events);
    if (encoded.missing !== undefined) {
      const granted = grantEntries(schema, encoded.missing);
      added.push(...granted.entries);
      schema.add(granted.entries);
      for (const tenant of granted.full) full.add(tenant);
      continue;
    }
    for (const { tenant, entries } of encoded.carried.tenants)
      schema.tenants.add(tenant, newEntries(entries, NO_ENTRIES));
    const rows: Record<string, unknown>[] = fields.map(() => ({}));
    for (const column of decodeBatch(encoded.batch)) {
      column.values.forEach((value, i) => {
        const row = rows[column.rows?.[i] ?? i];
        if (row !== undefined) row[column.column] = value;
      });
    }
    return { rows, added, mistyped: encoded.carried.mistyped };
  }
  throw new Error("The schema does not settle");
}

/** The value of a leaf, by path, in an encoded row. */
function leaf(tree: Schema, row: Record<string, unknown> | undefined, path: string): unknown {
  const layout = tree.layout().leaves.get(path);
  const values = layout?.variants.map(({ column }) => row?.[column]).filter((value) => value !== undefined);
  return values?.length === 1 ? values[0] : values;
}

function typeOf(tree: Schema, path: string): string | undefined {
  const layout = tree.layout();
  const [top, ...rest] = path.split(".");
  let type = layout.definition.columns.find((column) => column.name === top)?.type;
  for (const name of rest) {
    if (type?.kind !== "ARRAY" || type.element.kind !== "RECORD") return undefined;
    type = type.element.fields.find((field) => field.name === name)?.type;
  }
  return type === undefined ? undefined : formatType(type);
}

describe("schema inference", () => {
  it("gives each scalar leaf a column and each record its JSON text, wrapped in an array at every level", () => {
    const tree = new Schema();
    const { rows } = encode(tree, [
      { project: "p", metadata: { status: 200, ratio: 0.5, ok: false, request: { path: '/"a"', tags: ["x", "y"] } } },
    ]);
    const layout = tree.layout();
    const [row] = rows;
    expect(leaf(tree, row, "project")).toBe("p");
    expect(leaf(tree, row, "metadata.status")).toBe(200n);
    expect(leaf(tree, row, "metadata.ratio")).toBe(0.5);
    expect(leaf(tree, row, "metadata.ok")).toBe(false);
    expect(leaf(tree, row, "metadata.request.path")).toBe('/"a"');
    expect(leaf(tree, row, "metadata.request.tags")).toBe('["x","y"]');
    expect(row?.[layout.recordColumns.get("metadata") ?? ""]).toBe(
      '[{"status":200,"ratio":0.5,"ok":false,"request":[{"path":"/\\"a\\"","tags":["x","y"]}]}]',
    );
    expect(row?.[layout.presence.get("metadata.request") ?? ""]).toBe(true);
    expect(typeOf(tree, "metadata.request")).toBe("ARRAY<STRUCT<path STRING, tags ARRAY<STRING>>>");
  });

  it("adds nothing when the schema already has the fields", () => {
    const tree = new Schema();
    const fields = { a: 1, metadata: { b: "x", c: [{ d: 1 }], e: [1, 2.5] } };
    encode(tree, [fields]);
    expect(encode(tree, [fields]).added).toEqual([]);
  });

  it("restores a schema from its entries", () => {
    const tree = new Schema();
    const { added } = encode(tree, [{ a: 1, metadata: { b: "x", c: [{ d: 1 }], e: { f: true } } }, { a: "1" }]);
    const again = new Schema();
    again.add(added);
    expect(again.layout()).toEqual(tree.layout());
  });

  it("adds a column for each type, and reads mixed integers and floats as floats", () => {
    const tree = new Schema();
    const { rows } = encode(tree, [
      { n: 1, v: 200 },
      { n: 1.5, v: "200" },
      { n: 2, v: true },
    ]);
    expect(typeOf(tree, "n")).toBe("FLOAT64");
    expect(rows.map((row) => leaf(tree, row, "n"))).toEqual([1n, 1.5, 2n]);
    expect(typeOf(tree, "v")).toBe("MIXED");
    expect(rows.map((row) => leaf(tree, row, "v"))).toEqual([200n, "200", true]);
  });

  it("stores integers exactly up to 64 bits and larger ones as floats, with exact JSON", () => {
    const tree = new Schema();
    const { rows } = encode(tree, [{ m: { a: 9223372036854775807n } }, { m: { b: 18446744073709551615n } }]);
    const json = tree.layout().recordColumns.get("m") ?? "";
    expect(leaf(tree, rows[0], "m.a")).toBe(9223372036854775807n);
    expect(leaf(tree, rows[1], "m.b")).toBe(18446744073709552000);
    expect(rows.map((row) => row[json])).toEqual(['[{"a":9223372036854775807}]', '[{"b":18446744073709551615}]']);
  });

  it.each([
    [[1, 2], "ARRAY<INT64>", "[1,2]"],
    [[1, 2.5], "ARRAY<FLOAT64>", "[1,2.5]"],
    [[true, false], "ARRAY<BOOL>", "[true,false]"],
    [[1, "a", true], "ARRAY<STRING>", '["1","a","true"]'],
    [[[1, 2], ["b"]], "ARRAY<STRING>", '["[1,2]","[\\"b\\"]"]'],
  ] as const)("reads the array %j as %s", (value, type, text) => {
    const tree = new Schema();
    const { rows } = encode(tree, [{ v: value }]);
    expect(typeOf(tree, "v")).toBe(type);
    expect(leaf(tree, rows[0], "v")).toBe(text);
  });

  it("lists the fields of an array of objects and reads them from the JSON", () => {
    const tree = new Schema();
    const { rows } = encode(tree, [
      { m: { items: [{ n: 1, sub: { x: "a" } }, { n: 2 }] } },
      { m: { items: [{ n: 3 }] } },
      { m: { items: { n: 4 } } },
    ]);
    const layout = tree.layout();
    expect(typeOf(tree, "m.items")).toBe("ARRAY<STRUCT<n INT64, sub ARRAY<STRUCT<x STRING>>>>");
    expect([...layout.leaves.keys()]).toEqual(["timestamp", "id", "event_message"]);
    expect(rows[0]?.[layout.recordColumns.get("m") ?? ""]).toBe('[{"items":[{"n":1,"sub":[{"x":"a"}]},{"n":2}]}]');
    expect(rows[1]?.[layout.recordColumns.get("m") ?? ""]).toBe('[{"items":[{"n":3}]}]');
    expect(rows[2]?.[layout.recordColumns.get("m") ?? ""]).toBe('[{"items":[{"n":4}]}]');
    expect(rows.map((row) => row[layout.presence.get("m.items") ?? ""])).toEqual([true, true, true]);
  });

  it("gives a field with values and records several shapes, and reads them from the JSON", () => {
    const tree = new Schema();
    const { rows } = encode(tree, [
      { m: { a: "x" }, t: 1 },
      { m: { a: { b: 1 } }, t: { u: 2 } },
      { m: { a: "y" }, t: 3 },
    ]);
    const layout = tree.layout();
    expect(typeOf(tree, "m.a")).toBe("MIXED");
    expect(rows.map((row) => row[layout.recordColumns.get("m") ?? ""])).toEqual([
      '[{"a":"x"}]',
      '[{"a":[{"b":1}]}]',
      '[{"a":"y"}]',
    ]);
    expect(rows.map((row) => row[layout.recordColumns.get("t") ?? ""])).toEqual([undefined, '[{"u":2}]', undefined]);
  });

  it("reads fields beyond the column limit from the JSON, and still lists them", () => {
    const tree = new Schema({ maxTenantColumns: 4 });
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`f${i}`, i]));
    encode(tree, [{ m: many }]);
    const layout = tree.layout();
    expect(layout.leaves.size + layout.presence.size).toBe(3 + 4);
    expect(typeOf(tree, "m.f9")).toBe("INT64");
  });

  it("marks a record as open when it has more fields than are listed", () => {
    const tree = new Schema({ maxTenantFields: 5 });
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`f${i}`, i]));
    const { rows } = encode(tree, [{ m: many }]);
    const layout = tree.layout();
    const type = layout.definition.columns.find(({ name }) => name === "m")?.type;
    expect(type).toMatchObject({ kind: "ARRAY", element: { kind: "RECORD", isOpen: true } });
    expect(rows[0]?.[layout.recordColumns.get("m") ?? ""]).toContain('"f9":9');
    expect(encode(tree, [{ m: { ...many, another: 1 } }]).added).toEqual([]);
  });

  it("stores top-level fields without columns in a JSON column, and reads them from it", () => {
    const tree = new Schema({ maxTenantColumns: 1 });
    const { rows } = encode(tree, [{ a: 1, b: "x", r: { c: true } }]);
    const { leaves, rest, definition } = tree.layout();
    expect(definition.columns.slice(3).map(({ name }) => name)).toEqual(["a", "b", "r"]);
    expect([leaf(tree, rows[0], "a"), leaves.has("b")]).toEqual([1n, false]);
    expect(rest?.names.get("b")).toEqual(["b"]);
    expect(rows[0]?.[rest?.column ?? ""]).toBe('[{"b":"x"}]');
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"])(
    "stores a field named %s at every depth beyond both limits",
    (name) => {
      const tree = new Schema({ maxTenantColumns: 1, maxTenantFields: 3 });
      const many = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`f${i}`, i]));
      encode(tree, [{ m: many }]);
      const own = (value: EventValue) => Object.fromEntries([[name, value]]);
      const { rows } = encode(tree, [
        { ...own("top"), m: { ...own({ ...own(1) }), list: [{ ...own(2) }, { ...own({ ...own(3) }) }] } },
      ]);
      const { rest, recordColumns } = tree.layout();
      const key = JSON.stringify(name);
      expect(rows[0]?.[rest?.column ?? ""]).toBe(`[{${key}:"top"}]`);
      expect(rows[0]?.[recordColumns.get("m") ?? ""]).toBe(
        `[{${key}:[{${key}:1}],"list":[{${key}:2},{${key}:[{${key}:3}]}]}]`,
      );
    },
  );

  it("starts every table with the fixed columns, and makes it lenient", () => {
    const { definition } = new Schema().layout();
    expect(definition.columns.map(({ name }) => name)).toEqual(["timestamp", "id", "event_message"]);
    expect(definition.isLenient).toBe(true);
    expect(arrayOf(definition.columns[0]?.type ?? { kind: "UNKNOWN" })).toEqual(arrayOf({ kind: "TIMESTAMP" }));
  });
});
