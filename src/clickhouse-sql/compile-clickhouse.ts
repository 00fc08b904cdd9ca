import type { Query } from "../googlesql/ast.ts";
import { parseQuery } from "./parse/parse-query.ts";
import type { LogsTables } from "./translate/find-sources.ts";
import { ExpressionCount } from "./translate/select-scope.ts";
import { translateSelect } from "./translate/translate-select.ts";

/**
 * A query of ClickHouse's SQL over the table `logs` as a query over the tables of an endpoint, whose spans count in the
 * text. Throws `GoogleSqlError` for what is wrong with it, and for what ClickHouse has beyond, by name.
 */
export function compileClickHouse(text: string, tables: LogsTables, maxDepth?: number): Query {
  const { selects, span } = parseQuery(text, maxDepth);
  const count = new ExpressionCount();
  const queries = selects.map((select) => translateSelect(text, select, tables, count));
  const [only] = queries;
  if (only !== undefined && queries.length === 1) return only;
  const body = { kind: "SetOperation", mode: { operator: "UNION", isAll: true }, inputs: queries, span } as const;
  return { kind: "Query", body, pipes: [], span };
}
