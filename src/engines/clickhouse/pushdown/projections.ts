/** Which statements the projections of a source's table are for: one finds rows by id, another counts them by time. */
import { walkTree } from "../../sql/map-tree.ts";
import { Fact, type Sql } from "../../sql/node.ts";

/** Are they of no use to the statement? They would be looked through for each part all the same. */
export function skipsProjections(statement: Sql): boolean {
  const columns = new Set<unknown>();
  walkTree(statement, Fact.READS, ({ token: table, value: name }) => {
    if (table !== "" && name !== undefined) columns.add(name);
  });
  return !columns.has("id") && columns.size > (columns.has("timestamp") ? 1 : 0);
}
