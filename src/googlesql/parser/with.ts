import type { WithClause, WithEntry } from "../ast.ts";
import type { Cursor } from "./cursor.ts";

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
      "Syntax error: A pipe operator cannot follow the WITH clause before the main query; The main query usually starts with SELECT or FROM here";
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
  if (cursor.is("WITH") && cursor.peek().code === "DEPTH") {
    throw cursor.unsupported("WITH DEPTH is not supported", cursor.token, "DEPTH");
  }
  return { span: cursor.spanFrom(name.span.start), name, query };
}
