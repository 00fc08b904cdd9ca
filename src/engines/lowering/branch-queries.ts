/** Sub-queries that must not be computed ahead: they may fail, and stand where a branch decides whether they count. */

import { functionFacts } from "../../googlesql/catalogue/index.ts";
import { isSubquery, someExpression, someScanned } from "../../googlesql/resolved/walk.ts";
import type { AnyExpr, Expr, Scan } from "../../googlesql/resolved.ts";
import { canFail, computesFailing } from "./failing.ts";

/** Whether a function chooses among values: the arguments after its first are branches. */
export function hasBranches(name: string): boolean {
  const { laziness } = functionFacts(name);
  return laziness === "choice" || laziness === "fallback";
}

/** The operands of CASE and of such functions that are computed only where others say so. */
function branchesOf(at: AnyExpr): readonly (Expr | undefined)[] {
  if (at.kind === "Case") {
    const [first, ...others] = at.branches;
    return [first?.then, ...others.flatMap(({ when, then }) => [when, then]), at.else];
  }
  return at.kind === "Call" && hasBranches(at.function) ? at.arguments.slice(1) : [];
}

/** The scans of all sub-queries that stand in a branch and may fail. */
export function failingBranchQueries(root: Scan): ReadonlySet<Scan> {
  const found = new Set<Scan>();
  const note = (at: AnyExpr): boolean => {
    if (isSubquery(at) && (canFail(at) || computesFailing(at.scan))) found.add(at.scan);
    return false;
  };
  someScanned(root, (at) => {
    for (const branch of branchesOf(at)) if (branch !== undefined) someExpression(branch, note, false);
    return false;
  });
  return found;
}
