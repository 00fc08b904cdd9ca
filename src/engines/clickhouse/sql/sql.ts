/** ClickHouse's templates: SQL as a tree of nodes (see `src/engines/sql/`). */
import { createTemplates } from "../../sql/template.ts";

export { EMPTY, joinSql, Sql } from "../../sql/node.ts";

export const { sql, callSql } = createTemplates({
  // What fails is declared where it is guarded.
  callFacts: () => 0,
  nameQuote: "`",
  hasBackslashes: true,
  lambda: "arrow",
});
