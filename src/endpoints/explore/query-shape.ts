import type { Query } from "../../googlesql/ast.ts";

/** A request about the rows of a consumer's query, in place of the rows. */
export interface QueryShape {
  /** Two shapes with the same key make the same query of the same rows. */
  readonly key: string;
  /** How it was made, as data for another thread; absent where its queries are planned in this one. */
  readonly made?: readonly [kind: "overview" | "around" | "patterns", options: object];
  /** Rows that the answer has at most; it takes the place of the endpoint's `max_rows`. */
  readonly maxRows: number;
  /** `rows` are all rows of the query, without an order or limit of its own where it has them outermost. */
  apply(rows: Query): Query;
}

/** The query without its outermost ORDER BY and LIMIT; one that goes on with pipes is left as it is. */
export function allRowsOf(query: Query): Query {
  if (query.pipes.length > 0) return query;
  const { orderBy: _, limit: __, ...rows } = query;
  return rows;
}
