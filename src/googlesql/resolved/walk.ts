/** Questions to a resolved tree: what stands below a node, and whether some node of it is such. */
import type { AnyExpr } from "./call.ts";
import type { Expr } from "./expression.ts";
import { mapCallParts, mapExpressionParts, mapScanExpressions, mapScanInputs, type Parts } from "./parts.ts";
import type { CteDefinition, Scan } from "./scan.ts";

/** A sub-query in an expression. */
export type AnySubquery = Expr & { readonly kind: "Subquery" | "InSubquery" };

export const isSubquery = (at: { readonly kind: string }): at is AnySubquery =>
  at.kind === "Subquery" || at.kind === "InSubquery";

const same = <Part>(part: Part): Part => part;

/** Parts that stay as they are; expressions are noted. */
function notingExpressions(found: AnyExpr[]): Parts {
  const note = <Node extends AnyExpr>(expression: Node): Node => {
    found.push(expression);
    return expression;
  };
  return { expression: note, bound: note, call: note, scan: same, definition: same, reference: same };
}

/** Parts that stay as they are; scans are noted, of definitions too. */
function notingScans(found: Scan[], { expression, bound, call }: Parts): Parts {
  const scan = (at: Scan): Scan => {
    found.push(at);
    return at;
  };
  const definition = (cte: CteDefinition): CteDefinition => {
    found.push(cte.scan);
    return cte;
  };
  return { expression, bound, call, scan, definition, reference: same };
}

/** The expressions directly below an expression; those inside a sub-query's scan are not among them. */
export function expressionChildren(expression: AnyExpr): readonly AnyExpr[] {
  const found: AnyExpr[] = [];
  visitExpression(expression, notingExpressions(found));
  return found;
}

function visitExpression(expression: AnyExpr, parts: Parts): void {
  if (expression.kind === "AggregateCall" || expression.kind === "WindowCall") mapCallParts(expression, parts);
  else mapExpressionParts(expression, parts);
}

/** The expressions that a scan itself holds. */
export function scanExpressions(scan: Scan): readonly AnyExpr[] {
  const found: AnyExpr[] = [];
  mapScanExpressions(scan, notingExpressions(found));
  return found;
}

/** The scans that a scan reads or defines; for a scan of a CTE they do not include its body. */
export function scanInputs(scan: Scan): readonly Scan[] {
  const found: Scan[] = [];
  mapScanInputs(scan, notingScans(found, notingExpressions([])));
  return found;
}

/** The sub-queries of an expression, but for those that stand in the scan of another one. */
export function outerSubqueries(root: AnyExpr): readonly AnySubquery[] {
  const found: AnySubquery[] = [];
  someExpression(root, (at) => isSubquery(at) && found.push(at) === 0, false);
  return found;
}

/** Is the expression, or one below it, such? Looks into sub-queries too when asked to. */
export function someExpression(
  root: AnyExpr,
  isSuch: (expression: AnyExpr) => boolean,
  inSubqueries: boolean,
): boolean {
  return some([root], [], isSuch, inSubqueries);
}

/** The ids of the columns that the expressions and scans read, also in sub-queries. */
export function readColumns(expressions: readonly AnyExpr[], scans: readonly Scan[] = []): ReadonlySet<number> {
  const ids = new Set<number>();
  some([...expressions], [...scans], (at) => at.kind === "Column" && ids.add(at.column.id).size === 0, true);
  return ids;
}

/** Is an expression of the scan, or of a scan below it, such? Looks into sub-queries. */
export function someScanned(root: Scan, isSuch: (expression: AnyExpr) => boolean): boolean {
  return some([], [root], isSuch, true);
}

function some(
  expressions: AnyExpr[],
  scans: Scan[],
  isSuch: (expression: AnyExpr) => boolean,
  inSubqueries: boolean,
): boolean {
  const noted = notingExpressions(expressions);
  const parts = inSubqueries ? notingScans(scans, noted) : noted;
  for (;;) {
    const expression = expressions.pop();
    if (expression !== undefined) {
      if (isSuch(expression)) return true;
      visitExpression(expression, parts);
      continue;
    }
    const scan = scans.pop();
    if (scan === undefined) return false;
    mapScanExpressions(scan, parts);
    mapScanInputs(scan, parts);
  }
}

/** Does the scan read a stored table, directly, through a CTE or in a sub-query? */
export function readsTable(root: Scan): boolean {
  return reaches(root, ({ kind }) => kind === "Table");
}

/** Does `isSuch` hold for the scan or any that it reads, also through a CTE or in a sub-query? */
export function reaches(root: Scan, isSuch: (scan: Scan) => boolean): boolean {
  const pending: Scan[] = [root];
  const seen = new Set<Scan>();
  for (let scan = pending.pop(); scan !== undefined; scan = pending.pop()) {
    if (seen.has(scan)) continue;
    seen.add(scan);
    if (isSuch(scan)) return true;
    if (scan.kind === "Cte") pending.push(scan.cte.scan);
    pending.push(...scanInputs(scan));
    for (const expression of scanExpressions(scan)) {
      for (const query of outerSubqueries(expression)) pending.push(query.scan);
    }
  }
  return false;
}
