import type { ChExpression } from "../clickhouse-ast.ts";
import type { Cursor } from "./cursor.ts";

type Parse = (cursor: Cursor) => ChExpression;

/** A value with the subscripts and casts behind it. */
export function parsePrimary(cursor: Cursor, parseExpression: Parse): ChExpression {
  const { start } = cursor.token;
  let value = parseValue(cursor, parseExpression);
  for (let count = 0; ; count++) {
    if (count > 50) throw cursor.error("too_complex", "More than 50 subscripts and casts of one value");
    if (cursor.takeSymbol("[")) {
      const index = parseExpression(cursor);
      cursor.expectSymbol("]");
      value = { kind: "subscript", base: value, index, span: cursor.spanFrom(start) };
    } else if (cursor.takeSymbol("::")) {
      value = { kind: "cast", operand: value, type: parseType(cursor), span: cursor.spanFrom(start) };
    } else return value;
  }
}

function parseValue(cursor: Cursor, parseExpression: Parse): ChExpression {
  const { kind, value, start } = cursor.token;
  switch (kind) {
    case "number":
      cursor.next();
      return { kind: "number", text: value, span: cursor.spanFrom(start) };
    case "string":
      cursor.next();
      return { kind: "string", value, span: cursor.spanFrom(start) };
    case "quoted":
      return parseName(cursor);
    case "word":
      return parseWord(cursor, parseExpression);
    case "symbol":
      if (value === "(") return parseParentheses(cursor, parseExpression);
      if (value === "[") return parseArray(cursor, parseExpression);
      if (value === "*") throw cursor.error("unsupported", "* is not supported: name the columns, and use count()");
      if (value === "{" || value === "@" || value === "$") {
        throw cursor.error("unsupported", "Query parameters are not supported: write the value");
      }
      throw cursor.expected("an expression");
    case "end":
      throw cursor.expected("an expression");
  }
}

function parseParentheses(cursor: Cursor, parseExpression: Parse): ChExpression {
  cursor.expectSymbol("(");
  if (cursor.isWord("SELECT")) throw cursor.error("unsupported", "Subqueries are not supported");
  const inner = parseExpression(cursor);
  if (cursor.isSymbol(",")) throw cursor.error("unsupported", "Tuples are not supported");
  cursor.expectSymbol(")");
  return inner;
}

function parseArray(cursor: Cursor, parseExpression: Parse): ChExpression {
  const { start } = cursor.token;
  cursor.expectSymbol("[");
  const items = cursor.isSymbol("]") ? [] : cursor.list(() => parseExpression(cursor));
  cursor.expectSymbol("]");
  return { kind: "array", items, span: cursor.spanFrom(start) };
}

function parseWord(cursor: Cursor, parseExpression: Parse): ChExpression {
  const { value, start } = cursor.token;
  const word = value.toUpperCase();
  const isCall = cursor.peek(1).kind === "symbol" && cursor.peek(1).value === "(";
  if (word === "CASE") return parseCase(cursor, parseExpression);
  if (word === "CAST" && isCall) return parseCast(cursor, parseExpression);
  if (isCall) return parseCall(cursor, parseExpression);
  if (word === "NULL" || word === "TRUE" || word === "FALSE") {
    cursor.next();
    const span = cursor.spanFrom(start);
    return word === "NULL" ? { kind: "null", span } : { kind: "bool", value: word === "TRUE", span };
  }
  if (word === "INTERVAL") return parseInterval(cursor, parseExpression);
  if (word === "SELECT" || word === "FROM" || word === "WHERE") throw cursor.expected("an expression");
  return parseName(cursor);
}

function parseName(cursor: Cursor): ChExpression {
  const { start } = cursor.token;
  const first = cursor.next().value;
  if (!cursor.takeSymbol(".")) return { kind: "name", qualifier: undefined, name: first, span: cursor.spanFrom(start) };
  const { kind } = cursor.token;
  if (kind !== "word" && kind !== "quoted") throw cursor.expected("a column");
  const name = cursor.next().value;
  if (cursor.isSymbol(".")) throw cursor.error("unsupported", "Columns have at most one qualifier");
  return { kind: "name", qualifier: first, name, span: cursor.spanFrom(start) };
}

function parseCall(cursor: Cursor, parseExpression: Parse): ChExpression {
  const { start, value: name } = cursor.next();
  const first = parseArguments(cursor, parseExpression);
  const isParametrized = cursor.isSymbol("(");
  if (isParametrized && (first.isDistinct || first.isStar)) throw cursor.expected("the end of the call");
  const second = isParametrized ? parseArguments(cursor, parseExpression) : undefined;
  for (const word of ["OVER", "FILTER", "RESPECT", "IGNORE"]) {
    if (cursor.isWord(word)) throw cursor.error("unsupported", `${word} behind a call is not supported`);
  }
  const { args, isDistinct, isStar } = second ?? first;
  const parameters = second === undefined ? undefined : first.args;
  return { kind: "call", name, parameters, args, isDistinct, isStar, span: cursor.spanFrom(start) };
}

function parseArguments(cursor: Cursor, parseExpression: Parse) {
  cursor.expectSymbol("(");
  const isDistinct = cursor.takeWord("DISTINCT");
  const isStar = !isDistinct && cursor.takeSymbol("*");
  if (cursor.isWord("SELECT")) throw cursor.error("unsupported", "Subqueries are not supported");
  const args = isStar || cursor.isSymbol(")") ? [] : cursor.list(() => parseExpression(cursor));
  cursor.expectSymbol(")");
  return { args, isDistinct, isStar };
}

function parseCase(cursor: Cursor, parseExpression: Parse): ChExpression {
  const { start } = cursor.next();
  const operand = cursor.isWord("WHEN") ? undefined : parseExpression(cursor);
  const branches: { when: ChExpression; result: ChExpression }[] = [];
  while (cursor.takeWord("WHEN")) {
    const when = parseExpression(cursor);
    cursor.expectWord("THEN");
    branches.push({ when, result: parseExpression(cursor) });
    if (branches.length > 1_000) throw cursor.error("too_complex", "More than 1000 branches of one CASE");
  }
  if (branches.length === 0) throw cursor.expected("WHEN");
  const otherwise = cursor.takeWord("ELSE") ? parseExpression(cursor) : undefined;
  cursor.expectWord("END");
  return { kind: "case", operand, branches, otherwise, span: cursor.spanFrom(start) };
}

/** `CAST(x AS type)` and `CAST(x, 'type')`. */
function parseCast(cursor: Cursor, parseExpression: Parse): ChExpression {
  const { start } = cursor.next();
  cursor.expectSymbol("(");
  const operand = parseExpression(cursor);
  let type: string;
  if (cursor.takeSymbol(",")) {
    if (cursor.token.kind !== "string") throw cursor.expected("a type as text");
    type = cursor.next().value;
  } else {
    cursor.expectWord("AS");
    type = parseType(cursor);
  }
  cursor.expectSymbol(")");
  return { kind: "cast", operand, type, span: cursor.spanFrom(start) };
}

/** A type with what it has in parentheses, as text. */
function parseType(cursor: Cursor): string {
  if (cursor.token.kind !== "word") throw cursor.expected("a type");
  const { start } = cursor.next();
  if (cursor.takeSymbol("(")) {
    for (let depth = 1; depth > 0; ) {
      const { kind, value } = cursor.next();
      if (kind === "end") throw cursor.expected('")"');
      if (kind === "symbol") depth += value === "(" ? 1 : value === ")" ? -1 : 0;
    }
  }
  return cursor.text.slice(start, cursor.spanFrom(start).end);
}

/** `INTERVAL 5 MINUTE`, and `INTERVAL '5 minute'`. */
function parseInterval(cursor: Cursor, parseExpression: Parse): ChExpression {
  const { start } = cursor.next();
  const quoted = cursor.token.kind === "string" ? /^(\d+) +([A-Za-z]+)$/.exec(cursor.token.value) : null;
  if (quoted !== null) {
    const { start: at, end } = cursor.next();
    const count = { kind: "number", text: quoted[1] ?? "", span: { start: at, end } } as const;
    return { kind: "interval", count, unit: quoted[2] ?? "", span: cursor.spanFrom(start) };
  }
  const count = parsePrimary(cursor, parseExpression);
  if (cursor.token.kind !== "word") throw cursor.expected("a unit of time");
  return { kind: "interval", count, unit: cursor.next().value, span: cursor.spanFrom(start) };
}
