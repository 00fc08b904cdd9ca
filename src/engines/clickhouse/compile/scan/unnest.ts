/** Building SELECTs for UNNEST: a presence test for a record that never was more than one, ARRAY JOIN for arrays. */
import type { Scan } from "../../../../googlesql/resolved.ts";
import { exportAs } from "../../../sql/select.ts";
import { nameSql, variableSql } from "../../sql/atoms.ts";
import { Refusal } from "../../sql/refusal.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { type Compilation, nextAlias, unguarded } from "../compilation.ts";
import { printExpression, sourceOf } from "../expression/expressions.ts";
import { isWrapped } from "../expression/literals.ts";
import type { SelectBuilder } from "../render.ts";
import { cheapBinding, refusedBinding } from "../scope.ts";
import { newSelect, refusedSelect, rowSelect, scopeOf, withColumns, wrapSelect } from "../select-builder.ts";

type Unnest = Scan & { kind: "Unnest" };

/** Without what its ON asks for. */
export function buildUnnest(compilation: Compilation, scan: Unnest, input: SelectBuilder): SelectBuilder {
  const rows = rowSelect(compilation, input);
  const [item] = scan.arrays;
  if (item === undefined || scan.arrays.length > 1)
    return refusedSelect(new Refusal("UNNEST of several arrays", item?.array.span));
  const { type } = item.array;
  if (scan.isOuter && scan.on !== undefined)
    return refusedSelect(new Refusal("LEFT JOIN UNNEST with ON", scan.on.span));
  const isRecord = type.kind === "ARRAY" && type.element.kind === "RECORD";
  return isRecord ? buildAlias(scan, rows, item) : buildArray(compilation, scan, rows, item);
}

/** No join: the element's fields are columns of the row, and only its presence is tested. */
function buildAlias(scan: Unnest, builder: SelectBuilder, { array, element }: Unnest["arrays"][number]): SelectBuilder {
  const isSingle =
    array.type.kind === "ARRAY" && array.type.element.kind === "RECORD" && !array.type.element.isRepeated;
  const source = sourceOf(array, scopeOf(builder));
  if (!isSingle || source === undefined || scan.offset !== undefined) {
    return refusedSelect(new Refusal("UNNEST of a record that events have more than one of", array.span));
  }
  const presence = scan.isOuter ? undefined : source.presence([]);
  if (!scan.isOuter && presence === undefined) {
    return refusedSelect(new Refusal("UNNEST of a record that only the event's JSON shows", array.span));
  }
  const record = refusedBinding(new Refusal("a record as a value", array.span), source);
  const rows = withColumns(builder, [[element.id, record]]);
  return presence === undefined ? rows : { ...rows, where: [...rows.where, presence] };
}

function buildArray(
  compilation: Compilation,
  scan: Unnest,
  input: SelectBuilder,
  { array, element }: Unnest["arrays"][number],
): SelectBuilder {
  if (!isWrapped(array.type)) return refusedSelect(new Refusal(`UNNEST of a ${array.type.kind}`, array.span));
  const printOver = (rows: SelectBuilder) =>
    unguarded(compilation, () => printExpression(compilation, array, scopeOf(rows)));
  const first = printOver(input);
  if (first instanceof Refusal) return refusedSelect(first);
  // Conditions of one SELECT are computed together: a list that may fail is computed outside of those of its rows.
  const isApart = first.canFail && input.where.length > 0;
  const rows = isApart ? wrapSelect(compilation, input) : input;
  const list = isApart ? printOver(rows) : first;
  if (list instanceof Refusal) return refusedSelect(list);
  const name = variableSql(nextAlias(compilation, "e"));
  const position = variableSql(nextAlias(compilation, "i"));
  if (rows.from === undefined && rows.where.length === 0 && rows.bindings.size === 0 && !scan.isOuter) {
    const lists = sql`(${list})`;
    const one = sql`(SELECT 1 AS one WHERE ${hasElements(lists)}) AS ${nameSql(`one_${name.token}`)}`;
    const from = { print: () => sql`${one} ${arrayJoin(lists, name, position)}` };
    return bindElement({ ...newSelect(), from }, scan, element.id, name, position);
  }
  if (scan.isOuter) return refusedSelect(new Refusal("LEFT JOIN UNNEST of an array", array.span));
  const alias = nextAlias(compilation, "a");
  const listed = { ...rows, where: [...rows.where, hasElements(nameSql(alias))], exports: new Map(rows.exports) };
  exportAs(listed, `list/${alias}`, alias, () => list);
  const outside = wrapSelect(compilation, listed);
  const from = { print: () => sql`${outside.from?.print() ?? EMPTY} ${arrayJoin(nameSql(alias), name, position)}` };
  return bindElement({ ...outside, from }, scan, element.id, name, position);
}

/**
 * Rows without an element are left out before the join: the server computes what reads no element ahead of it, and for
 * such a row that may fail.
 */
function hasElements(list: Sql): Sql {
  return sql`notEmpty(${list}[1])`;
}

/** The elements of the list, which stands in an array of one, with their positions. */
function arrayJoin(list: Sql, name: Sql, position: Sql): Sql {
  return sql`ARRAY JOIN ${list}[1] AS ${name}, arrayEnumerate(${list}[1]) AS ${position}`;
}

function bindElement(builder: SelectBuilder, scan: Unnest, id: number, name: Sql, position: Sql): SelectBuilder {
  builder.bindings.set(id, cheapBinding(name));
  if (scan.offset !== undefined) builder.bindings.set(scan.offset.id, cheapBinding(sql`toInt64(${position} - 1)`));
  return builder;
}
