// Tests that use these run once more in the long suites (`sampledTests` in `vitest.long.config.ts`).

const isLong = process.env.LOGWEIR_TESTS === "long";
/** A mutant is tried on the cases of the long suites too, like those of the corpus. */
const isMutant = process.env.MUTANTS_TESTS !== undefined;

/** How many values a property tries, or how often something is repeated: few in `npm test`, many in the long suites. */
export function sampleSize(few: number, many: number): number {
  return isLong ? many : few;
}

/** All of a list in the long suites; in `npm test` a part of it, such as 0.25, evenly from all over the list. */
export function sampleOf<T>(all: readonly T[], part: number): readonly T[] {
  return isLong || isMutant ? all : all.filter((_, index) => Math.floor((index + 1) * part) > Math.floor(index * part));
}
