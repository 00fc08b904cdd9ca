/** Clauses that stand in queries, calls and pipe operators alike. */
import type { Expression, LimitClause, OrderItem, SelectExpression, SortOrder } from "../ast.ts";
import { MAX_LIST_ITEMS } from "../limits.ts";
import type { Cursor } from "./cursor.ts";
import { parseCollation } from "./type.ts";

/** `ASC`, `DESC` and `NULLS FIRST|LAST`; `undefined` where none of them stands. */
export function parseSortOrder(cursor: Cursor, needsDirection: boolean): SortOrder | undefined {
  const isAscending = cursor.take("ASC");
  const isDescending = !isAscending && cursor.take("DESC");
  if (needsDirection && !isAscending && !isDescending) return undefined;
  if (!cursor.take("NULLS")) return isAscending || isDescending ? { isDescending } : undefined;
  if (cursor.take("FIRST")) return { isDescending, nulls: "FIRST" };
  if (cursor.take("LAST")) return { isDescending, nulls: "LAST" };
  throw cursor.expected("keyword FIRST or keyword LAST");
}

function parseOrderItem(cursor: Cursor): OrderItem {
  const { start } = cursor.token;
  const expression = cursor.rules.expression(cursor);
  const collation = parseCollation(cursor);
  const order = parseSortOrder(cursor, false);
  const isDescending = order?.isDescending ?? false;
  return { span: cursor.spanFrom(start), expression, collation, isDescending, nulls: order?.nulls };
}

/** Where a list ends whose last comma is a trailing one. */
const LIST_ENDS: ReadonlySet<string> = new Set([
  ...[")", ";", "|>", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT"],
  ...["UNION", "INTERSECT", "EXCEPT", "FULL", "INNER", "OUTER"],
]);

function isEndOfList(cursor: Cursor): boolean {
  return cursor.token.kind === "end" || LIST_ENDS.has(cursor.token.code);
}

/** One or more items with commas between them; `bound` names what has too many of them. */
export function parseList<T>(
  cursor: Cursor,
  parseItem: (cursor: Cursor) => T,
  allowsTrailingComma = false,
  bound = { what: "A list", items: "items", most: MAX_LIST_ITEMS },
): T[] {
  const items: T[] = [];
  do {
    if (items.length === bound.most) {
      const message = `${bound.what} has more than ${bound.most} ${bound.items}`;
      throw cursor.error(message, cursor.token, "too_complex");
    }
    items.push(parseItem(cursor));
  } while (cursor.take(",") && !(allowsTrailingComma && isEndOfList(cursor)));
  return items;
}

/** `ORDER BY ...`. */
export function parseOrderBy(cursor: Cursor, allowsTrailingComma = false): OrderItem[] {
  cursor.expect("ORDER");
  cursor.expect("BY");
  return parseList(cursor, parseOrderItem, allowsTrailingComma);
}

/** `PARTITION BY a, b`, if it stands here. */
export function parsePartitionBy(cursor: Cursor): Expression[] {
  if (!cursor.take("PARTITION")) return [];
  cursor.expect("BY");
  return parseExpressions(cursor);
}

/** One or more expressions with commas between them. */
export function parseExpressions(cursor: Cursor): Expression[] {
  return parseList(cursor, (inner) => inner.rules.expression(inner));
}

/** `LIMIT count|ALL [OFFSET n]`, if it stands here. */
export function parseLimit(cursor: Cursor): LimitClause | undefined {
  const { start } = cursor.token;
  if (!cursor.take("LIMIT")) return undefined;
  const count = cursor.take("ALL") ? undefined : cursor.rules.expression(cursor);
  const offset = cursor.take("OFFSET") ? cursor.rules.expression(cursor) : undefined;
  return { span: cursor.spanFrom(start), count, offset };
}

/** `expression [[AS] alias]`. */
export function parseAliasedExpression(cursor: Cursor): SelectExpression {
  const { start } = cursor.token;
  const expression = cursor.rules.expression(cursor);
  const alias = cursor.optionalAlias();
  return { kind: "SelectExpression", span: cursor.spanFrom(start), expression, alias };
}
