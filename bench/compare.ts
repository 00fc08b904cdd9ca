import type { Row } from "./peers/peer.ts";
import type { Comparison } from "./queries.ts";

const relativeTolerance = 1e-6;
const quantileTolerance = 0.25;

function isClose(a: unknown, b: unknown, tolerance: number): boolean {
  const [left, right] = [Number(a), Number(b)];
  // Quantiles of few values lie between them by one definition and on them by another.
  return Math.abs(left - right) <= tolerance * Math.max(Math.abs(left), Math.abs(right), 1);
}

/**
 * Describes the difference between two answers to the same query; undefined if there is none. Column 0 holds ids, or
 * buckets whose form is each peer's own.
 */
export function findDifference(
  comparison: Comparison,
  ours: readonly Row[],
  theirs: readonly Row[],
): string | undefined {
  if (ours.length !== theirs.length) return `${ours.length} rows and ${theirs.length} rows`;
  if (comparison === "ids") {
    const at = ours.findIndex((row, index) => row[0] !== theirs[index]?.[0]);
    return at === -1 ? undefined : `row ${at} is ${ours[at]?.[0]} and ${theirs[at]?.[0]}`;
  }
  for (const [at, row] of ours.entries()) {
    const other = theirs[at] ?? [];
    for (let column = 1; column < row.length; column++) {
      const isQuantile = comparison === "quantile" && column === row.length - 1;
      if (isClose(row[column], other[column], isQuantile ? quantileTolerance : relativeTolerance)) continue;
      return `row ${at}, column ${column}: ${row[column]} and ${other[column]}`;
    }
  }
  return undefined;
}
