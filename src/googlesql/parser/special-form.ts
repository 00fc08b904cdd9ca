/** Expressions with a syntax of their own. */
import type { Case, CastExpression, DatePart, Expression, Extract, QueryExpression, WithExpression } from "../ast.ts";
import type { Cursor } from "./cursor.ts";
import { canBeginQuery, parseParenthesized } from "./parenthesis.ts";
import { parseType } from "./type.ts";

/** `CASE [x] WHEN a THEN b ... [ELSE c] END`. */
export function parseCase(cursor: Cursor): Case {
  const { start } = cursor.advance();
  const operand = cursor.is("WHEN") ? undefined : cursor.rules.expression(cursor);
  const branches: { when: Expression; then: Expression }[] = [];
  if (!cursor.is("WHEN")) throw cursor.expected("keyword WHEN");
  while (cursor.take("WHEN")) {
    const when = cursor.rules.expression(cursor);
    cursor.expect("THEN");
    // biome-ignore lint/suspicious/noThenProperty: WHEN and THEN are the syntax tree's words, and a branch is never awaited
    branches.push({ when, then: cursor.rules.expression(cursor) });
  }
  const otherwise = cursor.take("ELSE") ? cursor.rules.expression(cursor) : undefined;
  if (!cursor.take("END")) {
    throw cursor.expected(otherwise === undefined ? "keyword ELSE or keyword END or keyword WHEN" : "keyword END");
  }
  const span = cursor.spanFrom(start);
  return { kind: "Case", span, operand, branches, else: otherwise };
}

/** `CAST(x AS type [FORMAT f [AT TIME ZONE z]])` or `SAFE_CAST(...)`. */
export function parseCast(cursor: Cursor): CastExpression {
  const { start, code } = cursor.advance();
  cursor.expect("(");
  if (cursor.is("SELECT")) {
    const message =
      `The argument to ${code} is an expression, not a query; to use a query as an expression, the query must ` +
      "be wrapped with additional parentheses to make it a scalar subquery expression";
    throw cursor.error(message, cursor.token);
  }
  const operand = cursor.rules.expression(cursor);
  cursor.expect("AS");
  const type = parseType(cursor);
  const format = cursor.take("FORMAT") ? cursor.rules.expression(cursor) : undefined;
  const timeZone = format === undefined ? undefined : parseTimeZone(cursor);
  if (!cursor.is(")")) throw cursor.expected(format === undefined ? '")" or keyword FORMAT' : '")"');
  cursor.advance();
  return { kind: "Cast", span: cursor.spanFrom(start), isSafe: code === "SAFE_CAST", operand, type, format, timeZone };
}

function parseTimeZone(cursor: Cursor): Expression | undefined {
  if (!cursor.take("AT")) return undefined;
  cursor.expect("TIME");
  cursor.expect("ZONE");
  return cursor.rules.expression(cursor);
}

/** `EXTRACT(part FROM x [AT TIME ZONE z])`. */
export function parseExtract(cursor: Cursor): Extract {
  const { start } = cursor.advance();
  cursor.expect("(");
  const part = readDatePart(cursor, cursor.rules.expression(cursor));
  cursor.expect("FROM");
  const operand = cursor.rules.expression(cursor);
  const timeZone = parseTimeZone(cursor);
  cursor.expect(")");
  return { kind: "Extract", span: cursor.spanFrom(start), part, operand, timeZone };
}

/** A part is written as a name or as `WEEK(MONDAY)`. */
function readDatePart(cursor: Cursor, written: Expression): DatePart {
  const { span } = written;
  if (written.kind === "Identifier") return { kind: "DatePart", span, name: written.name.toUpperCase() };
  if (written.kind === "FunctionCall" && written.name.parts.length === 1 && written.arguments.length === 1) {
    const name = written.name.parts[0]?.name.toUpperCase();
    const weekday = written.arguments[0]?.value;
    if (name !== undefined && weekday?.kind === "Identifier") {
      return { kind: "DatePart", span, name, weekday: weekday.name.toUpperCase() };
    }
  }
  cursor.refuse("EXTRACT takes the name of a date or time part", span, "invalid_query");
  return { kind: "DatePart", span, name: "" };
}

/** A part of an interval: one name. */
export function parseDatePartName(cursor: Cursor): DatePart {
  const { span, name } = cursor.identifier();
  return { kind: "DatePart", span, name: name.toUpperCase() };
}

/** `EXISTS(query)`. */
export function parseExists(cursor: Cursor): QueryExpression {
  const { start } = cursor.advance();
  return parseQueryIn(cursor, start, "EXISTS");
}

/** The parenthesised query that must stand here. */
export function parseQueryIn(cursor: Cursor, start: number, mode: QueryExpression["mode"]): QueryExpression {
  if (!cursor.is("(")) throw cursor.expected('"("');
  const inside = cursor.peek();
  const content = parseParenthesized(cursor);
  if (content.kind !== "Query") throw cursor.unexpected(inside);
  return { kind: "QueryExpression", span: cursor.spanFrom(start), mode, query: content.query };
}

/** `WITH(a AS 1, b AS a + 1, a * b)`. */
export function parseWithExpression(cursor: Cursor): WithExpression {
  const { start } = cursor.token;
  if (cursor.peek().code !== "(" || canBeginQuery(cursor)) throw cursor.unexpected();
  cursor.advance();
  cursor.advance();
  const variables: WithExpression["variables"][number][] = [];
  do {
    const isVariable = cursor.isIdentifier() && cursor.peek().code === "AS";
    if (!isVariable) break;
    const name = cursor.takeIdentifier();
    cursor.expect("AS");
    variables.push({ name, value: cursor.rules.expression(cursor) });
  } while (cursor.take(","));
  if (variables.length === 0) throw cursor.unexpected();
  const body = cursor.rules.expression(cursor);
  cursor.expect(")");
  return { kind: "WithExpression", span: cursor.spanFrom(start), variables, body };
}
