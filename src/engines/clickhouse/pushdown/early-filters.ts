import { createMapping } from "../../../googlesql/resolved/map.ts";
import { isSubquery, reaches, readColumns, someExpression } from "../../../googlesql/resolved/walk.ts";
import type { Expr, FilterScan, ResolvedQuery, Scan, UnnestScan } from "../../../googlesql/resolved.ts";
import { call } from "../../../googlesql/resolver/expression/expr.ts";
import { BOOL } from "../../../googlesql/types.ts";
import { analyse } from "../../lowering/analysis.ts";
import { Failing } from "../../lowering/failing.ts";
import { once } from "../../lowering/once.ts";
import { isRandomCall, partsOf } from "../../lowering/parts.ts";

/**
 * Moves conditions that cannot fail, and read no element, below an UNNEST of what may: the server computes lists before
 * the conditions of their SELECT, also for rows that these leave out.
 */
export function filterEarly(query: ResolvedQuery): ResolvedQuery {
  if (!reaches(query.scan, isFilteredUnnest)) return query;
  const failing = once(() => new Failing(analyse(query)));
  const mapping = createMapping({
    scan(scan) {
      if (!isFilteredUnnest(scan) || !listsMayFail(scan.input, failing)) return undefined;
      const conditions = partsOf(scan.predicate, "$and");
      const early = conditions.filter((each) => !isBound(each) && !failing().mayFail(each));
      const { input, left } = sink(scan.input, early);
      if (left.length === early.length) return undefined;
      const moved = new Set(early.filter((each) => !left.includes(each)));
      const rest = conditions.filter((each) => !moved.has(each));
      return mapping.scan(filtered(input, rest));
    },
  });
  return { ...query, scan: mapping.scan(query.scan) };
}

const isFilteredUnnest = (scan: Scan): scan is FilterScan & { readonly input: UnnestScan } =>
  scan.kind === "Filter" && scan.input.kind === "Unnest";

/** Must the condition stay where it is? */
const isBound = (condition: Expr) => someExpression(condition, (at) => isSubquery(at) || isRandomCall(at), true);

function listsMayFail(scan: Scan, failing: () => Failing): boolean {
  if (scan.kind !== "Unnest") return false;
  if (scan.arrays.some(({ array }) => failing().mayFail(array))) return true;
  return scan.input !== undefined && listsMayFail(scan.input, failing);
}

/** The UNNEST with the conditions below it, as far down as they can go, and those that cannot. */
function sink(scan: UnnestScan, conditions: readonly Expr[]): { readonly input: Scan; readonly left: readonly Expr[] } {
  const { input, arrays, offset } = scan;
  if (input === undefined) return { input: scan, left: conditions };
  const made = new Set([...arrays.map(({ element }) => element.id), ...(offset === undefined ? [] : [offset.id])]);
  const readsMade = (condition: Expr) => [...readColumns([condition])].some((id) => made.has(id));
  const left = conditions.filter(readsMade);
  const below = conditions.filter((each) => !left.includes(each));
  const sunk = input.kind === "Unnest" ? sink(input, below) : { input, left: below };
  return { input: { ...scan, input: filtered(sunk.input, sunk.left) }, left };
}

function filtered(input: Scan, conditions: readonly Expr[]): Scan {
  const [first] = conditions;
  if (first === undefined) return input;
  const predicate = conditions.length === 1 ? first : call("$and", [...conditions], BOOL, first.span);
  return { kind: "Filter", input, predicate };
}
