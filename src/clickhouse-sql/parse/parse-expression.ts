import { MAX_CHAIN_LENGTH, MAX_OPERANDS } from "../../googlesql/limits.ts";
import type { ChExpression, ChOperator } from "../clickhouse-ast.ts";
import type { Cursor } from "./cursor.ts";
import { parsePrimary } from "./parse-primary.ts";

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
  if (!cursor.takeSymbol("-")) return parsePrimary(cursor, parseExpression);
  const operand = cursor.enter(() => parseUnary(cursor));
  return { kind: "negate", operand, span: cursor.spanFrom(start) };
}
