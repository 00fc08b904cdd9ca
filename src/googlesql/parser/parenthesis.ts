import type { Expression, Query, RightHandSet, SelectExpression } from "../ast.ts";
import { parseList } from "./clause.ts";
import type { Cursor } from "./cursor.ts";

/** The content of a pair of parentheses, which only shows its kind while it is read. */
export type Parenthesized =
  | { readonly kind: "Query"; readonly query: Query; readonly isDouble: boolean }
  | { readonly kind: "Expressions"; readonly items: readonly Expression[] };

/** Whether a query begins at the current token, in parentheses or not. */
export function canBeginQuery(cursor: Cursor): boolean {
  switch (cursor.token.code) {
    case "SELECT":
    case "FROM":
      return true;
    case "WITH":
      // `WITH(a AS 1, a + 1)` is an expression.
      return cursor.peek().code !== "(";
    case "TABLE":
      return isTableClauseInParentheses(cursor);
    default:
      return false;
  }
}

/** TABLE is no reserved word, so what follows the name decides. */
function isTableClauseInParentheses(cursor: Cursor): boolean {
  if (!cursor.isIdentifier(cursor.peek())) return false;
  const name = cursor.peek().code;
  switch (cursor.peek(2).code) {
    case "UNION":
    case "INTERSECT":
    case "EXCEPT":
    case "ORDER":
    case "LIMIT":
    case "|>":
    case ".":
    case ")":
      return true;
    case "(":
      return name !== "PIVOT" && name !== "UNPIVOT";
    default:
      return false;
  }
}

/** Whether a parenthesised query that was just read continues as a query: `(SELECT 1) UNION ALL ...`. */
export function continuesQuery(cursor: Cursor): boolean {
  switch (cursor.token.code) {
    case "UNION":
    case "INTERSECT":
    case "EXCEPT":
    case "ORDER":
    case "LIMIT":
    case "|>":
    case "OUTER":
      return true;
    case "LEFT":
    case "FULL":
    case "INNER": {
      const next = cursor.peek().code === "OUTER" ? cursor.peek(2).code : cursor.peek().code;
      return next === "UNION" || next === "INTERSECT" || next === "EXCEPT";
    }
    default:
      return false;
  }
}

/** Reads from `(` to its `)`: a query, or one or more expressions. */
export function parseParenthesized(cursor: Cursor): Parenthesized {
  cursor.expect("(");
  cursor.enter();
  const content = parseContent(cursor);
  if (!cursor.is(")")) throw cursor.expected(content.kind === "Query" ? '")"' : '")" or ","');
  cursor.advance();
  cursor.leave();
  return content;
}

function parseContent(cursor: Cursor): Parenthesized {
  if (canBeginQuery(cursor)) {
    cursor.enterSubquery();
    const query = cursor.rules.query(cursor);
    cursor.leaveSubquery();
    return { kind: "Query", query, isDouble: false };
  }
  if (!cursor.is("(")) return { kind: "Expressions", items: parseItems(cursor) };
  const { start } = cursor.token;
  const inner = parseParenthesized(cursor);
  if (inner.kind === "Query") {
    if (continuesQuery(cursor)) {
      return { kind: "Query", query: cursor.rules.query(cursor, inner.query), isDouble: false };
    }
    if (cursor.is(")")) return { ...inner, isDouble: true };
  }
  return { kind: "Expressions", items: parseItems(cursor, toExpression(cursor, start, inner)) };
}

function parseItems(cursor: Cursor, first?: Expression): Expression[] {
  const expression = cursor.rules.expression(cursor, first);
  if (!cursor.take(",")) return [expression];
  return [expression, ...parseList(cursor, (inner) => inner.rules.expression(inner))];
}

/** A scalar sub-query, a parenthesised expression or a tuple; `start` is the offset of the parenthesis. */
export function toExpression(cursor: Cursor, start: number, content: Parenthesized): Expression {
  const span = cursor.spanFrom(start);
  if (content.kind === "Query") return { kind: "QueryExpression", span, mode: "SCALAR", query: content.query };
  const [first, ...others] = content.items;
  if (first !== undefined && others.length === 0) return first;
  const fields = content.items.map(
    (expression): SelectExpression => ({ kind: "SelectExpression", span: expression.span, expression }),
  );
  return { kind: "StructConstructor", span, isTuple: true, fields };
}

/**
 * Parses the right side of IN, or of LIKE ANY|SOME|ALL: for the latter a query in two pairs of parentheses is a scalar
 * one.
 */
export function parseRightHandSet(cursor: Cursor, isLike: boolean): RightHandSet {
  if (cursor.take("UNNEST")) {
    cursor.expect("(");
    const [array, ...others] = parseList(cursor, (inner) => inner.rules.expression(inner));
    cursor.expect(")");
    if (array === undefined) throw cursor.unexpected();
    const [second] = others;
    if (second !== undefined) cursor.refuse("IN UNNEST takes one array", second.span, "invalid_query");
    return { kind: "UnnestSet", array };
  }
  if (!cursor.is("(")) throw cursor.unexpected();
  const { start } = cursor.token;
  const content = parseParenthesized(cursor);
  if (content.kind === "Expressions") return { kind: "List", items: content.items };
  if (!isLike || !content.isDouble) return { kind: "QuerySet", query: content.query };
  return { kind: "List", items: [toExpression(cursor, start, content)] };
}
