import { createMapping } from "../../googlesql/resolved/map.ts";
import { someExpression, someScanned } from "../../googlesql/resolved/walk.ts";
import type { AnyExpr, Expr, ResolvedQuery } from "../../googlesql/resolved.ts";
import type { Analysis } from "./analysis.ts";
import { isRandomCall } from "./parts.ts";

/**
 * The query with what `(SELECT expression)` computes in its place: engines compute sub-queries ahead, also where there
 * is no row for which it counts.
 */
export function inlineRowless(query: ResolvedQuery, { holdsQueries }: Pick<Analysis, "holdsQueries">): ResolvedQuery {
  if (!holdsQueries || !someScanned(query.scan, (at) => computedValue(at) !== undefined)) return query;
  const mapping = createMapping({
    expression: (expression) => {
      const value = computedValue(expression);
      return value === undefined ? undefined : mapping.expression(value);
    },
  });
  return { ...query, scan: mapping.scan(query.scan) };
}

/** The expression of a scalar sub-query without FROM, unless it is another value each time. */
function computedValue(at: AnyExpr): Expr | undefined {
  if (at.kind !== "Subquery" || at.mode !== "SCALAR" || at.scan.kind !== "Project") return undefined;
  const { input, computed } = at.scan;
  const value = computed.find(({ column }) => column.id === at.output?.id)?.expression;
  if (input.kind !== "SingleRow" || value === undefined) return undefined;
  return someExpression(value, isRandomCall, true) ? undefined : value;
}
