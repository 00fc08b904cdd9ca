import { describe, expect, it } from "vitest";
import { arrayOf, formatType } from "../../../googlesql/types.ts";
import type { EventValue, LogEvent } from "../../engine.ts";
import { decodeBatch } from "../batch-reader.ts";
import { encodeEvents } from "./event-encoder.ts";
import { applyEntries, createFieldTree, defaultSchemaLimits, type FieldTree, type SchemaLimits } from "./field-tree.ts";
import type { SchemaEntry } from "./schema-entry.ts";
import { createTableLayout } from "./table-layout.ts";

type Fields = { readonly [field: string]: EventValue };

function eventOf(fields: Fields): LogEvent {
  return { id: "e", hasGeneratedId: true, timestampUs: 1n, eventMessage: null, fields };
}

/** Encodes into a tree that grows as needed; answers the rows as objects by column, and the entries that were added. */
function encode(tree: FieldTree, fields: readonly Fields[], limits: SchemaLimits = defaultSchemaLimits) {
  const events = fields.map(eventOf);
  const added: SchemaEntry[] = [];
  for (let round = 0; round < 3; round++) {
    const encoded = encodeEvents(tree, events, limits);
    if (encoded.batch === undefined) {
      added.push(...encoded.missing);
      applyEntries(tree, encoded.missing);
      continue;
    }
    const rows: Record<string, unknown>[] = fields.map(() => ({}));
    for (const column of decodeBatch(encoded.batch.encode())) {
      column.values.forEach((value, i) => {
        const row = rows[column.rows?.[i] ?? i];
        if (row !== undefined) row[column.column] = value;
      });
    }
    return { rows, added };
  }
  throw new Error("The schema does not settle");
}

/** The value of a leaf, by path, in an encoded row. */
function leaf(tree: FieldTree, row: Record<string, unknown> | undefined, path: string): unknown {
  const layout = createTableLayout("s", "t", tree).leaves.get(path);
  const values = layout?.variants.map(({ column }) => row?.[column]).filter((value) => value !== undefined);
  return values?.length === 1 ? values[0] : values;
}

function typeOf(tree: FieldTree, path: string): string | undefined {
  const layout = createTableLayout("s", "t", tree);
  const [top, ...rest] = path.split(".");
  let type = layout.definition.columns.find((column) => column.name === top)?.type;
  for (const name of rest) {
    if (type?.kind !== "ARRAY" || type.element.kind !== "RECORD") return undefined;
    type = type.element.fields.find((field) => field.name === name)?.type;
  }
  return type === undefined ? undefined : formatType(type);
}

describe("schema inference", () => {
  it("gives each scalar leaf a column and each record its JSON text, wrapped at every level", () => {
    const tree = createFieldTree();
    const { rows } = encode(tree, [
      { project: "p", metadata: { status: 200, ratio: 0.5, ok: false, request: { path: '/"a"', tags: ["x", "y"] } } },
    ]);
    const layout = createTableLayout("s", "t", tree);
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

  it("asks for nothing when the schema already knows the fields", () => {
    const tree = createFieldTree();
    const fields = { a: 1, metadata: { b: "x", c: [{ d: 1 }], e: [1, 2.5] } };
    encode(tree, [fields]);
    expect(encode(tree, [fields]).added).toEqual([]);
  });

  it("keeps a schema through its entries", () => {
    const tree = createFieldTree();
    const { added } = encode(tree, [{ a: 1, metadata: { b: "x", c: [{ d: 1 }], e: { f: true } } }, { a: "1" }]);
    expect(createTableLayout("s", "t", createFieldTree(added))).toEqual(createTableLayout("s", "t", tree));
  });

  it("adds a column for a second type and lets integers join floats", () => {
    const tree = createFieldTree();
    const { rows } = encode(tree, [
      { n: 1, v: 200 },
      { n: 1.5, v: "200" },
      { n: 2, v: true },
    ]);
    expect(typeOf(tree, "n")).toBe("FLOAT64");
    expect(rows.map((row) => leaf(tree, row, "n"))).toEqual([1, 1.5, 2]);
    expect(typeOf(tree, "v")).toBe("STRING");
    expect(rows.map((row) => leaf(tree, row, "v"))).toEqual([200n, "200", true]);
  });

  it("keeps integers exact up to 64 bits and takes larger ones as floats, the JSON exact always", () => {
    const tree = createFieldTree();
    const { rows } = encode(tree, [{ m: { a: 9223372036854775807n } }, { m: { b: 18446744073709551615n } }]);
    const json = createTableLayout("s", "t", tree).recordColumns.get("m") ?? "";
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
  ] as const)("takes the array %j as %s", (value, type, text) => {
    const tree = createFieldTree();
    const { rows } = encode(tree, [{ v: value }]);
    expect(typeOf(tree, "v")).toBe(type);
    expect(leaf(tree, rows[0], "v")).toBe(text);
  });

  it("lists the fields of an array of objects and serves them from the JSON", () => {
    const tree = createFieldTree();
    const { rows } = encode(tree, [
      { m: { items: [{ n: 1, sub: { x: "a" } }, { n: 2 }] } },
      { m: { items: { n: 3 } } },
    ]);
    const layout = createTableLayout("s", "t", tree);
    expect(typeOf(tree, "m.items")).toBe("ARRAY<STRUCT<n INT64, sub ARRAY<STRUCT<x STRING>>>>");
    expect([...layout.leaves.keys()]).toEqual(["timestamp", "id", "event_message"]);
    expect(rows[0]?.[layout.recordColumns.get("m") ?? ""]).toBe('[{"items":[{"n":1,"sub":[{"x":"a"}]},{"n":2}]}]');
    expect(rows[1]?.[layout.recordColumns.get("m") ?? ""]).toBe('[{"items":[{"n":3}]}]');
    expect(rows.map((row) => row[layout.presence.get("m.items") ?? ""])).toEqual([true, true]);
  });

  it("lets a record win over values at its path, which stay in the JSON", () => {
    const tree = createFieldTree();
    const { rows } = encode(tree, [
      { m: { a: "x" }, t: 1 },
      { m: { a: { b: 1 } }, t: { u: 2 } },
      { m: { a: "y" }, t: 3 },
    ]);
    const layout = createTableLayout("s", "t", tree);
    expect(typeOf(tree, "m.a")).toBe("ARRAY<STRUCT<b INT64>>");
    expect(layout.leaves.has("m.a")).toBe(false);
    expect(rows.map((row) => row[layout.recordColumns.get("m") ?? ""])).toEqual([
      '[{"a":"x"}]',
      '[{"a":[{"b":1}]}]',
      '[{"a":"y"}]',
    ]);
    expect(rows.map((row) => row[layout.recordColumns.get("t") ?? ""])).toEqual(["1", '[{"u":2}]', "3"]);
  });

  it("serves fields beyond the limit of leaves from the JSON, and still lists them", () => {
    const tree = createFieldTree();
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`f${i}`, i]));
    encode(tree, [{ m: many }], { maxLeaves: 4, maxFields: 100 });
    const layout = createTableLayout("s", "t", tree);
    expect(layout.leaves.size).toBe(3 + 4);
    expect(typeOf(tree, "m.f9")).toBe("INT64");
  });

  it("marks a record as open when more fields come than are listed", () => {
    const tree = createFieldTree();
    const limits = { maxLeaves: 100, maxFields: 5 };
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`f${i}`, i]));
    const { rows } = encode(tree, [{ m: many }], limits);
    const layout = createTableLayout("s", "t", tree);
    const type = layout.definition.columns.find(({ name }) => name === "m")?.type;
    expect(type).toMatchObject({ kind: "ARRAY", element: { kind: "RECORD", isOpen: true } });
    expect(rows[0]?.[layout.recordColumns.get("m") ?? ""]).toContain('"f9":9');
    expect(encode(tree, [{ m: { ...many, another: 1 } }], limits).added).toEqual([]);
  });

  it("keeps top-level fields beyond the limit, and those with reserved names, in a record of their own", () => {
    const tree = createFieldTree();
    const limits = { maxLeaves: 0, maxFields: 200 };
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`t${i}`, i]));
    const { rows } = encode(tree, [{ ...many, timestamp: "mine" }], limits);
    const layout = createTableLayout("s", "t", tree);
    const overflow = JSON.parse(String(rows[0]?.[layout.recordColumns.get("_overflow") ?? ""])) as [object];
    expect(Object.keys(overflow[0])).toEqual([...Array.from({ length: 50 }, (_, i) => `t${i + 100}`), "timestamp"]);
    expect(layout.leaves.size).toBe(3 + 100);
  });

  it("begins every table with the fixed columns and is lenient", () => {
    const { definition } = createTableLayout("edge", "events_1", createFieldTree());
    expect(definition.columns.map(({ name }) => name)).toEqual(["timestamp", "id", "event_message"]);
    expect(definition.isLenient).toBe(true);
    expect(arrayOf(definition.columns[0]?.type ?? { kind: "UNKNOWN" })).toEqual(arrayOf({ kind: "TIMESTAMP" }));
  });
});
