/** Sub-queries that must not be computed ahead: they may fail, and stand where a branch decides whether they count. */
import type { AggregateCall, Expr, Scan, WindowCall } from "../../googlesql/resolved.ts";
import { isSubquery, someExpression, someScanned } from "./children.ts";
import { canFail, computesFailing } from "./failing.ts";

type AnyExpr = Expr | AggregateCall | WindowCall;

/** The operands of CASE, IF, IFNULL and COALESCE that are computed only where others say so. */
function branchesOf(at: AnyExpr): readonly (Expr | undefined)[] {
  if (at.kind === "Case") {
    const [first, ...others] = at.branches;
    return [first?.then, ...others.flatMap(({ when, then }) => [when, then]), at.else];
  }
  const isChoice = at.kind === "Call" && /^(?:IF|IFNULL|COALESCE)$/.test(at.function);
  return isChoice ? at.arguments.slice(1) : [];
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
