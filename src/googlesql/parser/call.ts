import type { Expression, FunctionArgument, FunctionCall, Identifier, Lambda } from "../ast.ts";
import { MAX_ARGUMENTS } from "../limits.ts";
import { parseLimit, parseList, parseOrderBy } from "./clause.ts";
import type { Cursor } from "./cursor.ts";
import { parseGroupBy } from "./group-by.ts";
import { parseWindowSpecification } from "./window.ts";

/** The function that a call names. `receiver` is the value before the dot of a chained call. */
export interface CallHead {
  readonly start: number;
  readonly name: readonly Identifier[];
  readonly receiver?: Expression;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The parenthesised arguments of a call with their clauses, and OVER. Source: "Function calls" of the reference. */
export function parseCall(cursor: Cursor, head: CallHead): FunctionCall {
  cursor.expect("(");
  const isDistinct = cursor.take("DISTINCT");
  const isSafe = isSafeName(head.name);
  const args: FunctionArgument[] = head.receiver === undefined ? [] : [argumentOf(head.receiver)];
  const call: Mutable<FunctionCall> = {
    kind: "FunctionCall",
    span: { start: head.start, end: head.start },
    name: cursor.pathOf(isSafe ? head.name.slice(1) : head.name),
    isSafe,
    isChained: head.receiver === undefined ? undefined : true,
    isStar: false,
    isDistinct,
    arguments: args,
    nullHandling: undefined,
    where: undefined,
    having: undefined,
    groupBy: undefined,
    clamped: undefined,
    orderBy: [],
    limit: undefined,
    over: undefined,
  };
  if (cursor.take("*")) {
    call.isStar = true;
    if (cursor.take(",")) parseArguments(cursor, args);
  } else if (!isEndOfArguments(cursor)) {
    parseArguments(cursor, args);
  }
  if (!cursor.is(")")) parseModifiers(cursor, call);
  cursor.expect(")");
  if (cursor.take("OVER")) {
    cursor.windowCalls++;
    call.over = parseWindowSpecification(cursor);
  }
  call.span = cursor.spanFrom(head.start);
  return call;
}

/** `SAFE.f` is the call of `f` that gives NULL instead of an error. */
function isSafeName(parts: readonly Identifier[]): boolean {
  const first = parts[0];
  return parts.length > 1 && first?.isQuoted === false && first.name.toUpperCase() === "SAFE";
}

function argumentOf(value: Expression): FunctionArgument {
  return { kind: "Argument", span: value.span, name: undefined, value, alias: undefined };
}

function isEndOfArguments(cursor: Cursor): boolean {
  switch (cursor.token.code) {
    case ")":
    case "IGNORE":
    case "RESPECT":
    case "WHERE":
    case "HAVING":
    case "GROUP":
    case "ORDER":
    case "LIMIT":
      return true;
    default:
      return false;
  }
}

function parseArguments(cursor: Cursor, args: FunctionArgument[]): void {
  args.push(...parseList(cursor, parseArgument, false, { what: "A call", items: "arguments", most: MAX_ARGUMENTS }));
}

/** `value`, `value AS alias`, `name => value` or a lambda. */
export function parseArgument(cursor: Cursor): FunctionArgument {
  const { start } = cursor.token;
  if (cursor.isIdentifier() && cursor.peek().code === "=>") {
    const name = cursor.takeIdentifier();
    cursor.advance();
    if (cursor.is("INPUT") && cursor.peek().code === "TABLE") {
      cursor.refuse("INPUT TABLE cannot be a named argument here", cursor.advance(), "unsupported", "INPUT TABLE");
    }
    const value = parseValueOrLambda(cursor);
    return { kind: "Argument", span: cursor.spanFrom(start), name, value, alias: undefined };
  }
  if (cursor.is("SELECT")) {
    const message =
      "Each function argument is an expression, not a query; to use a query as an expression, the query must " +
      "be wrapped with additional parentheses to make it a scalar subquery expression";
    throw cursor.error(message, cursor.token);
  }
  const value = parseValueOrLambda(cursor);
  const alias = cursor.take("AS") ? cursor.identifier() : undefined;
  return { kind: "Argument", span: cursor.spanFrom(start), name: undefined, value, alias };
}

function parseValueOrLambda(cursor: Cursor): Expression {
  const { token } = cursor;
  if (cursor.is("(") && cursor.peek().code === ")" && cursor.peek(2).code === "->") {
    cursor.advance();
    cursor.advance();
    return parseLambda(cursor, token.start, []);
  }
  const value = cursor.rules.expression(cursor);
  if (!cursor.is("->")) return value;
  return parseLambda(cursor, token.start, readLambdaParameters(cursor, value));
}

function parseLambda(cursor: Cursor, start: number, parameters: readonly Identifier[]): Lambda {
  cursor.expect("->");
  const body = cursor.rules.expression(cursor);
  return { kind: "Lambda", span: cursor.spanFrom(start), parameters, body };
}

/** A name or a tuple of names; the grammar takes any path and any tuple. */
function readLambdaParameters(cursor: Cursor, value: Expression): Identifier[] {
  if (value.kind === "Identifier") return [value];
  const isTuple = value.kind === "StructConstructor" && value.isTuple === true;
  if (!isTuple && value.kind !== "FieldAccess") {
    throw cursor.error("Syntax error: Expecting lambda argument list", value.span);
  }
  const names = (isTuple ? value.fields : []).map((field) => field.expression);
  const parameters = names.filter((name) => name.kind === "Identifier");
  if (parameters.length === 0 || parameters.length < names.length) {
    cursor.refuse("The arguments of a lambda must be names", value.span, "invalid_query");
  }
  return parameters;
}

/** The clauses after the arguments, in the one order the grammar allows. */
function parseModifiers(cursor: Cursor, call: Mutable<FunctionCall>): void {
  if (cursor.is("IGNORE") || cursor.is("RESPECT")) {
    call.nullHandling = cursor.advance().code === "IGNORE" ? "IGNORE" : "RESPECT";
    cursor.expect("NULLS");
  }
  if (cursor.take("WHERE")) call.where = cursor.rules.expression(cursor);
  if (cursor.take("HAVING")) {
    if (!cursor.is("MAX") && !cursor.is("MIN")) throw cursor.expected("keyword MAX or keyword MIN");
    const kind = cursor.advance().code === "MAX" ? "MAX" : "MIN";
    call.having = { kind, expression: cursor.rules.expression(cursor) };
  }
  const groupBy = parseGroupBy(cursor, "call");
  if (groupBy !== undefined) {
    call.groupBy = groupBy;
    const { token } = cursor;
    if (cursor.take("HAVING")) {
      cursor.rules.expression(cursor);
      cursor.refuse("HAVING after GROUP BY in a function call is not supported", token, "unsupported", "HAVING");
    }
  }
  if (cursor.is("CLAMPED") && call.arguments.length > 0) {
    cursor.advance();
    cursor.expect("BETWEEN");
    const low = cursor.rules.operand(cursor);
    cursor.expect("AND");
    call.clamped = [low, cursor.rules.expression(cursor)];
  }
  if (cursor.is("ORDER")) call.orderBy = parseOrderBy(cursor);
  const limit = parseLimit(cursor);
  if (limit !== undefined) call.limit = limit;
}
