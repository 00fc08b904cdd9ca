import type { Query, QueryBody, SetOperationMode } from "../ast.ts";
import { MAX_CHAIN_LENGTH } from "../limits.ts";
import { parseLimit, parseOrderBy } from "./clause.ts";
import type { Cursor } from "./cursor.ts";
import { parseFrom } from "./from/from.ts";
import { parseNamedTable } from "./from/table.ts";
import { continuesQuery } from "./parenthesis.ts";
import { parsePipe } from "./pipe.ts";
import { parseSelect } from "./select.ts";
import { isSameMode, parseSetOperationMode } from "./set-operation.ts";
import { parseWith } from "./with.ts";

/**
 * A query up to its closing parenthesis or its end. `first` is a parenthesised query that is already read and begins
 * this one. Redundant parentheses leave no trace. Source: "Query syntax" of the GoogleSQL reference.
 */
export function parseQueryRule(cursor: Cursor, first?: Query): Query {
  cursor.enter();
  const { isPipeJoin } = cursor;
  cursor.isPipeJoin = false;
  const start = first?.span.start ?? cursor.token.start;
  const withClause = first === undefined && cursor.is("WITH") ? parseWith(cursor, false) : undefined;
  const isFrom = first === undefined && cursor.is("FROM");
  const body = isFrom ? parseFromQuery(cursor) : parseSetOperation(cursor, first);
  const orderBy = cursor.is("ORDER") && !isFrom ? parseOrderBy(cursor) : undefined;
  const limit = isFrom ? undefined : parseLimit(cursor);
  refuseLock(cursor);
  const pipes: Query["pipes"][number][] = [];
  while (cursor.is("|>")) pipes.push(parsePipe(cursor));
  cursor.leave();
  cursor.isPipeJoin = isPipeJoin;
  const isBare = withClause === undefined && orderBy === undefined && limit === undefined && pipes.length === 0;
  if (isBare && body.kind === "Query") return body;
  return { kind: "Query", span: cursor.spanFrom(start), with: withClause, body, orderBy, limit, pipes };
}

function refuseLock(cursor: Cursor): void {
  if (!cursor.is("FOR") || cursor.peek().code !== "UPDATE") return;
  throw cursor.unsupported("FOR UPDATE is not supported", cursor.token, "FOR UPDATE");
}

function parseFromQuery(cursor: Cursor): QueryBody {
  const { start } = cursor.advance();
  const from = parseFrom(cursor);
  const { code } = cursor.token;
  const isOther = code === "SELECT" || code === "WHERE" || code === "GROUP";
  if (isOther || (code !== "|>" && continuesQuery(cursor))) {
    const clause = code === "GROUP" || code === "ORDER" ? `${code} BY` : code;
    const operator = code === "GROUP" ? "AGGREGATE" : clause;
    const other = isOther ? "" : " or parentheses around the FROM query";
    const message =
      `Syntax error: ${clause} not supported after FROM query; Consider using pipe operator \`|> ` +
      `${operator}\`${other}`;
    throw cursor.error(message, cursor.token);
  }
  return { kind: "FromQuery", span: cursor.spanFrom(start), from };
}

function parseSetOperation(cursor: Cursor, first?: Query): QueryBody {
  const start = first?.span.start ?? cursor.token.start;
  const left = first === undefined ? parseQueryPrimary(cursor) : parseQueryAlias(cursor, first);
  const mode = parseSetOperationMode(cursor);
  if (mode === undefined) return left;
  const inputs = [left];
  let next: SetOperationMode | undefined = mode;
  while (next !== undefined) {
    if (cursor.is("FROM")) {
      const message = "Syntax error: Unexpected FROM; FROM queries following a set operation must be parenthesized";
      throw cursor.error(message, cursor.token);
    }
    inputs.push(parseQueryPrimary(cursor));
    if (mode.operator !== "UNION" && inputs.length > MAX_CHAIN_LENGTH) {
      const message = `Query is a chain of more than ${MAX_CHAIN_LENGTH} queries with ${mode.operator}`;
      throw cursor.error(message, cursor.token, "too_complex");
    }
    const { token } = cursor;
    next = parseSetOperationMode(cursor);
    if (next !== undefined && !isSameMode(mode, next)) {
      const message =
        "Different set operations cannot be used in the same query without using parentheses for grouping";
      cursor.refuse(message, token, "invalid_query");
    }
  }
  return { kind: "SetOperation", span: cursor.spanFrom(start), mode, inputs };
}

function parseQueryPrimary(cursor: Cursor): QueryBody {
  if (cursor.is("SELECT")) return parseSelect(cursor);
  if (cursor.is("(")) {
    cursor.advance();
    cursor.enter();
    const query = parseQueryRule(cursor);
    cursor.expect(")");
    cursor.leave();
    return parseQueryAlias(cursor, query);
  }
  if (cursor.is("TABLE") && cursor.isIdentifier(cursor.peek())) return parseTableClause(cursor);
  throw cursor.expected('"(" or keyword SELECT or keyword TABLE');
}

/** `(query) AS alias` means what `(query |> AS alias)` does. */
function parseQueryAlias(cursor: Cursor, query: Query): Query {
  const { start } = cursor.token;
  if (!cursor.take("AS")) return query;
  const alias = cursor.identifier();
  const pipe = { kind: "PipeAs", span: cursor.spanFrom(start), alias } as const;
  return { ...query, pipes: [...query.pipes, pipe] };
}

/** `TABLE name [WHERE x]` means what `(FROM name [|> WHERE x])` does. */
function parseTableClause(cursor: Cursor): Query {
  const { start } = cursor.advance();
  const from = parseNamedTable(cursor);
  const body: QueryBody = { kind: "FromQuery", span: cursor.spanFrom(start), from };
  const where = cursor.token;
  const predicate = cursor.take("WHERE") ? cursor.rules.expression(cursor) : undefined;
  const span = cursor.spanFrom(start);
  if (predicate === undefined) return { kind: "Query", span, body, pipes: [] };
  return { kind: "Query", span, body, pipes: [{ kind: "PipeWhere", span: cursor.spanFrom(where.start), predicate }] };
}
