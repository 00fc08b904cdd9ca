import type { Path, PipeOperator, Query, SelectItem, SortOrder } from "../ast.ts";
import { parseLimit, parseList, parseOrderBy, parseSortOrder } from "./clause.ts";
import type { Cursor } from "./cursor.ts";
import { parseJoinCondition, parseJoinHead } from "./from/join.ts";
import { parseCalledTableFunction, parseTable } from "./from/table.ts";
import { parsePivot, parseTableSample, parseUnpivot } from "./from/table-suffix.ts";
import { parseGroupBy } from "./group-by.ts";
import { canBeginQuery } from "./parenthesis.ts";
import { parseDotStarItem, parseItems, parseSelectHead } from "./select.ts";
import { parseSetOperationMode } from "./set-operation.ts";
import { parseWindowClause } from "./window.ts";
import { parseDepth, parseWith } from "./with.ts";

/** Operators that write, branch or describe: they are no part of a query. */
const NO_QUERY: ReadonlySet<string> = new Set([
  ...[
    "INSERT",
    "CREATE",
    "EXPORT",
    "FORK",
    "TEE",
    "IF",
    "ELSE",
    "ELSEIF",
    "ASSERT",
    "LOG",
    "DESCRIBE",
    "STATIC_DESCRIBE",
  ],
  ...["UPDATE", "DELETE", "MERGE", "DROP", "MATCH_RECOGNIZE"],
]);

type PipeItem = SelectItem & { readonly order?: SortOrder };

/** `|> operator`, with the operator's own list of clauses. Source: "Pipe query syntax" of the GoogleSQL reference. */
export function parsePipe(cursor: Cursor): PipeOperator {
  const { start } = cursor.expect("|>");
  const operator = parseOperator(cursor, start);
  return { ...operator, span: cursor.spanFrom(start) };
}

function parseOperator(cursor: Cursor, start: number): PipeOperator {
  const span = { start, end: start };
  const { code } = cursor.token;
  switch (code) {
    case "WHERE":
      cursor.advance();
      return { kind: "PipeWhere", span, predicate: cursor.rules.expression(cursor) };
    case "SELECT":
      return { kind: "PipeSelect", span, ...parseSelectHead(cursor), windows: parseWindowClause(cursor, true) };
    case "EXTEND": {
      cursor.advance();
      const items = parseItems(cursor, parseDotStarItem);
      return { kind: "PipeExtend", span, items, windows: parseWindowClause(cursor, true) };
    }
    case "WINDOW":
      cursor.advance();
      return { kind: "PipeWindow", span, items: parseItems(cursor, parseDotStarItem), windows: [] };
    case "AGGREGATE":
      return parseAggregate(cursor, span);
    case "LIMIT": {
      const limit = parseLimit(cursor);
      if (limit === undefined) throw cursor.unexpected();
      return { kind: "PipeLimit", span, limit };
    }
    case "ORDER":
      return { kind: "PipeOrderBy", span, orderBy: parseOrderBy(cursor, true) };
    case "DISTINCT":
      cursor.advance();
      return { kind: "PipeDistinct", span };
    case "AS":
      cursor.advance();
      return { kind: "PipeAs", span, alias: cursor.identifier() };
    case "SET":
      cursor.advance();
      return { kind: "PipeSet", span, items: parseList(cursor, parseSetItem, true) };
    case "DROP":
      cursor.advance();
      return { kind: "PipeDrop", span, columns: parseList(cursor, parseDropItem, true) };
    case "RENAME":
      cursor.advance();
      return { kind: "PipeRename", span, items: parseList(cursor, parseRenameItem, true) };
    default:
      return parseTableOperator(cursor, span);
  }
}

/** Operators that bring in or change the shape of tables. */
function parseTableOperator(cursor: Cursor, span: PipeOperator["span"]): PipeOperator {
  switch (cursor.token.code) {
    case "PIVOT":
      if (cursor.peek().code !== "(") cursor.advance();
      if (!cursor.is("PIVOT")) throw cursor.expected('"("');
      return { kind: "PipePivot", span, pivot: parsePivot(cursor) };
    case "UNPIVOT":
      return { kind: "PipeUnpivot", span, unpivot: parseUnpivot(cursor) };
    case "TABLESAMPLE":
      return { kind: "PipeTableSample", span, sample: parseTableSample(cursor) };
    case "CALL":
      cursor.advance();
      return { kind: "PipeCall", span, function: parseCalledTableFunction(cursor) };
    case "WITH":
      return { kind: "PipeWith", span, with: parseWith(cursor, true) };
    case "RECURSIVE":
      return parseRecursiveUnion(cursor, span);
    default:
      return parseSetOperation(cursor, span) ?? parseJoin(cursor, span) ?? refuse(cursor);
  }
}

function refuse(cursor: Cursor): never {
  const { token } = cursor;
  if (token.code === "GROUP") {
    const message = "Syntax error: GROUP BY should be part of a pipe AGGREGATE operator, without a leading pipe symbol";
    throw cursor.error(message, token);
  }
  const name = token.value.toUpperCase();
  if (NO_QUERY.has(name)) {
    throw cursor.unsupported(`Pipe operator ${name} is not supported; only queries can be run`, token, name);
  }
  throw cursor.unexpected();
}

function parseAggregate(cursor: Cursor, span: PipeOperator["span"]): PipeOperator {
  cursor.advance();
  if (cursor.is("WITH")) throw cursor.unsupported("AGGREGATE WITH is not supported", cursor.token, "WITH");
  const isEmpty =
    cursor.is("GROUP") || cursor.is("|>") || cursor.is(")") || cursor.is(";") || cursor.token.kind === "end";
  const items = isEmpty ? [] : parseItems(cursor, parseAggregateItem);
  const groupBy = parseGroupBy(cursor, "pipe");
  return { kind: "PipeAggregate", span, items, ...(groupBy && { groupBy }) };
}

function parseAggregateItem(cursor: Cursor): PipeItem {
  const item = parseDotStarItem(cursor);
  const order = item.kind === "SelectExpression" ? parseSortOrder(cursor, true) : undefined;
  return order === undefined ? item : { ...item, order };
}

function parseSetItem(cursor: Cursor): Extract<PipeOperator, { kind: "PipeSet" }>["items"][number] {
  const column = cursor.identifier();
  if (cursor.is(".")) {
    const message =
      "Syntax error: Pipe SET can only update columns by column name alone; Setting columns under table " +
      "aliases or fields under paths is not supported";
    throw cursor.error(message, column.span);
  }
  cursor.expect("=");
  const value = cursor.rules.expression(cursor);
  return { column, value, span: cursor.spanFrom(column.span.start) };
}

function parseDropItem(cursor: Cursor): Path["parts"][number] {
  const column = cursor.identifier();
  if (!cursor.is(".")) return column;
  const message =
    "Syntax error: Pipe DROP can only drop columns by name alone; Dropping columns under table aliases or " +
    "fields under paths is not supported";
  throw cursor.error(message, column.span);
}

function parseRenameItem(cursor: Cursor): Extract<PipeOperator, { kind: "PipeRename" }>["items"][number] {
  const from = cursor.identifier();
  if (cursor.is(".")) {
    const message =
      "Syntax error: Pipe RENAME can only rename columns by name alone; Renaming columns under table aliases " +
      "or fields under paths is not supported";
    throw cursor.error(message, from.span);
  }
  cursor.take("AS");
  const to = cursor.identifier();
  return { from, to, span: cursor.spanFrom(from.span.start) };
}

function parseParenthesizedQuery(cursor: Cursor): Query {
  cursor.expect("(");
  cursor.enter();
  if (!canBeginQuery(cursor) && !cursor.is("(")) throw cursor.unexpected();
  const query = cursor.rules.query(cursor);
  cursor.expect(")");
  cursor.leave();
  return query;
}

function parseSetOperation(cursor: Cursor, span: PipeOperator["span"]): PipeOperator | undefined {
  const mode = parseSetOperationMode(cursor);
  if (mode === undefined) return undefined;
  const queries = [parseParenthesizedQuery(cursor)];
  while (cursor.take(",") && cursor.is("(")) queries.push(parseParenthesizedQuery(cursor));
  return { kind: "PipeSetOperation", span, mode, queries };
}

function parseJoin(cursor: Cursor, span: PipeOperator["span"]): PipeOperator | undefined {
  const head = parseJoinHead(cursor);
  if (head === undefined) return undefined;
  cursor.isPipeJoin = true;
  const right = parseTable(cursor);
  cursor.isPipeJoin = false;
  const condition = parseJoinCondition(cursor);
  return {
    kind: "PipeJoin",
    span,
    type: head.type,
    right,
    ...(condition?.on && { on: condition.on }),
    ...(condition?.using && { using: condition.using }),
  };
}

function parseRecursiveUnion(cursor: Cursor, span: PipeOperator["span"]): PipeOperator {
  cursor.expect("RECURSIVE");
  const mode = parseSetOperationMode(cursor);
  if (mode === undefined) throw cursor.expected("keyword UNION");
  parseDepth(cursor);
  const query = cursor.is("(") ? parseSubpipeline(cursor) : parseParenthesizedQuery(cursor);
  if (cursor.isIdentifier()) {
    const message = 'Syntax error: The keyword "AS" is required before the alias for pipe RECURSIVE UNION';
    throw cursor.error(message, cursor.token);
  }
  const alias = cursor.take("AS") ? cursor.identifier() : undefined;
  return { kind: "PipeRecursiveUnion", span, mode, query, ...(alias && { alias }) };
}

/** `(|> operator ...)`, which may be empty, or a query in parentheses. */
function parseSubpipeline(cursor: Cursor): Query | readonly PipeOperator[] {
  const next = cursor.peek().code;
  if (next !== "|>" && next !== ")") return parseParenthesizedQuery(cursor);
  cursor.expect("(");
  cursor.enter();
  const pipes: PipeOperator[] = [];
  while (cursor.is("|>")) pipes.push(parsePipe(cursor));
  cursor.expect(")");
  cursor.leave();
  return pipes;
}
