import { type Level, levelOf } from "./values.ts";

const levels: readonly Level[] = ["ok", "redirect", "other", "warning", "error"];

/** The names of levels beside their counts. */
export const levelNames: Readonly<Record<Level, string>> = {
  ok: "normal",
  redirect: "redirected",
  other: "other",
  warning: "warnings",
  error: "errors",
};

interface Series {
  readonly value: string | null;
  readonly counts: readonly number[];
}

export interface LevelCounts {
  readonly level: Level;
  readonly counts: readonly number[];
  readonly total: number;
}

/** Counts by level, in the order in which they are stacked. */
export function countsByLevel(series: readonly Series[]): readonly LevelCounts[] {
  const sums = new Map<Level, number[]>();
  for (const { value, counts } of series) {
    const level = levelOf(value);
    const sum = sums.get(level) ?? counts.map(() => 0);
    sums.set(level, sum);
    counts.forEach((count, index) => {
      sum[index] = (sum[index] ?? 0) + count;
    });
  }
  return levels.flatMap((level) => {
    const counts = sums.get(level);
    return counts === undefined ? [] : [{ level, counts, total: counts.reduce((sum, each) => sum + each, 0) }];
  });
}

/** Each series with all that come before it, as a stack is drawn. */
export function stackUp(series: readonly (readonly number[])[]): number[][] {
  const stacked: number[][] = [];
  for (const counts of series) {
    const below = stacked.at(-1);
    stacked.push(counts.map((count, index) => count + (below?.[index] ?? 0)));
  }
  return stacked;
}
