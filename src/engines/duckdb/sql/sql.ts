/** DuckDB's templates: SQL as a tree of nodes (see `src/engines/sql/`). */
import { createTemplates } from "../../sql/template.ts";
import { callFacts } from "./native-functions.ts";

export { EMPTY, joinMapped, joinSql, Sql } from "../../sql/node.ts";

export const { sql, callSql } = createTemplates({
  callFacts,
  nameQuote: '"',
  hasBackslashes: false,
  lambda: "word",
});
