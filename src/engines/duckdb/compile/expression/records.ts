/**
 * Fields below log records. Where a record's column can be traced to a table, a field is a physical column of it;
 * otherwise it is read from the record's JSON text, in which every object is an array of one object.
 */

import type { SqlType } from "../../../../googlesql/types.ts";
import type { LeafLayout, TableLayout } from "../../../schema/layout.ts";
import { printCast } from "../../functions/cast/cast.ts";
import { storedColumnOf } from "../../sql/atoms.ts";
import { callSql, castTo } from "../../sql/forms.ts";
import type { Sql } from "../../sql/sql.ts";
import { VARCHAR } from "../../sql/types.ts";
import type { RecordSource } from "../scope.ts";
import { extractField, extractTyped } from "./extract.ts";
import { fieldSteps, readPlace } from "./json-place.ts";
import { printNull } from "./literals.ts";
import { printMixed, printMixedAs } from "./mixed-columns.ts";

/** The source of a field that is itself a record. */
export function fieldSource(base: RecordSource, type: SqlType, path: readonly string[]): RecordSource {
  return {
    leaf: (below, as) => base.leaf([...path, ...below], as),
    presence: (below) => base.presence([...path, ...below]),
    json: () => {
      const { text, steps } = base.json();
      return { text, steps: [...steps, ...fieldSteps(type, path)] };
    },
  };
}

/** The source of the one element of an ARRAY<RECORD>. */
export function elementSource(array: RecordSource): RecordSource {
  return {
    leaf: array.leaf,
    presence: array.presence,
    json: () => {
      const { text, steps } = array.json();
      return { text, steps: [...steps, 0] };
    },
  };
}

/** The source of an array of one record, when the record is itself an element: the inverse of {@link elementSource}. */
export function arraySource(element: RecordSource): RecordSource | undefined {
  const { text, steps } = element.json();
  if (steps.at(-1) !== 0) return undefined;
  return { ...element, json: () => ({ text, steps: steps.slice(0, -1) }) };
}

/** The value that a binding with this JSON stands for. */
export function recordText(source: RecordSource): Sql {
  const place = source.json();
  return place.steps.length === 0 ? place.text : castTo(readPlace(place, "json_extract"), VARCHAR);
}

/** A leaf's value from its physical columns; several variants meet in the lenient type. */
export function printLeaf(alias: string, leaf: LeafLayout): Sql {
  const [first, second] = leaf.variants;
  if (first !== undefined && second === undefined) return storedColumnOf(alias, first.column);
  const columns = leaf.variants.map((variant) => {
    const column = storedColumnOf(alias, variant.column);
    // GoogleSQL's text forms, not DuckDB's: a FLOAT64 200 is "200".
    return printCast({ operand: column, from: variant.type, to: leaf.type, isSafe: true, timeZone: "UTC" });
  });
  return columns.length === 0 ? printNull(leaf.type) : callSql("coalesce", columns);
}

/** The JSON text of a top-level field, as far as there is one; undefined where its columns are all there is. */
export function topLevelJson({ recordColumns, rest }: TableLayout, alias: string, name: string): Sql | undefined {
  const own = recordColumns.get(name);
  const places = own === undefined ? [] : [storedColumnOf(alias, own)];
  const names = rest?.names.get(name);
  if (rest !== undefined && names !== undefined) {
    const step = rest.isOpen ? { anyCase: name } : names;
    const place = { text: storedColumnOf(alias, rest.column), steps: [0, step] as const };
    places.push(castTo(readPlace(place, "json_extract"), VARCHAR));
  }
  return places.length > 1 ? callSql("coalesce", places) : places[0];
}

/** A top-level field that not all rows have in columns. */
export function printRestField(layout: TableLayout, alias: string, name: string, type: SqlType): Sql {
  const json = topLevelJson(layout, alias, name);
  return json === undefined ? printNull(type) : extractTyped({ text: json, steps: [] }, type);
}

export interface TopLevelRecord {
  readonly name: string;
  readonly type: SqlType;
  /** Its JSON text. */
  readonly json: Sql;
}

/** The source of a top-level record column of a table that is read under `alias`. */
export function tableRecordSource(
  layout: TableLayout,
  alias: string,
  { name, type, json }: TopLevelRecord,
): RecordSource {
  const key = (path: readonly string[]) => path.reduce((start, step) => `${start}.${step}`, name);
  return {
    leaf: (path, as) => {
      const leaf = layout.leaves.get(key(path));
      if (leaf === undefined) return undefined;
      if (leaf.type.kind !== "MIXED") return printLeaf(alias, leaf);
      const value = extractField({ text: json, steps: [] }, { base: type, path, type: leaf.type });
      const columns = { alias, leaf, json: value, isTopLevel: false };
      return as === undefined ? printMixed(columns) : printMixedAs(columns, as);
    },
    presence: (path) => {
      const column = layout.presence.get(key(path));
      return column === undefined ? undefined : storedColumnOf(alias, column);
    },
    json: () => ({ text: json, steps: [] }),
  };
}
