import { MAX_CHAIN_LENGTH, MAX_OPERANDS } from "../../googlesql/limits.ts";
import type { ChExpression, ChOperator } from "../clickhouse-ast.ts";
import type { Cursor } from "./cursor.ts";

/** Words that end an expression, so that they are no alias. */
const keywords: ReadonlySet<string> = new Set([
  ...["AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "BETWEEN", "IS", "AS", "ASC", "DESC", "ASCENDING", "DESCENDING"],
  ...["FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "BY", "WITH", "NULLS", "ON", "USING"],
  ...["PREWHERE", "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "ANY", "ASOF", "GLOBAL", "ARRAY", "FINAL"],
  ...["SAMPLE", "QUALIFY", "WINDOW", "SETTINGS", "FORMAT", "INTO", "INTERSECT", "EXCEPT", "FETCH"],
  ...["COLLATE", "WHEN", "THEN", "ELSE", "END", "SELECT", "INTERPOLATE", "OVER"],
]);

export function isKeyword(word: string): boolean {
  return keywords.has(word.toUpperCase());
}

/** An expression: `c ? a : b`, which binds least. */
export function parseExpression(cursor: Cursor): ChExpression {
  return cursor.enter(() => {
    const { start } = cursor.token;
    const condition = parseOr(cursor);
    if (!cursor.takeSymbol("?")) return condition;
    const yes = parseExpression(cursor);
    cursor.expectSymbol(":");
    const args = [condition, yes, parseExpression(cursor)];
    const call = { kind: "call", name: "if", parameters: undefined, isDistinct: false, isStar: false } as const;
    return { ...call, args, span: cursor.spanFrom(start) };
  });
}

function parseOr(cursor: Cursor): ChExpression {
  return parseChain(cursor, "or", () => cursor.takeWord("OR"), parseAnd);
}

function parseAnd(cursor: Cursor): ChExpression {
  return parseChain(cursor, "and", () => cursor.takeWord("AND"), parseNot);
}

function parseChain(
  cursor: Cursor,
  kind: "and" | "or" | "concat",
  takeOperator: () => boolean,
  parse: (cursor: Cursor) => ChExpression,
): ChExpression {
  const { start } = cursor.token;
  const first = parse(cursor);
  if (!takeOperator()) return first;
  const operands = [first];
  do {
    if (operands.length >= MAX_OPERANDS) {
      throw cursor.error("too_complex", `More than ${MAX_OPERANDS} operands of one operator`);
    }
    operands.push(parse(cursor));
  } while (takeOperator());
  return { kind, operands, span: cursor.spanFrom(start) };
}

function parseNot(cursor: Cursor): ChExpression {
  const { start } = cursor.token;
  if (!cursor.takeWord("NOT")) return parseComparison(cursor);
  const operand = cursor.enter(() => parseNot(cursor));
  return { kind: "not", operand, span: cursor.spanFrom(start) };
}

const comparisons: Readonly<Record<string, ChOperator>> = {
  ...{ "=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=" },
};

function parseComparison(cursor: Cursor): ChExpression {
  const { start } = cursor.token;
  let left = parseConcat(cursor);
  for (let length = 0; ; length++) {
    if (length > MAX_CHAIN_LENGTH) throw tooLong(cursor);
    const operator = cursor.token.kind === "symbol" ? comparisons[cursor.token.value] : undefined;
    if (operator !== undefined) {
      cursor.next();
      const right = parseConcat(cursor);
      left = { kind: "binary", operator, left, right, span: cursor.spanFrom(start) };
      continue;
    }
    const next = parseTest(cursor, left, start);
    if (next === undefined) return left;
    left = next;
  }
}

/** IS NULL, BETWEEN, IN, LIKE and ILIKE behind an operand; undefined where none stands there. */
function parseTest(cursor: Cursor, operand: ChExpression, start: number): ChExpression | undefined {
  if (cursor.takeWord("IS")) {
    const isNegated = cursor.takeWord("NOT");
    cursor.expectWord("NULL");
    return { kind: "isNull", isNegated, operand, span: cursor.spanFrom(start) };
  }
  const isNegated = cursor.isWord("NOT");
  const word = cursor.peek(isNegated ? 1 : 0).value.toUpperCase();
  if (!["BETWEEN", "IN", "LIKE", "ILIKE"].includes(word)) return undefined;
  if (isNegated) cursor.next();
  cursor.next();
  if (word === "BETWEEN") {
    const low = parseConcat(cursor);
    cursor.expectWord("AND");
    const high = parseConcat(cursor);
    return { kind: "between", isNegated, operand, low, high, span: cursor.spanFrom(start) };
  }
  if (word === "IN") return parseIn(cursor, operand, isNegated, start);
  const pattern = parseConcat(cursor);
  return { kind: "like", isNegated, isCaseless: word === "ILIKE", operand, pattern, span: cursor.spanFrom(start) };
}

function parseIn(cursor: Cursor, operand: ChExpression, isNegated: boolean, start: number): ChExpression {
  const close = cursor.takeSymbol("[") ? "]" : ")";
  if (close === ")") {
    if (!cursor.isSymbol("(")) throw cursor.expected("a list in parentheses");
    cursor.next();
  }
  if (cursor.isWord("SELECT")) throw cursor.error("unsupported", "Subqueries are not supported");
  const items = cursor.list(() => parseExpression(cursor));
  cursor.expectSymbol(close);
  return { kind: "in", isNegated, operand, items, span: cursor.spanFrom(start) };
}

function parseConcat(cursor: Cursor): ChExpression {
  return parseChain(cursor, "concat", () => cursor.takeSymbol("||"), parseSum);
}

function parseSum(cursor: Cursor): ChExpression {
  return parseLeft(cursor, { "+": "+", "-": "-" }, parseProduct);
}

function parseProduct(cursor: Cursor): ChExpression {
  return parseLeft(cursor, { "*": "*", "/": "/", "%": "%" }, parseUnary);
}

function parseLeft(
  cursor: Cursor,
  operators: Readonly<Record<string, ChOperator>>,
  parse: (cursor: Cursor) => ChExpression,
): ChExpression {
  const { start } = cursor.token;
  let left = parse(cursor);
  for (let length = 0; ; length++) {
    const operator = cursor.token.kind === "symbol" ? operators[cursor.token.value] : undefined;
    if (operator === undefined) return left;
    if (length > MAX_CHAIN_LENGTH) throw tooLong(cursor);
    cursor.next();
    const right = parse(cursor);
    left = { kind: "binary", operator, left, right, span: cursor.spanFrom(start) };
  }
}

function tooLong(cursor: Cursor) {
  return cursor.error("too_complex", `More than ${MAX_CHAIN_LENGTH} operators in one chain`);
}

function parseUnary(cursor: Cursor): ChExpression {
  const { start } = cursor.token;
  if (cursor.takeSymbol("+")) return cursor.enter(() => parseUnary(cursor));
  if (!cursor.takeSymbol("-")) return parsePrimary(cursor);
  const operand = cursor.enter(() => parseUnary(cursor));
  return { kind: "negate", operand, span: cursor.spanFrom(start) };
}

/** A value with the subscripts and casts behind it. */
function parsePrimary(cursor: Cursor): ChExpression {
  const { start } = cursor.token;
  let value = parseValue(cursor);
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

function parseValue(cursor: Cursor): ChExpression {
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
      return parseWord(cursor);
    case "symbol":
      if (value === "(") return parseParentheses(cursor);
      if (value === "[") return parseArray(cursor);
      if (value === "*") throw cursor.error("unsupported", "* is not supported: name the columns, and use count()");
      if (value === "{" || value === "@" || value === "$") {
        throw cursor.error("unsupported", "Query parameters are not supported: write the value");
      }
      throw cursor.expected("an expression");
    case "end":
      throw cursor.expected("an expression");
  }
}

function parseParentheses(cursor: Cursor): ChExpression {
  cursor.expectSymbol("(");
  if (cursor.isWord("SELECT")) throw cursor.error("unsupported", "Subqueries are not supported");
  const inner = parseExpression(cursor);
  if (cursor.isSymbol(",")) throw cursor.error("unsupported", "Tuples are not supported");
  cursor.expectSymbol(")");
  return inner;
}

function parseArray(cursor: Cursor): ChExpression {
  const { start } = cursor.token;
  cursor.expectSymbol("[");
  const items = cursor.isSymbol("]") ? [] : cursor.list(() => parseExpression(cursor));
  cursor.expectSymbol("]");
  return { kind: "array", items, span: cursor.spanFrom(start) };
}

function parseWord(cursor: Cursor): ChExpression {
  const { value, start } = cursor.token;
  const word = value.toUpperCase();
  const isCall = cursor.peek(1).kind === "symbol" && cursor.peek(1).value === "(";
  if (word === "CASE") return parseCase(cursor);
  if (word === "CAST" && isCall) return parseCast(cursor);
  if (isCall) return parseCall(cursor);
  if (word === "NULL" || word === "TRUE" || word === "FALSE") {
    cursor.next();
    const span = cursor.spanFrom(start);
    return word === "NULL" ? { kind: "null", span } : { kind: "bool", value: word === "TRUE", span };
  }
  if (word === "INTERVAL") return parseInterval(cursor);
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

function parseCall(cursor: Cursor): ChExpression {
  const { start, value: name } = cursor.next();
  const first = parseArguments(cursor);
  const isParametrized = cursor.isSymbol("(");
  if (isParametrized && (first.isDistinct || first.isStar)) throw cursor.expected("the end of the call");
  const second = isParametrized ? parseArguments(cursor) : undefined;
  for (const word of ["OVER", "FILTER", "RESPECT", "IGNORE"]) {
    if (cursor.isWord(word)) throw cursor.error("unsupported", `${word} behind a call is not supported`);
  }
  const { args, isDistinct, isStar } = second ?? first;
  const parameters = second === undefined ? undefined : first.args;
  return { kind: "call", name, parameters, args, isDistinct, isStar, span: cursor.spanFrom(start) };
}

function parseArguments(cursor: Cursor) {
  cursor.expectSymbol("(");
  const isDistinct = cursor.takeWord("DISTINCT");
  const isStar = !isDistinct && cursor.takeSymbol("*");
  if (cursor.isWord("SELECT")) throw cursor.error("unsupported", "Subqueries are not supported");
  const args = isStar || cursor.isSymbol(")") ? [] : cursor.list(() => parseExpression(cursor));
  cursor.expectSymbol(")");
  return { args, isDistinct, isStar };
}

function parseCase(cursor: Cursor): ChExpression {
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
function parseCast(cursor: Cursor): ChExpression {
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
function parseInterval(cursor: Cursor): ChExpression {
  const { start } = cursor.next();
  const quoted = cursor.token.kind === "string" ? /^(\d+) +([A-Za-z]+)$/.exec(cursor.token.value) : null;
  if (quoted !== null) {
    const { start: at, end } = cursor.next();
    const count = { kind: "number", text: quoted[1] ?? "", span: { start: at, end } } as const;
    return { kind: "interval", count, unit: quoted[2] ?? "", span: cursor.spanFrom(start) };
  }
  const count = parsePrimary(cursor);
  if (cursor.token.kind !== "word") throw cursor.expected("a unit of time");
  return { kind: "interval", count, unit: cursor.next().value, span: cursor.spanFrom(start) };
}
