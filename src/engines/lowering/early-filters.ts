import { createMapping } from "../../googlesql/resolved/map.ts";
import { isSubquery, reaches, readColumns, someExpression } from "../../googlesql/resolved/walk.ts";
import type { Expr, FilterScan, ProjectScan, ResolvedQuery, Scan, UnnestScan } from "../../googlesql/resolved.ts";
import { call } from "../../googlesql/resolver/expression/expr.ts";
import { BOOL } from "../../googlesql/types.ts";
import type { Analysis } from "./analysis.ts";
import { Failing } from "./failing.ts";
import { isRandomCall, partsOf } from "./parts.ts";

/**
 * Puts conditions that read no element below an UNNEST with something that may fail: engines compute lists before the
 * conditions of their SELECT, also for rows that these leave out. A condition that may fail itself stays above too, and
 * leaves no row out below for which it fails: its row may have no element.
 */
export function filterEarly(query: ResolvedQuery, analysis: Analysis): ResolvedQuery {
  if (!analysis.holdsLists) return query;
  const failing = new Failing(analysis);
  const isLate = (scan: Scan) => {
    const filter = filterOf(scan);
    return filter !== undefined && unnestMayFail(filter.input, failing);
  };
  if (!reaches(query.scan, isLate)) return query;
  const known = new Set<Expr>();
  const earlyForms = (condition: Expr): readonly Expr[] => {
    if (someExpression(condition, isRandomCall, true)) return [];
    if (!failing.mayFail(condition)) return [condition];
    if (known.has(condition) || someExpression(condition, isSubquery, false)) return [];
    known.add(condition);
    return [call("$true_or_fails", [condition], BOOL, condition.span)];
  };
  const mapping = createMapping({
    scan(scan) {
      const filter = filterOf(scan);
      if (filter === undefined || !unnestMayFail(filter.input, failing)) return undefined;
      const conditions = partsOf(filter.predicate, "$and");
      const early = conditions.flatMap(earlyForms);
      const { below, left } = sink(filter.input, early);
      if (left.length === early.length) return undefined;
      const moved = new Set(early);
      for (const each of left) moved.delete(each);
      const rest = conditions.filter((each) => !moved.has(each));
      return mapping.scan(filtered(below, rest));
    },
  });
  const scan = mapping.scan(query.scan);
  return scan === query.scan ? query : { ...query, scan };
}

/** The condition of an inner join with UNNEST is one of its rows. */
function filterOf(scan: Scan): FilterScan | undefined {
  if (scan.kind !== "Unnest" || scan.on === undefined || scan.isOuter) return scan.kind === "Filter" ? scan : undefined;
  const { on, ...input } = scan;
  return { kind: "Filter", input, predicate: on };
}

/** Columns may be computed between the condition and the UNNEST. */
function unnestMayFail(scan: Scan | undefined, failing: Failing): boolean {
  if (scan?.kind === "Project") return unnestMayFail(scan.input, failing);
  if (scan?.kind !== "Unnest") return false;
  const computed = [...scan.arrays.map(({ array }) => array), ...(scan.on === undefined ? [] : [scan.on])];
  const isFailing = scan.mode === "STRICT" || computed.some((each) => failing.mayFail(each));
  return isFailing || unnestMayFail(scan.input, failing);
}

/** The scan with the conditions as far below it as they can go, and those that must stay above. */
function sink(scan: Scan, conditions: readonly Expr[]): { readonly below: Scan; readonly left: readonly Expr[] } {
  if ((scan.kind !== "Unnest" && scan.kind !== "Project") || scan.input === undefined) {
    return { below: scan, left: conditions };
  }
  const made = madeBy(scan);
  const left: Expr[] = [];
  const through: Expr[] = [];
  for (const each of conditions) {
    const readsMade = [...readColumns([each])].some((id) => made.has(id));
    (readsMade ? left : through).push(each);
  }
  const sunk = sink(scan.input, through);
  return { below: { ...scan, input: filtered(sunk.below, sunk.left) }, left };
}

function madeBy(scan: UnnestScan | ProjectScan): ReadonlySet<number> {
  if (scan.kind === "Project") return new Set(scan.computed.map(({ column }) => column.id));
  const { arrays, offset } = scan;
  return new Set([...arrays.map(({ element }) => element.id), ...(offset === undefined ? [] : [offset.id])]);
}

function filtered(input: Scan, conditions: readonly Expr[]): Scan {
  const [first] = conditions;
  if (first === undefined) return input;
  const predicate = conditions.length === 1 ? first : call("$and", [...conditions], BOOL, first.span);
  return { kind: "Filter", input, predicate };
}
