import type { Cursor } from "./cursor.ts";

/** The first words of statements that are no queries. */
const STATEMENTS: ReadonlySet<string> = new Set([
  ...[
    "ALTER",
    "ANALYZE",
    "ASSERT",
    "BEGIN",
    "CALL",
    "CREATE",
    "DECLARE",
    "DEFINE",
    "DELETE",
    "DESCRIBE",
    "DROP",
    "EXECUTE",
  ],
  ...[
    "EXPLAIN",
    "EXPORT",
    "GRANT",
    "GRAPH",
    "INSERT",
    "LOAD",
    "MERGE",
    "REVOKE",
    "SET",
    "TRUNCATE",
    "UNDROP",
    "UPDATE",
  ],
  ...["IF", "CASE", "FOR"],
]);

/** Refuses by name what is a statement, but no query. */
export function refuseStatement(cursor: Cursor): void {
  const { code } = cursor.token;
  if (!STATEMENTS.has(code)) return;
  throw cursor.unsupported(`${code} statements are not supported; only queries can be run`, cursor.token, code);
}
