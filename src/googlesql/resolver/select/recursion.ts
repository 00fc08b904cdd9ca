import type { QueryResult, RecursiveRead, Relation } from "../context.ts";
import type { Resolution } from "../resolution.ts";

/**
 * Reports a recursive reference where its rows may not be used. Source: the "Recursive CTEs" rules of the query
 * syntax page.
 */
export function refuseRecursive(resolution: Resolution, rows: Relation | QueryResult, where: string): void {
  if (rows.recursive === undefined) return;
  const { name, span } = rows.recursive;
  resolution.report("invalid_query", `A recursive reference to ${name} is not allowed ${where}`, span, { name });
}

/** The recursive read that rows derived from these inherit. */
export function recursiveOf(...rows: readonly (Relation | QueryResult)[]): RecursiveRead | undefined {
  return rows.find((item) => item.recursive !== undefined)?.recursive;
}
