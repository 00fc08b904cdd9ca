/** Which arguments of a call are computed only for certain values of others, and for which. */
import type { CallExpr } from "../../../googlesql/resolved.ts";

/** True where the condition is, and false otherwise. */
export function isTrue(condition: string): string {
  return `ifNull(${condition}, false)`;
}

/** What of the arguments of these is computed only where another one says so. */
export function branchGuards(call: CallExpr, printed: readonly string[]): string | undefined {
  const index = printed.length;
  switch (call.function) {
    case "$and":
      return index === 0 ? undefined : printed.map((sql) => `ifNull(${sql}, true)`).join(" AND ");
    case "$or":
      return index === 0 ? undefined : `NOT (${printed.map(isTrue).join(" OR ")})`;
    case "IF":
      return index === 0 ? undefined : index === 1 ? isTrue(printed[0] ?? "") : `NOT ${isTrue(printed[0] ?? "")}`;
    case "COALESCE":
    case "IFNULL":
      return index === 0 ? undefined : printed.map((sql) => `isNull(${sql})`).join(" AND ");
    default:
      return undefined;
  }
}

/** Calls that compute some arguments only where others say so. */
export const BRANCHING: ReadonlySet<string> = new Set(["$and", "$or", "IF", "COALESCE", "IFNULL"]);
