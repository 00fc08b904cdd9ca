import type { Path, Select, SelectExpression, SelectItem, Star } from "../ast.ts";
import { MAX_LIST_ITEMS } from "../limits.ts";
import { parseAliasedExpression, parseList } from "./clause.ts";
import type { Cursor } from "./cursor.ts";
import { parseFrom } from "./from/from.ts";
import { parseGroupBy } from "./group-by.ts";
import { parseWindowClause } from "./window.ts";

/** The part of SELECT that the pipe operator SELECT has too. */
export type SelectHead = Pick<Select, "isDistinct" | "as" | "items">;

/** `SELECT ... WINDOW`. Source: "SELECT statement" of the GoogleSQL reference. */
export function parseSelect(cursor: Cursor): Select {
  const { start } = cursor.token;
  const windowsBefore = cursor.windowCalls;
  const head = parseSelectHead(cursor);
  const from = cursor.take("FROM") ? parseFrom(cursor) : undefined;
  const where = cursor.take("WHERE") ? cursor.rules.expression(cursor) : undefined;
  const groupBy = parseGroupBy(cursor, "query");
  const having = cursor.take("HAVING") ? cursor.rules.expression(cursor) : undefined;
  const keyword = cursor.token;
  const qualify = cursor.take("QUALIFY") ? cursor.rules.expression(cursor) : undefined;
  if (qualify !== undefined && cursor.windowCalls === windowsBefore) {
    throw cursor.error("The QUALIFY clause requires a window function to be present", keyword, "invalid_query");
  }
  const windows = parseWindowClause(cursor, false);
  const { isDistinct, as, items } = head;
  const span = cursor.spanFrom(start);
  return { kind: "Select", span, isDistinct, as, items, from, where, groupBy, having, qualify, windows };
}

/** `SELECT [ALL|DISTINCT] [AS STRUCT|VALUE|type] items`. */
export function parseSelectHead(cursor: Cursor): SelectHead {
  cursor.expect("SELECT");
  if (cursor.is("WITH") && cursor.isIdentifier(cursor.peek())) {
    const name = cursor.peek().value.toUpperCase();
    throw cursor.unsupported(`SELECT WITH ${name} is not supported`, cursor.token, name);
  }
  const isDistinct = cursor.take("DISTINCT");
  if (!isDistinct) cursor.take("ALL");
  const as = cursor.take("AS") ? parseSelectAs(cursor) : undefined;
  if (cursor.is("FROM")) throw cursor.error("Syntax error: SELECT list must not be empty", cursor.token);
  const items = parseItems(cursor, parseSelectItem);
  return { isDistinct, as, items };
}

/** The items of one list, with or without a trailing comma. */
export function parseItems<T>(cursor: Cursor, parseItem: (cursor: Cursor) => T): T[] {
  return parseList(cursor, parseItem, true, { what: "A SELECT list", items: "items", most: MAX_LIST_ITEMS });
}

function parseSelectAs(cursor: Cursor): "STRUCT" | "VALUE" | Path {
  if (cursor.take("STRUCT")) return "STRUCT";
  if (cursor.is("VALUE") && cursor.peek().code !== ".") {
    cursor.advance();
    return "VALUE";
  }
  return cursor.path();
}

function parseSelectItem(cursor: Cursor): SelectItem {
  const { start } = cursor.token;
  if (!cursor.take("*")) return parseDotStarItem(cursor);
  return parseStarModifiers(cursor, start);
}

/** An item of EXTEND, AGGREGATE and the like, where `*` alone may not stand. */
export function parseDotStarItem(cursor: Cursor): SelectItem {
  const { start } = cursor.token;
  const item = parseAliasedExpression(cursor);
  if (!cursor.is(".")) return item;
  cursor.advance();
  if (item.alias !== undefined || cursor.starBase !== item.expression) throw cursor.unexpected();
  cursor.expect("*");
  return parseStarModifiers(cursor, start, item.expression);
}

function parseStarModifiers(cursor: Cursor, start: number, of?: SelectExpression["expression"]): Star {
  const isExcept = cursor.is("EXCEPT") && cursor.peek().code === "(";
  if (isExcept) cursor.advance();
  const except = isExcept ? cursor.identifierList() : [];
  const replace = parseReplace(cursor);
  return { kind: "Star", span: cursor.spanFrom(start), of, except, replace };
}

function parseReplace(cursor: Cursor): SelectExpression[] {
  if (!cursor.takeAll("REPLACE", "(")) return [];
  const items = parseList(cursor, parseReplaceItem);
  if (!cursor.take(")")) throw cursor.expected('")" or ","');
  return items;
}

function parseReplaceItem(cursor: Cursor): SelectExpression {
  const { start } = cursor.token;
  const expression = cursor.rules.expression(cursor);
  cursor.expect("AS");
  const alias = cursor.identifier();
  return { kind: "SelectExpression", span: cursor.spanFrom(start), expression, alias };
}
