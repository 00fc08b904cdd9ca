import type {
  ArrayConstructor,
  Expression,
  IntervalExpression,
  RangeLiteral,
  SelectExpression,
  StructConstructor,
} from "../ast.ts";
import { parseExpressions, parseList } from "./clause.ts";
import type { Cursor } from "./cursor.ts";
import { parseString } from "./literal.ts";
import { parseDatePartName, parseQueryIn } from "./special-form.ts";
import { parseType } from "./type.ts";

/** `[1, 2]`, `ARRAY[1, 2]`, `ARRAY<INT64>[1, 2]` or `ARRAY(query)`. */
export function parseArray(cursor: Cursor): Expression {
  const { start } = cursor.token;
  if (cursor.is("ARRAY")) {
    const next = cursor.peek().code;
    if (next === "(") {
      cursor.advance();
      return parseQueryIn(cursor, start, "ARRAY");
    }
    if (next === "<") return parseTypedArray(cursor, start);
    cursor.advance();
    if (!cursor.is("[")) throw cursor.expected('"(" or "<" or "["');
  }
  const elements = parseElements(cursor);
  return { kind: "ArrayConstructor", span: cursor.spanFrom(start), elements };
}

function parseTypedArray(cursor: Cursor, start: number): ArrayConstructor {
  const type = parseType(cursor);
  if (type.kind !== "ArrayTypeSyntax") throw cursor.unexpected();
  const elements = parseElements(cursor);
  return { kind: "ArrayConstructor", span: cursor.spanFrom(start), elementType: type.element, elements };
}

function parseElements(cursor: Cursor): Expression[] {
  cursor.expect("[");
  const elements = cursor.is("]") ? [] : parseExpressions(cursor);
  if (!cursor.take("]")) throw cursor.expected('"]" or ","');
  return elements;
}

/** `STRUCT(1 AS a)` or `STRUCT<a INT64>(1)`. */
export function parseStruct(cursor: Cursor): StructConstructor {
  const { start } = cursor.token;
  const type = cursor.peek().code === "<" ? parseType(cursor) : undefined;
  if (type === undefined) cursor.advance();
  cursor.expect("(");
  const fields = cursor.is(")") ? [] : parseList(cursor, parseField);
  if (!cursor.take(")")) throw cursor.expected('")" or ","');
  return { kind: "StructConstructor", span: cursor.spanFrom(start), ...(type && { type }), fields };
}

function parseField(cursor: Cursor): SelectExpression {
  const { start } = cursor.token;
  const expression = cursor.rules.expression(cursor);
  const alias = cursor.take("AS") ? cursor.identifier() : undefined;
  return { kind: "SelectExpression", span: cursor.spanFrom(start), expression, ...(alias && { alias }) };
}

/** `RANGE<DATE> '[2024-01-01, UNBOUNDED)'`. */
export function parseRangeLiteral(cursor: Cursor): RangeLiteral {
  const { start } = cursor.token;
  const type = parseType(cursor);
  if (cursor.token.kind !== "string") throw cursor.expected("string literal");
  const { value } = parseString(cursor);
  return { kind: "RangeLiteral", span: cursor.spanFrom(start), type, value };
}

/** `INTERVAL 5 DAY` or `INTERVAL '1-2' YEAR TO MONTH`. */
export function parseInterval(cursor: Cursor): IntervalExpression {
  const { start } = cursor.advance();
  const value = cursor.rules.expression(cursor);
  const from = parseDatePartName(cursor);
  const to = cursor.take("TO") ? parseDatePartName(cursor) : undefined;
  return { kind: "Interval", span: cursor.spanFrom(start), value, from, ...(to && { to }) };
}
