import type { Expression, GroupBy, GroupingItem, GroupingSet } from "../ast.ts";
import { parseList, parseSortOrder } from "./clause.ts";
import type { Cursor } from "./cursor.ts";

/** Where a GROUP BY stands, which decides what its items may carry. */
export type GroupByPlace = "query" | "pipe" | "call";

/** `GROUP BY ...`, if it stands here. Source: "GROUP BY clause" and the pipe operator AGGREGATE of the reference. */
export function parseGroupBy(cursor: Cursor, place: GroupByPlace): GroupBy | undefined {
  const { start } = cursor.token;
  if (!cursor.take("GROUP")) return undefined;
  const isAlsoOrder = place === "pipe" && cursor.take("AND");
  if (isAlsoOrder) cursor.expect("ORDER");
  cursor.expect("BY");
  if (place === "query" && cursor.take("ALL")) {
    return { kind: "GroupBy", span: cursor.spanFrom(start), isAll: true, items: [] };
  }
  const items = parseList(cursor, (inner) => parseGroupingItem(inner, place), place === "pipe");
  const span = cursor.spanFrom(start);
  return { kind: "GroupBy", span, isAll: false, isAlsoOrder: isAlsoOrder || undefined, items };
}

function parseGroupingItem(cursor: Cursor, place: GroupByPlace): GroupingItem {
  const { start } = cursor.token;
  if (cursor.takeAll("(", ")")) return { kind: "EmptyGroupingSet", span: cursor.spanFrom(start) };
  const rollup = parseRollup(cursor);
  if (rollup !== undefined) return { ...rollup, span: cursor.spanFrom(start) };
  if (cursor.takeAll("GROUPING", "SETS")) {
    cursor.expect("(");
    const sets = parseList(cursor, parseGroupingSet);
    expectListEnd(cursor);
    return { kind: "GroupingSets", span: cursor.spanFrom(start), sets };
  }
  const expression = cursor.rules.expression(cursor);
  const alias = place === "pipe" ? cursor.optionalAlias() : undefined;
  const order = place === "pipe" ? parseSortOrder(cursor, false) : undefined;
  const span = cursor.spanFrom(start);
  return { kind: "GroupingExpression", span, expression, alias, order };
}

interface RollupEntries {
  readonly kind: "Rollup" | "Cube";
  readonly entries: readonly (readonly Expression[])[];
}

function parseRollup(cursor: Cursor): RollupEntries | undefined {
  if (!cursor.is("ROLLUP") && !cursor.is("CUBE")) return undefined;
  const kind = cursor.advance().code === "ROLLUP" ? "Rollup" : "Cube";
  cursor.expect("(");
  const entries = parseList(cursor, parseColumnSet);
  expectListEnd(cursor);
  return { kind, entries };
}

function parseGroupingSet(cursor: Cursor): GroupingSet {
  if (cursor.takeAll("(", ")")) return { kind: "Set", expressions: [] };
  return parseRollup(cursor) ?? { kind: "Set", expressions: parseColumnSet(cursor) };
}

/** `a`, or `(a, b)`: the grammar reads the latter as a tuple. */
function parseColumnSet(cursor: Cursor): readonly Expression[] {
  const expression = cursor.rules.expression(cursor);
  if (expression.kind !== "StructConstructor" || expression.isTuple !== true) return [expression];
  return expression.fields.map((field) => field.expression);
}

function expectListEnd(cursor: Cursor): void {
  if (!cursor.take(")")) throw cursor.expected('")" or ","');
}
