/**
 * Fields below log records. Where a record's column can be traced to a table, a field is a physical column of it;
 * otherwise it is read from the record's JSON text, in which every object is an array of one object.
 */
import { arrayOf, type SqlType } from "../../../../googlesql/types.ts";
import { printCast } from "../../functions/cast/cast.ts";
import { computeOnce } from "../../functions/compute-once.ts";
import type { LeafLayout, TableLayout } from "../../layout.ts";
import { quoteIdentifier, quoteString } from "../../sql-text.ts";
import type { RecordSource } from "../scope.ts";
import { physicalTypeSql, printNull } from "./literals.ts";
import { printMixed, printMixedAs } from "./mixed-columns.ts";

/** True for RECORD and ARRAY<RECORD>, whose values are JSON text. */
export function isRecordType(type: SqlType): boolean {
  return type.kind === "RECORD" || (type.kind === "ARRAY" && type.element.kind === "RECORD");
}

function pointerStep(name: string): string {
  const escaped = name.includes("~") ? name.replaceAll("~", "~0") : name;
  return `/${escaped.includes("/") ? escaped.replaceAll("/", "~1") : escaped}`;
}

/** The JSON pointer from a value of the type to the field at `path`. */
export function fieldPointer(type: SqlType, path: readonly string[]): string {
  let pointer = type.kind === "RECORD" ? "" : "/0";
  path.forEach((step, index) => {
    pointer += index === 0 ? pointerStep(step) : `/0${pointerStep(step)}`;
  });
  return pointer;
}

/** The source of a field that is itself a record. */
export function fieldSource(base: RecordSource, type: SqlType, path: readonly string[]): RecordSource {
  return {
    leaf: (below, as) => base.leaf([...path, ...below], as),
    presence: (below) => base.presence([...path, ...below]),
    json: () => {
      const { text, pointer } = base.json();
      return { text, pointer: pointer + fieldPointer(type, path) };
    },
  };
}

/** The source of the one element of an ARRAY<RECORD>. */
export function elementSource(array: RecordSource): RecordSource {
  return {
    leaf: array.leaf,
    presence: array.presence,
    json: () => {
      const { text, pointer } = array.json();
      return { text, pointer: `${pointer}/0` };
    },
  };
}

/** The source of an array of one record, when the record is itself an element: the inverse of {@link elementSource}. */
export function arraySource(element: RecordSource): RecordSource | undefined {
  const { text, pointer } = element.json();
  if (!pointer.endsWith("/0")) return undefined;
  return { ...element, json: () => ({ text, pointer: pointer.slice(0, -2) }) };
}

/** A value of the type out of JSON text; a value of another shape than the type's is NULL, or its text for a STRING. */
export function extractTyped(text: string, pointer: string, type: SqlType): string {
  const path = quoteString(pointer);
  if (type.kind === "UNKNOWN") return printNull(type);
  if (isRecordType(type) || type.kind === "JSON" || type.kind === "MIXED")
    return `CAST(json_extract(${text}, ${path}) AS VARCHAR)`;
  if (type.kind === "ARRAY") {
    return `TRY_CAST(json_extract(${text}, ${path}) AS ${physicalTypeSql(arrayOf(type.element))})`;
  }
  const value = `json_extract_string(${text}, ${path})`;
  return type.kind === "STRING" ? value : `TRY_CAST(${value} AS ${physicalTypeSql(type)})`;
}

/** The value that a binding with this JSON stands for. */
export function recordText(source: RecordSource): string {
  const { text, pointer } = source.json();
  return pointer === "" ? text : `CAST(json_extract(${text}, ${quoteString(pointer)}) AS VARCHAR)`;
}

/**
 * A field below a value of several shapes that cannot be traced to a table: it is the JSON of an element, which is an object, or of a
 * field, where an object stands in an array.
 */
export function extractBelowMixed(text: string, path: readonly string[], type: SqlType): string {
  const pointer = fieldPointer(RECORDS, path);
  return computeOnce([text], "below", (v) => {
    const element = extractTyped(v, pointer.slice(2), type);
    return `CASE WHEN starts_with(${v}, '{') THEN ${element} ELSE ${extractTyped(v, pointer, type)} END`;
  });
}

/** A leaf's value from its physical columns; several variants meet in the lenient type. */
export function printLeaf(alias: string, leaf: LeafLayout): string {
  const [first, second] = leaf.variants;
  if (first !== undefined && second === undefined) return `${alias}.${quoteIdentifier(first.column)}`;
  const columns = leaf.variants.map((variant) => {
    const column = `${alias}.${quoteIdentifier(variant.column)}`;
    const isSame = physicalTypeSql(variant.type) === physicalTypeSql(leaf.type);
    // GoogleSQL's text forms, not DuckDB's: a FLOAT64 200 is "200".
    return isSame
      ? column
      : printCast({ operand: column, from: variant.type, to: leaf.type, isSafe: true, timeZone: "UTC" });
  });
  return columns.length === 0 ? printNull(leaf.type) : `coalesce(${columns.join(", ")})`;
}

/** The type of a top-level record, as far as its JSON tells. */
const RECORDS: SqlType = { kind: "ARRAY", element: { kind: "RECORD", fields: [], isRepeated: false, isOpen: false } };

/** The JSON text of a top-level field, as far as there is one; undefined where its columns are all there is. */
export function topLevelJson({ recordColumns, rest }: TableLayout, alias: string, name: string): string | undefined {
  const own = recordColumns.get(name);
  const places = own === undefined ? [] : [`${alias}.${quoteIdentifier(own)}`];
  for (const sent of rest?.names.get(name) ?? []) {
    const text = `${alias}.${quoteIdentifier(rest?.column ?? "")}`;
    places.push(`CAST(json_extract(${text}, ${quoteString(`/0${pointerStep(sent)}`)}) AS VARCHAR)`);
  }
  return places.length > 1 ? `coalesce(${places.join(", ")})` : places[0];
}

/** A top-level field that not all rows have in columns. */
export function printRestField(layout: TableLayout, alias: string, name: string, type: SqlType): string {
  const json = topLevelJson(layout, alias, name);
  return json === undefined ? printNull(type) : extractTyped(json, "$", type);
}

/** The source of a top-level record column of a table that is read under `alias`. */
export function tableRecordSource(layout: TableLayout, alias: string, name: string, json: string): RecordSource {
  const key = (path: readonly string[]) => path.reduce((start, step) => `${start}.${step}`, name);
  return {
    leaf: (path, as) => {
      const leaf = layout.leaves.get(key(path));
      if (leaf === undefined) return undefined;
      if (leaf.type.kind !== "MIXED") return as === undefined ? printLeaf(alias, leaf) : undefined;
      const pointer = fieldPointer(RECORDS, path);
      const value = extractTyped(json, pointer, leaf.type);
      const columns = { alias, leaf, json: value, isTopLevel: false };
      return as === undefined ? printMixed(columns) : printMixedAs(columns, as);
    },
    presence: (path) => {
      const column = layout.presence.get(key(path));
      return column === undefined ? undefined : `${alias}.${quoteIdentifier(column)}`;
    },
    json: () => ({ text: json, pointer: "" }),
  };
}
