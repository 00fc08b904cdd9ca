import { ServiceError } from "../../shared/errors.ts";
import { findDefaultTable } from "../call/plan/saved-query.ts";
import type { QueryTarget } from "../definition/query-target.ts";

/**
 * The parameters of a call that asks about the rows of a query: all rows of `table`, or of the default table, where it
 * sends none. Throws `missing_parameter` where neither is known.
 */
export function withQuery(
  parameters: ReadonlyMap<string, unknown>,
  target: QueryTarget,
  table: unknown,
): ReadonlyMap<string, unknown> {
  const chosen = new Map(parameters);
  for (const own of ["limit", "cursor"]) chosen.delete(own);
  const hasQuery = ["sql", "lql"].some((name) => String(chosen.get(name) ?? "").trim() !== "");
  if (hasQuery) return chosen;
  const name = table ?? findDefaultTable(target.savedQuery);
  if (typeof name !== "string" || name === "") {
    throw new ServiceError("missing_parameter", "The endpoint has several tables: name one of them", {
      parameter: "table",
    });
  }
  return chosen.set("sql", `SELECT * FROM \`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``);
}
