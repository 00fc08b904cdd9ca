/**
 * Building SELECTs for UNNEST. A real one is `unnest(...)` in a select list: DuckDB runs that as a stream, while the
 * same in FROM becomes a join. An ARRAY<RECORD> that never held more than one element is no join at all.
 */

import type { Expr, Scan } from "../../../../googlesql/resolved.ts";
import { JSON_TYPE, type SqlType } from "../../../../googlesql/types.ts";
import { exportAs } from "../../../sql/select.ts";
import { computeOnce } from "../../functions/compute-once.ts";
import { columnOf, nameSql, textSql, variableSql } from "../../sql/atoms.ts";
import { callSql, lambda, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinMapped, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { fail, nextAlias, type Scope, type SelectBuilder, variableScope } from "../compilation.ts";
import { printExpression } from "../expression/expressions.ts";
import { isRecordType, readPlace } from "../expression/json-place.ts";
import { printNull } from "../expression/literals.ts";
import { elementSource, recordText } from "../expression/records.ts";
import { sourceOf } from "../expression/traits.ts";
import { cheapBinding, makeBinding } from "../scope.ts";
import { rowSelect, scopeOf, wrapSelect } from "../select-builder.ts";
import { buildFilter } from "./filters.ts";
import { printInSelect, separateShared } from "./shaping.ts";

type Unnest = Scan & { kind: "Unnest" };

/** The one array of an UNNEST that is an alias for a path; undefined for a real UNNEST. */
function aliasedRecord(scan: Unnest): Unnest["arrays"][number] | undefined {
  const [item] = scan.arrays;
  if (item === undefined || scan.arrays.length > 1 || scan.offset !== undefined) return undefined;
  if (scan.on !== undefined && scan.isOuter) return undefined;
  const { type } = item.array;
  return type.kind === "ARRAY" && type.element.kind === "RECORD" && !type.element.isRepeated ? item : undefined;
}

export function buildUnnest(input: SelectBuilder, scan: Unnest): SelectBuilder {
  const expressions = scan.arrays.map((item) => item.array);
  const single = rowSelect(input);
  const whole = single.hasRandom ? wrapSelect(single) : single;
  const rows = separateShared(whole, expressions);
  const alias = aliasedRecord(scan);
  const built =
    alias !== undefined && rows.from !== undefined ? buildAlias(rows, alias, scan.isOuter) : buildArrays(rows, scan);
  return scan.on === undefined || scan.isOuter ? built : buildFilter(built, scan.on);
}

/** No join: the element's fields are columns of the row, and only its presence is tested. */
function buildAlias(builder: SelectBuilder, item: Unnest["arrays"][number], isOuter: boolean): SelectBuilder {
  const scope = scopeOf(builder);
  const source = sourceOf(item.array, scope);
  if (source === undefined) {
    const array = printExpression(item.array, scope);
    const element = sql`CAST(json_extract(${array}, '/0') AS VARCHAR)`;
    if (!isOuter) builder.where.push(sql`(${element} IS NOT NULL)`);
    builder.bindings.set(
      item.element.id,
      makeBinding(() => element, false),
    );
    builder.computed.set(item.element.id, builder.compilation.analysis.uses(item.element));
    builder.hasComputed = true;
    return builder;
  }
  const element = elementSource(source);
  if (!isOuter) {
    builder.where.push(source.presence([]) ?? sql`(${recordText(element)} IS NOT NULL)`);
  }
  builder.bindings.set(
    item.element.id,
    makeBinding(() => recordText(element), false, undefined, element),
  );
  return builder;
}

/** The array as a list of DuckDB. */
function printList(array: Expr, scope: Scope): Sql {
  if (!isRecordType(array.type)) return printExpression(array, scope);
  const source = sourceOf(array, scope);
  const place = source?.json() ?? { text: printExpression(array, scope), steps: [] };
  const value = place.steps.length === 0 ? place.text : readPlace(place, "json_extract");
  return sql`CAST(json_extract(${value}, '$[*]') AS VARCHAR[])`;
}

function length(list: Sql): Sql {
  return sql`coalesce(len(${list}), 0)`;
}

/** The number of rows that arrays of different length make, as the mode shows. */
function zippedLength(lists: readonly Sql[], mode: Unnest["mode"]): Sql {
  const lengths = lists.map(length);
  const [only] = lengths;
  if (only !== undefined && lengths.length === 1) return only;
  if (mode === "TRUNCATE") return callSql("least", lengths);
  const longest = callSql("greatest", lengths);
  if (mode !== "STRICT") return longest;
  const fail = raiseText("Unnested arrays under STRICT mode must have equal lengths");
  return sql`CASE WHEN ${longest} = least(${joinSql(lengths, ", ")}) THEN ${longest} ELSE ${fail} END`;
}

function elementType(type: SqlType): SqlType {
  return type.kind === "ARRAY" ? type.element : JSON_TYPE;
}

/** `unnest` in the select list of the SELECT, which is closed with it. */
function buildArrays(rows: SelectBuilder, scan: Unnest): SelectBuilder {
  const { compilation } = rows;
  const printed = printInSelect(rows, (scope) => scan.arrays.map((item) => printList(item.array, scope)));
  let { builder } = printed;
  let lists = printed.texts;
  const isPlain = scan.arrays.length === 1 && scan.offset === undefined && !scan.isOuter && builder.outer === undefined;
  if (!isPlain) {
    // Each list is read several times: for its elements, its length and its positions.
    const names = lists.map(() => nextAlias(compilation, "list_"));
    lists.forEach((list, index) => {
      exportAs(builder, `list/${names[index]}`, names[index] ?? "", () => list);
    });
    const inner = builder.exports;
    builder = wrapSelect(builder);
    const alias = builder.inner?.alias ?? "";
    lists = names.map((name) => columnOf(alias, inner.get(`list/${name}`)?.alias ?? name));
  }
  if (scan.isOuter && scan.on !== undefined) return buildFiltered(builder, scan, lists, scan.on);
  const count = zippedLength(lists, scan.mode);
  const isSized = scan.mode === "TRUNCATE" || scan.mode === "STRICT";
  scan.arrays.forEach((item, index) => {
    const list = lists[index] ?? EMPTY;
    const sized = isSized ? sql`list_resize(${list}, ${count})` : list;
    const missing = sql`[${printNull(elementType(item.array.type))}]`;
    // One NULL element keeps the row of an empty array.
    const kept = scan.isOuter ? sql`CASE WHEN ${count} > 0 THEN ${sized} ELSE ${missing} END` : sized;
    exportAs(builder, item.element.id, compilation.analysis.alias(item.element.id), () => sql`unnest(${kept})`);
  });
  const positions = sql`range(${count})`;
  const position = scan.isOuter
    ? sql`unnest(CASE WHEN ${count} > 0 THEN ${positions} ELSE [NULL] END)`
    : sql`unnest(${positions})`;
  if (scan.offset !== undefined) {
    const { id } = scan.offset;
    exportAs(builder, id, compilation.analysis.alias(id), () => position);
  }
  return closeUnnest(builder, scan, isPlain ? undefined : position);
}

/** LEFT JOIN UNNEST ... ON: elements are filtered as lists, so that an input row without any stays. */
function buildFiltered(builder: SelectBuilder, scan: Unnest, lists: readonly Sql[], on: Expr): SelectBuilder {
  const { compilation } = builder;
  // The condition stands in a lambda, which reads columns of one query only.
  builder.importsOuter = true;
  const position = variableSql(nextAlias(compilation, "i"));
  const element = nextAlias(compilation, "e");
  const fields = [...scan.arrays.map((item) => item.element), ...(scan.offset === undefined ? [] : [scan.offset])];
  const values = [...lists.map((list) => sql`${list}[${position} + 1]`), position];
  const struct = joinMapped(fields, ", ", (_, index) => sql`${nameSql(`f${index}`)} := ${values[index] ?? position}`);
  const rows = sql`list_transform(range(${zippedLength(lists, scan.mode)}), ${lambda(position, sql`struct_pack(${struct})`)})`;
  const variables = new Map(fields.map((field, index) => [field.id, cheapBinding(columnOf(element, `f${index}`))]));
  const condition = printExpression(on, variableScope(scopeOf(builder), variables));
  if (condition.holdsQuery) {
    fail("unsupported", "A sub-query in the ON condition of a LEFT JOIN with UNNEST is not supported", on.span);
  }
  const filtered = sql`list_filter(${rows}, ${lambda(variableSql(element), condition)})`;
  const kept = computeOnce(
    [filtered],
    "unnest",
    (list) => sql`CASE WHEN len(${list}) > 0 THEN ${list} ELSE [NULL] END`,
  );
  const name = nextAlias(compilation, "row_");
  exportAs(builder, `row/${name}`, name, () => sql`unnest(${kept})`);
  const outside = wrapSelect(builder);
  const alias = outside.inner?.alias ?? "";
  fields.forEach((field, index) => {
    outside.bindings.set(
      field.id,
      cheapBinding(sql`struct_extract(${columnOf(alias, name)}, ${textSql(`f${index}`)})`),
    );
  });
  return outside;
}

/** Goes on around the SELECT whose select list holds `unnest`. */
function closeUnnest(builder: SelectBuilder, scan: Unnest, position: Sql | undefined): SelectBuilder {
  if (builder.outer !== undefined && position !== undefined) builder.naturalOrder = [...builder.naturalOrder, position];
  const columns = [...scan.arrays.map((item) => item.element), ...(scan.offset === undefined ? [] : [scan.offset])];
  const outside = wrapSelect(builder);
  const alias = outside.inner?.alias ?? "";
  for (const { id, type } of columns) {
    const name = columnOf(alias, builder.compilation.analysis.alias(id));
    const isRecord = type.kind === "RECORD";
    const record = isRecord
      ? { leaf: () => undefined, presence: () => undefined, json: () => ({ text: name, steps: [] }) }
      : undefined;
    outside.bindings.set(id, cheapBinding(name, type.kind !== "FLOAT64", record));
  }
  return outside;
}
