import type {
  Expression,
  Identifier,
  ParenthesizedJoin,
  Query,
  TableExpression,
  TableFunction,
  TableSubquery,
  TableSuffix,
  Unnest,
  WithOffset,
} from "../../ast.ts";
import { parseArgument } from "../call.ts";
import { parseList } from "../clause.ts";
import type { Cursor } from "../cursor.ts";
import { canBeginQuery, continuesQuery } from "../parenthesis.ts";
import { parseJoins } from "./join.ts";
import { parseTableArgument } from "./table-argument.ts";
import { parseTablePath } from "./table-path.ts";
import { isPivotOrUnpivot, parsePivots, parseSamples } from "./table-suffix.ts";

/** One table with its alias and suffixes, or a parenthesised join. Source: "FROM clause" of the GoogleSQL reference. */
export function parseTable(cursor: Cursor): TableExpression {
  const { start } = cursor.token;
  const isLateral = cursor.take("LATERAL");
  if (cursor.is("(")) {
    const inner = parseParenthesizedTable(cursor);
    if (inner.kind === "Query") return parseSubqueryEnd(cursor, start, inner, isLateral);
    if (isLateral) throw cursor.unexpected();
    return { ...inner, suffixes: parseSamples(cursor) };
  }
  if (cursor.is("UNNEST")) return parseUnnest(cursor);
  refuseVariable(cursor);
  const path = parseTablePath(cursor);
  if (cursor.is("[")) throw refuseSubscript(cursor);
  if (cursor.is("(")) return parseTableFunctionEnd(cursor, start, path);
  if (isLateral) throw cursor.expected('"("');
  const alias = parseTableAlias(cursor);
  const withOffset = parseWithOffset(cursor);
  const pivots = parsePivots(cursor);
  const forSystemTime = parseSystemTime(cursor, pivots);
  const suffixes = addSamples(cursor, pivots);
  return { kind: "TableReference", span: cursor.spanFrom(start), path, alias, withOffset, forSystemTime, suffixes };
}

function addSamples(cursor: Cursor, pivots: readonly TableSuffix[]): readonly TableSuffix[] {
  return cursor.is("TABLESAMPLE") ? [...pivots, ...parseSamples(cursor)] : pivots;
}

function refuseVariable(cursor: Cursor): void {
  const { token } = cursor;
  if (token.code === "@" || token.code === "?") {
    throw cursor.error("Query parameters cannot be used in place of table names", token);
  }
  if (token.code === "@@") throw cursor.error("System variables cannot be used in place of table names", token);
}

function refuseSubscript(cursor: Cursor): Error {
  const message =
    "Syntax error: Array element access is not allowed in the FROM clause without UNNEST; Use UNNEST(<expression>)";
  return cursor.error(message, cursor.token);
}

/** From `(` to its `)`: a query or a join. A query in it may itself be the first table of a join. */
function parseParenthesizedTable(cursor: Cursor): Query | ParenthesizedJoin {
  const { start } = cursor.advance();
  cursor.enter();
  let content: Query | TableExpression;
  if (canBeginQuery(cursor)) {
    content = cursor.rules.query(cursor);
  } else if (cursor.is("(")) {
    content = parseAfterInner(cursor);
  } else {
    content = parseJoins(cursor, parseTable(cursor), parseTable);
  }
  if (content.kind !== "Query" && content.kind !== "Join") throw cursor.expected("keyword JOIN");
  cursor.expect(")");
  cursor.leave();
  if (content.kind === "Query") return content;
  return { kind: "ParenthesizedJoin", span: cursor.spanFrom(start), join: content, suffixes: [] };
}

function parseAfterInner(cursor: Cursor): Query | TableExpression {
  const { start } = cursor.token;
  const inner = parseParenthesizedTable(cursor);
  if (inner.kind === "ParenthesizedJoin") {
    return parseJoins(cursor, { ...inner, suffixes: parseSamples(cursor) }, parseTable);
  }
  if (continuesQuery(cursor)) return cursor.rules.query(cursor, inner);
  if (cursor.is(")")) return inner;
  return parseJoins(cursor, parseSubqueryEnd(cursor, start, inner, false), parseTable);
}

function parseSubqueryEnd(cursor: Cursor, start: number, query: Query, isLateral: boolean): TableSubquery {
  const alias = parseTableAlias(cursor);
  const suffixes = addSamples(cursor, parsePivots(cursor));
  const span = cursor.spanFrom(start);
  return { kind: "TableSubquery", span, query, isLateral: isLateral || undefined, alias, suffixes };
}

/** A table function, from its parenthesis on. */
function parseTableFunctionEnd(cursor: Cursor, start: number, name: TableFunction["name"]): TableFunction {
  const call = parseTableFunctionCall(cursor, start, name);
  const alias = parseTableAlias(cursor);
  const suffixes = addSamples(cursor, parsePivots(cursor));
  return { ...call, span: cursor.spanFrom(start), ...(alias && { alias }), suffixes };
}

function parseTableFunctionCall(cursor: Cursor, start: number, name: TableFunction["name"]): TableFunction {
  cursor.expect("(");
  const args = cursor.is(")") ? [] : parseList(cursor, parseTableArgument);
  if (!cursor.take(")")) throw cursor.expected('")" or ","');
  return { kind: "TableFunction", span: cursor.spanFrom(start), name, arguments: args, suffixes: [] };
}

/** Parses the operand of TABLE: a path without an alias, or a table function. */
export function parseNamedTable(cursor: Cursor): TableExpression {
  const { start } = cursor.token;
  const path = cursor.path();
  if (cursor.is("(")) return parseTableFunctionEnd(cursor, start, path);
  return { kind: "TableReference", span: path.span, path, suffixes: [] };
}

/** `f(...) [AS alias]` of the pipe operator CALL. */
export function parseCalledTableFunction(cursor: Cursor): TableFunction {
  const { start } = cursor.token;
  const call = parseTableFunctionCall(cursor, start, cursor.is("IF") ? takeKeywordPath(cursor) : cursor.path());
  const alias = cursor.optionalAlias();
  return { ...call, span: cursor.spanFrom(start), ...(alias && { alias }) };
}

function takeKeywordPath(cursor: Cursor): TableFunction["name"] {
  return cursor.pathOf([cursor.takeIdentifier()]);
}

function parseUnnest(cursor: Cursor): Unnest {
  const { start } = cursor.advance();
  cursor.expect("(");
  if (cursor.is("SELECT")) {
    const message =
      "The argument to UNNEST is an expression, not a query; to use a query as an expression, the query must " +
      "be wrapped with additional parentheses to make it a scalar subquery expression";
    throw cursor.error(message, cursor.token);
  }
  const arrays: Unnest["arrays"][number][] = [];
  let mode: Expression | undefined;
  do {
    const { name, value, alias } = parseArgument(cursor);
    if (mode !== undefined || (name !== undefined && arrays.length === 0)) throw cursor.expected('")"');
    if (name !== undefined && name.name.toLowerCase() !== "mode") {
      cursor.refuse(`UNNEST has no argument named ${name.name}`, name.span, "invalid_query", name.name);
    }
    if (name !== undefined) mode = value;
    else arrays.push({ expression: value, alias });
  } while (cursor.take(","));
  if (!cursor.take(")")) throw cursor.expected('")" or ","');
  if (cursor.is("[")) throw refuseSubscript(cursor);
  const alias = parseTableAlias(cursor);
  const withOffset = parseWithOffset(cursor);
  const suffixes = addSamples(cursor, parsePivots(cursor));
  return { kind: "Unnest", span: cursor.spanFrom(start), arrays, mode, alias, withOffset, suffixes };
}

/** QUALIFY after a table is an alias only where no condition follows it. */
const AFTER_ALIAS: ReadonlySet<string> = new Set([
  ...["WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT", "WITH", "FOR"],
  ...["JOIN", "CROSS", "INNER", "FULL", "TABLESAMPLE", "ON", "USING", ",", ")", ";", "|>"],
]);

function parseTableAlias(cursor: Cursor): Identifier | undefined {
  const next = cursor.peek();
  if (cursor.is("QUALIFY") && next.kind !== "end" && !AFTER_ALIAS.has(next.code)) return undefined;
  if (isPivotOrUnpivot(cursor)) return undefined;
  if (cursor.is("MATCH_RECOGNIZE") && next.code === "(") {
    throw cursor.unsupported("MATCH_RECOGNIZE is not supported", cursor.token, "MATCH_RECOGNIZE");
  }
  return cursor.optionalAlias();
}

/** `WITH OFFSET [[AS] alias]`, if it stands here. */
function parseWithOffset(cursor: Cursor): WithOffset | undefined {
  const { start } = cursor.token;
  if (!cursor.take("WITH")) return undefined;
  cursor.expect("OFFSET");
  const alias = isPivotOrUnpivot(cursor) ? undefined : parseTableAlias(cursor);
  return { span: cursor.spanFrom(start), alias };
}

/** `FOR SYSTEM_TIME AS OF time`, if it stands here. */
function parseSystemTime(cursor: Cursor, pivots: readonly TableSuffix[]): Expression | undefined {
  const { token } = cursor;
  if (!cursor.is("FOR") || cursor.peek().code === "UPDATE") return undefined;
  cursor.advance();
  if (!cursor.take("SYSTEM_TIME") && !cursor.takeAll("SYSTEM", "TIME")) {
    throw cursor.expected("keyword SYSTEM_TIME");
  }
  cursor.expect("AS");
  cursor.expect("OF");
  const [pivot] = pivots;
  if (pivot !== undefined) {
    const message = `Syntax error: ${pivot.kind.toUpperCase()} and FOR SYSTEM TIME AS OF may not be combined`;
    throw cursor.error(message, token);
  }
  return cursor.rules.expression(cursor);
}
