/** Statistics of many measured times. All in milliseconds. */
export interface Timing {
  readonly runs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly minMs: number;
}

/** The value below which the share `quantile` of the sorted values lies; NaN of none. */
export function quantileOf(values: readonly number[], quantile: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.NaN;
}

export function summarise(times: readonly number[]): Timing {
  return {
    runs: times.length,
    medianMs: quantileOf(times, 0.5),
    p99Ms: quantileOf(times, 0.99),
    minMs: quantileOf(times, 0),
  };
}

/**
 * How long to measure: until `budgetMs` are spent, within these counts of runs; before that so many runs, and for so
 * long, that do not count.
 */
export interface Effort {
  readonly warmUps: number;
  readonly warmUpMs: number;
  readonly minRuns: number;
  readonly maxRuns: number;
  readonly budgetMs: number;
}

export const defaultEffort: Effort = { warmUps: 3, warmUpMs: 1_000, minRuns: 5, maxRuns: 60, budgetMs: 4_000 };

/** Runs warm, one after the other; `run` answers the milliseconds it took. */
export async function measure(run: () => Promise<number>, effort: Effort = defaultEffort): Promise<Timing> {
  let warmedMs = 0;
  for (let i = 0; i < effort.warmUps || warmedMs < effort.warmUpMs; i++) warmedMs += await run();
  const times: number[] = [];
  let spentMs = 0;
  while (times.length < effort.minRuns || (times.length < effort.maxRuns && spentMs < effort.budgetMs)) {
    const time = await run();
    times.push(time);
    spentMs += time;
  }
  return summarise(times);
}

/** The same for several at once, in turns, so that whatever else the machine does meets all of them. */
export async function measureInTurns(
  runs: readonly (() => Promise<number>)[],
  effort: Effort = defaultEffort,
): Promise<readonly Timing[]> {
  const times: number[][] = runs.map(() => []);
  const takeTurns = async (round: number) => {
    let spentMs = 0;
    // Each goes first in some rounds.
    for (let turn = 0; turn < runs.length; turn++) {
      const place = (turn + round) % runs.length;
      const time = (await runs[place]?.()) ?? 0;
      times[place]?.push(time);
      spentMs += time;
    }
    return spentMs;
  };
  let warmedMs = 0;
  for (let round = 0; round < effort.warmUps || warmedMs < effort.warmUpMs * runs.length; round++) {
    warmedMs += await takeTurns(round);
  }
  for (const each of times) each.length = 0;
  const budgetMs = effort.budgetMs * runs.length;
  let spentMs = 0;
  for (let round = 0; round < effort.minRuns || (round < effort.maxRuns && spentMs < budgetMs); round++) {
    spentMs += await takeTurns(round);
  }
  return times.map(summarise);
}
