import type { BinaryOperator, Expression, IsTest, Like } from "../ast.ts";
import { MAX_CHAIN_LENGTH, MAX_OPERANDS } from "../limits.ts";
import type { Cursor } from "./cursor.ts";
import { parseRightHandSet } from "./parenthesis.ts";
import { parseAccessors, parsePrimary } from "./primary.ts";

/** How tight binary operators bind. Source: "Operator precedence" of the GoogleSQL reference. */
function precedenceOf(operator: BinaryOperator): number {
  switch (operator) {
    case "|":
      return 1;
    case "^":
      return 2;
    case "&":
      return 3;
    case "<<":
    case ">>":
      return 4;
    case "+":
    case "-":
      return 5;
    default:
      return 6;
  }
}

function comparisonOf(code: string): BinaryOperator | undefined {
  switch (code) {
    case "=":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return code;
    case "<>":
      return "!=";
    default:
      return undefined;
  }
}

/** Any expression. `first` is its first operand, where that is already read. */
export function parseExpression(cursor: Cursor, first?: Expression): Expression {
  cursor.enter();
  const expression = parseOr(cursor, first);
  cursor.leave();
  return expression;
}

function parseOr(cursor: Cursor, first?: Expression): Expression {
  const { start } = cursor.token;
  const left = parseAnd(cursor, first);
  if (!cursor.is("OR")) return left;
  const operands = [left];
  while (cursor.take("OR")) pushOperand(cursor, operands, parseAnd);
  return { kind: "LogicalOperation", span: spanOf(cursor, start, first), operator: "OR", operands };
}

function parseAnd(cursor: Cursor, first?: Expression): Expression {
  const { start } = cursor.token;
  const left = parseNot(cursor, first);
  if (!cursor.is("AND")) return left;
  const operands = [left];
  while (cursor.take("AND")) pushOperand(cursor, operands, parseNot);
  return { kind: "LogicalOperation", span: spanOf(cursor, start, first), operator: "AND", operands };
}

function pushOperand(cursor: Cursor, operands: Expression[], parse: (cursor: Cursor) => Expression): void {
  if (operands.length === MAX_OPERANDS) {
    throw cursor.error(`A condition has more than ${MAX_OPERANDS} operands`, cursor.token, "too_complex");
  }
  operands.push(parse(cursor));
}

function parseNot(cursor: Cursor, first?: Expression): Expression {
  const { start } = cursor.token;
  if (first !== undefined || !cursor.take("NOT")) return parseComparison(cursor, first);
  cursor.enter();
  const operand = parseNot(cursor);
  cursor.leave();
  return { kind: "UnaryOperation", span: cursor.spanFrom(start), operator: "NOT", operand };
}

function spanOf(cursor: Cursor, start: number, first: Expression | undefined): Expression["span"] {
  return cursor.spanFrom(first === undefined ? start : first.span.start);
}

/**
 * Comparisons do not associate. What stands right of IN, IS and LIKE ANY is no expression, so operators that bind
 * tighter may follow it and then take the whole comparison as their left operand, but another comparison may not.
 */
function parseComparison(cursor: Cursor, first?: Expression): Expression {
  const start = first?.span.start ?? cursor.token.start;
  let left = parseBinary(cursor, 1, first);
  let comparison: Expression | undefined;
  for (;;) {
    const operator = comparisonAt(cursor);
    if (operator === undefined) return left;
    if (left === comparison) {
      const message = `Syntax error: Expression to the left of ${operator} must be parenthesized`;
      throw cursor.error(message, cursor.token);
    }
    const open = parseOpenComparison(cursor, start, left);
    if (open !== undefined) {
      if (comparisonAt(cursor) !== undefined) throw cursor.unexpected();
      return open;
    }
    comparison = parseClosedComparison(cursor, start, left);
    left = parseBinary(cursor, 1, comparison);
  }
}

/** The name of the comparison operator at the current token. */
function comparisonAt(cursor: Cursor): string | undefined {
  const { code, kind } = cursor.token;
  if (kind === "symbol") return comparisonOf(code) === undefined ? undefined : "comparison";
  if (kind !== "reserved") return undefined;
  const operator = code === "NOT" ? cursor.peek().code : code;
  switch (operator) {
    case "IN":
    case "LIKE":
    case "BETWEEN":
      return operator;
    case "IS":
      return code === "IS" ? operator : undefined;
    default:
      return undefined;
  }
}

/** A comparison that ends in an expression. */
function parseOpenComparison(cursor: Cursor, start: number, left: Expression): Expression | undefined {
  const operator = cursor.token.kind === "symbol" ? comparisonOf(cursor.token.code) : undefined;
  if (operator !== undefined) {
    cursor.advance();
    const right = parseBinary(cursor, 1);
    return { kind: "BinaryOperation", span: cursor.spanFrom(start), operator, left, right };
  }
  const isNegated = cursor.is("NOT");
  const code = isNegated ? cursor.peek().code : cursor.token.code;
  if (code === "BETWEEN") {
    if (isNegated) cursor.advance();
    return parseBetween(cursor, start, left, isNegated);
  }
  if (code === "LIKE" && !isQuantifier(cursor.peek(isNegated ? 2 : 1).code)) {
    if (isNegated) cursor.advance();
    cursor.advance();
    const pattern: Like["pattern"] = { kind: "Single", expression: parseBinary(cursor, 1) };
    return { kind: "Like", span: cursor.spanFrom(start), isNegated, operand: left, pattern };
  }
  if (code !== "IS") return undefined;
  const isNotDistinct = cursor.peek().code === "NOT" && cursor.peek(2).code === "DISTINCT";
  if (!isNotDistinct && cursor.peek().code !== "DISTINCT") return undefined;
  cursor.advance();
  if (isNotDistinct) cursor.advance();
  cursor.advance();
  cursor.expect("FROM");
  const right = cursor.is("NOT") ? parseNot(cursor) : parseBinary(cursor, 1);
  return { kind: "IsDistinctFrom", span: cursor.spanFrom(start), isNegated: isNotDistinct, left, right };
}

function isQuantifier(code: string): code is "ANY" | "SOME" | "ALL" {
  return code === "ANY" || code === "SOME" || code === "ALL";
}

function parseBetween(cursor: Cursor, start: number, operand: Expression, isNegated: boolean): Expression {
  cursor.expect("BETWEEN");
  const { token } = cursor;
  const low = parseBinary(cursor, 1);
  if (cursor.is("OR") || comparisonAt(cursor) !== undefined) {
    throw cursor.error("Syntax error: Expression in BETWEEN must be parenthesized", token);
  }
  cursor.expect("AND");
  const high = parseBinary(cursor, 1);
  return { kind: "Between", span: cursor.spanFrom(start), isNegated, operand, low, high };
}

/** A comparison that ends in a list, a query or a keyword. */
function parseClosedComparison(cursor: Cursor, start: number, left: Expression): Expression {
  if (cursor.take("IS")) return parseIs(cursor, start, left);
  const isNegated = cursor.take("NOT");
  if (cursor.take("IN")) {
    const set = parseRightHandSet(cursor, false);
    return { kind: "In", span: cursor.spanFrom(start), isNegated, operand: left, set };
  }
  cursor.expect("LIKE");
  const quantifier = cursor.advance().code;
  if (!isQuantifier(quantifier)) throw cursor.unexpected();
  const pattern: Like["pattern"] = { kind: "Quantified", quantifier, set: parseRightHandSet(cursor, true) };
  return { kind: "Like", span: cursor.spanFrom(start), isNegated, operand: left, pattern };
}

function parseIs(cursor: Cursor, start: number, operand: Expression): IsTest {
  const isNegated = cursor.take("NOT");
  const test = cursor.token.code;
  if (test !== "NULL" && test !== "TRUE" && test !== "FALSE" && test !== "UNKNOWN") {
    throw cursor.expected("keyword FALSE or keyword NULL or keyword TRUE or keyword UNKNOWN");
  }
  cursor.advance();
  return { kind: "IsTest", span: cursor.spanFrom(start), isNegated, operand, test };
}

/**
 * Parses operators that bind tighter than comparisons, by precedence climbing: chains on the left are read in a loop.
 */
export function parseBinary(cursor: Cursor, minPrecedence: number, first?: Expression): Expression {
  const start = first?.span.start ?? cursor.token.start;
  let left = first === undefined ? parseUnary(cursor) : parseAccessors(cursor, start, first);
  let length = 0;
  for (;;) {
    const operator = binaryAt(cursor);
    if (operator === undefined) return left;
    const precedence = precedenceOf(operator);
    if (precedence < minPrecedence) return left;
    length++;
    if (length > MAX_CHAIN_LENGTH) {
      const message = `Expression is a chain of more than ${MAX_CHAIN_LENGTH} operators`;
      throw cursor.error(message, cursor.token, "too_complex");
    }
    cursor.advance();
    if (operator === ">>") cursor.advance();
    const right = parseBinary(cursor, precedence + 1);
    left = { kind: "BinaryOperation", span: cursor.spanFrom(start), operator, left, right };
  }
}

function binaryAt(cursor: Cursor): BinaryOperator | undefined {
  const { code } = cursor.token;
  switch (code) {
    case "|":
    case "^":
    case "&":
    case "<<":
    case "+":
    case "-":
    case "*":
    case "/":
    case "||":
      return code;
    case ">": {
      const next = cursor.peek();
      return next.code === ">" && cursor.isAdjacent(cursor.token, next) ? ">>" : undefined;
    }
    default:
      return undefined;
  }
}

function parseUnary(cursor: Cursor): Expression {
  const { start, code } = cursor.token;
  if (code !== "-" && code !== "+" && code !== "~") return parsePrimary(cursor);
  cursor.advance();
  cursor.enter();
  const operand = parseUnary(cursor);
  cursor.leave();
  return { kind: "UnaryOperation", span: cursor.spanFrom(start), operator: code, operand };
}
