// Tests that use these run once more in the long suites (`sampledTests` in `vitest.suites.ts`).

/** The share of the long suites that is tried: none in `npm test`. */
const share = Number(process.env.LOGWEIR_SAMPLES ?? 0);
/** A mutant is tried on the cases of the long suites too, like those of the corpus. */
const isMutant = process.env.MUTANTS_TESTS !== undefined;

/** Whether this is a run of the long suites, with whatever share of their samples. */
export const isLong = share > 0;

/** Whether nothing of a long suite is left out. */
export const isWhole = share === 1;

/** How many values a property tries, or how often something is repeated: few in `npm test`, many in the long suites. */
export function sampleSize(few: number, many: number): number {
  return Math.max(few, Math.round(many * share));
}

/** All of a list in the long suites; in `npm test` a part of it, such as 0.25, evenly from all over the list. */
export function sampleOf<T>(all: readonly T[], part: number): readonly T[] {
  const tried = isMutant ? 1 : Math.max(part, share);
  return all.filter((_, index) => Math.floor((index + 1) * tried) > Math.floor(index * tried));
}
