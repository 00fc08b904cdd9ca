import type { Span } from "../../diagnostic.ts";
import type { Resolution } from "../resolution.ts";

/** A grouping set: positions among the grouping keys. */
export type PositionSet = readonly number[];

/** More sets than this are refused: CUBE doubles them with every column. */
const MAX_GROUPING_SETS = 4096;

/** A ROLLUP of n columns writes n * n / 2 of them. */
const MAX_ROLLUP_ENTRIES = 256;

/** ROLLUP (a, b): (a, b), (a), (). CUBE (a, b): every subset. */
export function expandEntries(
  resolution: Resolution,
  kind: "Rollup" | "Cube",
  entries: readonly PositionSet[],
  span: Span,
): readonly PositionSet[] {
  if (kind === "Rollup" && entries.length > MAX_ROLLUP_ENTRIES) {
    resolution.report("too_complex", `ROLLUP has more than ${MAX_ROLLUP_ENTRIES} entries`, span);
    return [[]];
  }
  if (kind === "Rollup") return [...entries.map((_, i) => entries.slice(0, entries.length - i).flat()), []];
  if (2 ** entries.length > MAX_GROUPING_SETS) {
    resolution.report("too_complex", `CUBE makes more than ${MAX_GROUPING_SETS} grouping sets`, span);
    return [[]];
  }
  const sets: number[][] = [];
  for (let mask = 2 ** entries.length - 1; mask >= 0; mask--) {
    sets.push(entries.flatMap((entry, i) => ((mask >> (entries.length - 1 - i)) & 1 ? entry : [])));
  }
  return sets;
}

/** Several items of one GROUP BY: every set of one with every set of the others. */
export function combineSets(
  resolution: Resolution,
  parts: readonly (readonly PositionSet[])[],
  span: Span,
): readonly PositionSet[] {
  let sets: PositionSet[] = [[]];
  for (const part of parts) {
    if (sets.length * part.length > MAX_GROUPING_SETS) {
      resolution.report("too_complex", `GROUP BY makes more than ${MAX_GROUPING_SETS} grouping sets`, span);
      return sets;
    }
    sets = sets.flatMap((left) => part.map((right) => [...new Set([...left, ...right])]));
  }
  return sets;
}
