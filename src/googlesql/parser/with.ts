import type { WithClause, WithEntry } from "../ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseVariable } from "./literal.ts";

/** `WITH [RECURSIVE] a AS (...), b AS (...)`. As a pipe operator it may end in a comma. */
export function parseWith(cursor: Cursor, isPipe: boolean): WithClause {
  const { start } = cursor.expect("WITH");
  const isRecursive = cursor.take("RECURSIVE");
  const entries = [parseEntry(cursor)];
  while (cursor.is(",")) {
    cursor.advance();
    if (isPipe && !cursor.isIdentifier()) break;
    if (!isPipe && (cursor.is("SELECT") || cursor.is("FROM"))) {
      const message = "Syntax error: Trailing comma after the WITH clause before the main query is not allowed";
      throw cursor.error(message, cursor.token);
    }
    entries.push(parseEntry(cursor));
  }
  if (!isPipe && cursor.is("|>")) {
    const message =
      "Syntax error: A pipe operator cannot follow the WITH clause before the main query; The main query " +
      "usually starts with SELECT or FROM here";
    throw cursor.error(message, cursor.token);
  }
  return { span: cursor.spanFrom(start), isRecursive, entries };
}

function parseEntry(cursor: Cursor): WithEntry {
  const name = cursor.identifier();
  cursor.expect("AS");
  cursor.expect("(");
  cursor.enter();
  const query = cursor.rules.query(cursor);
  cursor.expect(")");
  cursor.leave();
  parseDepth(cursor);
  return { span: cursor.spanFrom(name.span.start), name, query };
}

/** `WITH DEPTH [AS alias] [BETWEEN low AND high | MAX high]` after a recursive query, which is read and refused. */
export function parseDepth(cursor: Cursor): void {
  const { token } = cursor;
  if (!cursor.takeAll("WITH", "DEPTH")) return;
  if (cursor.take("AS")) cursor.identifier();
  if (cursor.take("BETWEEN")) {
    parseDepthBound(cursor);
    cursor.expect("AND");
    parseDepthBound(cursor);
  } else if (cursor.take("MAX")) {
    parseDepthBound(cursor);
  }
  cursor.refuse("WITH DEPTH is not supported", token, "unsupported", "WITH DEPTH");
}

function parseDepthBound(cursor: Cursor): void {
  if (cursor.take("UNBOUNDED")) return;
  if (cursor.token.kind === "integer") cursor.advance();
  else if (parseVariable(cursor) === undefined) throw cursor.unexpected();
}
