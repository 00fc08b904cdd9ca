import { MAX_CHAIN_LENGTH } from "../../googlesql/limits.ts";
import type { ChExpression, ChOrderItem, ChQuery, ChSelect, ChSelectItem, ChTable } from "../clickhouse-ast.ts";
import { Cursor } from "./cursor.ts";
import { isKeyword, parseExpression } from "./parse-expression.ts";

/** Words that begin what ClickHouse has and this does not read; each is refused by its name. */
const refusedClauses: readonly string[] = [
  ...["WITH", "PREWHERE", "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "ANY", "ASOF", "GLOBAL", "ARRAY"],
  ...["FINAL", "SAMPLE", "QUALIFY", "WINDOW", "SETTINGS", "FORMAT", "INTO", "INTERSECT", "EXCEPT", "FETCH"],
];
const statements: readonly string[] = [
  ...["INSERT", "CREATE", "ALTER", "DROP", "DELETE", "UPDATE", "TRUNCATE", "SHOW", "DESCRIBE", "EXPLAIN", "SET"],
  ...["USE", "SYSTEM", "KILL", "GRANT", "REVOKE", "OPTIMIZE", "ATTACH", "DETACH", "RENAME", "EXISTS", "CHECK"],
];

/**
 * Reads the one query of a text: SELECTs over one table, joined by UNION ALL; `;` may end it. Names are not looked up.
 * Takes time linear in the text's length. Throws `GoogleSqlError`, `unsupported` for what ClickHouse has beyond.
 */
export function parseQuery(text: string, maxDepth?: number): ChQuery {
  const cursor = new Cursor(text, maxDepth);
  const word = cursor.token.kind === "word" ? cursor.token.value.toUpperCase() : "";
  if (statements.includes(word)) throw cursor.error("unsupported", `${word} is not supported: only SELECT is`);
  const selects = parseUnion(cursor);
  cursor.takeSymbol(";");
  if (cursor.token.kind !== "end") {
    refuseClause(cursor);
    throw cursor.expected("the end of the query");
  }
  return { selects, span: cursor.spanFrom(0) };
}

function parseUnion(cursor: Cursor): readonly ChSelect[] {
  const selects = [...parseOperand(cursor)];
  while (cursor.takeWord("UNION")) {
    if (cursor.isWord("DISTINCT")) throw cursor.error("unsupported", "UNION DISTINCT is not supported: only ALL is");
    cursor.expectWord("ALL");
    selects.push(...parseOperand(cursor));
    if (selects.length > MAX_CHAIN_LENGTH) {
      throw cursor.error("too_complex", `More than ${MAX_CHAIN_LENGTH} queries in a UNION ALL`);
    }
  }
  return selects;
}

function parseOperand(cursor: Cursor): readonly ChSelect[] {
  if (!cursor.takeSymbol("(")) return [parseSelect(cursor)];
  const selects = cursor.enter(() => parseUnion(cursor));
  cursor.expectSymbol(")");
  return selects;
}

function parseSelect(cursor: Cursor): ChSelect {
  const { start } = cursor.token;
  refuseClause(cursor);
  cursor.expectWord("SELECT");
  const isDistinct = cursor.takeWord("DISTINCT");
  if (isDistinct && cursor.isWord("ON")) throw cursor.error("unsupported", "DISTINCT ON is not supported");
  const items = cursor.list(() => parseItem(cursor));
  const from = cursor.takeWord("FROM") ? parseTable(cursor) : undefined;
  refuseClause(cursor);
  const where = cursor.takeWord("WHERE") ? parseExpression(cursor) : undefined;
  const groupBy = cursor.takeWord("GROUP") ? parseGroupBy(cursor) : [];
  const having = cursor.takeWord("HAVING") ? parseExpression(cursor) : undefined;
  const orderBy = cursor.takeWord("ORDER") ? parseOrderBy(cursor) : [];
  const limit = parseLimit(cursor);
  refuseClause(cursor);
  return { isDistinct, items, from, where, groupBy, having, orderBy, limit, span: cursor.spanFrom(start) };
}

function refuseClause(cursor: Cursor): void {
  if (cursor.token.kind !== "word") return;
  const word = cursor.token.value.toUpperCase();
  if (!refusedClauses.includes(word)) return;
  throw cursor.error("unsupported", `${word} is not supported here: a query is a SELECT over the one table logs`);
}

function parseItem(cursor: Cursor): ChSelectItem {
  const { start } = cursor.token;
  const isStar = cursor.isSymbol("*") || (cursor.peek(1).value === "." && cursor.peek(2).value === "*");
  if (isStar) {
    const message =
      "SELECT * is not supported: name id, timestamp, event_message, severity_text, source, log_attributes";
    throw cursor.error("unsupported", message);
  }
  const expression = parseExpression(cursor);
  return { expression, alias: parseAlias(cursor), span: cursor.spanFrom(start) };
}

function parseAlias(cursor: Cursor): string | undefined {
  const { kind, value } = cursor.token;
  if (cursor.takeWord("AS")) {
    const { kind: named } = cursor.token;
    if (named !== "word" && named !== "quoted") throw cursor.expected("a name");
    return cursor.next().value;
  }
  if (kind === "quoted" || (kind === "word" && !isKeyword(value))) return cursor.next().value;
  return undefined;
}

function parseTable(cursor: Cursor): ChTable {
  const { start, kind } = cursor.token;
  if (cursor.isSymbol("(")) throw cursor.error("unsupported", "Subqueries are not supported: select from logs");
  if (kind !== "word" && kind !== "quoted") throw cursor.expected("the table logs");
  const parts = [cursor.next().value];
  while (cursor.takeSymbol(".")) parts.push(cursor.next().value);
  const span = cursor.spanFrom(start);
  if (cursor.isSymbol("(")) throw cursor.error("unsupported", `The table function ${parts[0]} is not supported`, span);
  refuseClause(cursor);
  const alias = parseAlias(cursor);
  if (cursor.isSymbol(",")) throw cursor.error("unsupported", "Joins are not supported: select from logs alone");
  return { name: parts.join("."), alias, span };
}

function parseGroupBy(cursor: Cursor): readonly ChExpression[] {
  cursor.expectWord("BY");
  for (const word of ["ALL", "ROLLUP", "CUBE", "GROUPING"]) {
    if (cursor.isWord(word)) throw cursor.error("unsupported", `GROUP BY ${word} is not supported`);
  }
  const items = cursor.list(() => parseExpression(cursor));
  if (cursor.isWord("WITH")) throw cursor.error("unsupported", "WITH TOTALS, ROLLUP and CUBE are not supported");
  return items;
}

function parseOrderBy(cursor: Cursor): readonly ChOrderItem[] {
  cursor.expectWord("BY");
  const items = cursor.list((): ChOrderItem => {
    const { start } = cursor.token;
    const expression = parseExpression(cursor);
    const isDescending = cursor.takeWord("DESC") || cursor.takeWord("DESCENDING");
    if (!isDescending && !cursor.takeWord("ASC")) cursor.takeWord("ASCENDING");
    const nulls = cursor.takeWord("NULLS") ? (cursor.takeWord("FIRST") ? "FIRST" : parseLast(cursor)) : undefined;
    return { expression, isDescending, nulls, span: cursor.spanFrom(start) };
  });
  for (const word of ["WITH", "COLLATE", "INTERPOLATE"]) {
    if (cursor.isWord(word)) throw cursor.error("unsupported", `ORDER BY ... ${word} is not supported`);
  }
  return items;
}

function parseLast(cursor: Cursor): "LAST" {
  cursor.expectWord("LAST");
  return "LAST";
}

/** `LIMIT n`, `LIMIT m, n` and `LIMIT n OFFSET m`. */
function parseLimit(cursor: Cursor): ChSelect["limit"] {
  const { start } = cursor.token;
  if (!cursor.takeWord("LIMIT")) {
    if (cursor.isWord("OFFSET")) throw cursor.error("unsupported", "OFFSET without LIMIT is not supported");
    return undefined;
  }
  const first = parseCount(cursor);
  const second = cursor.takeSymbol(",") ? parseCount(cursor) : undefined;
  const behind = second === undefined && cursor.takeWord("OFFSET") ? parseCount(cursor) : undefined;
  if (cursor.isWord("BY")) throw cursor.error("unsupported", "LIMIT ... BY is not supported");
  if (cursor.isWord("WITH")) throw cursor.error("unsupported", "LIMIT ... WITH TIES is not supported");
  const offset = second === undefined ? behind : first;
  return { count: second ?? first, offset, span: cursor.spanFrom(start) };
}

function parseCount(cursor: Cursor): string {
  const { kind, value } = cursor.token;
  if (kind !== "number" || !/^\d+$/.test(value)) throw cursor.expected("a whole number");
  return cursor.next().value;
}
