/** The placeholders of a statement. */

/** Placeholders from here on are limits of the call, and are numbered after those of parameters. */
export const FIRST_LIMIT = 900_001;

/** And from here on the time bounds of conditions on ids, after the limits. */
export const FIRST_BOUND = 950_001;

/** And the time that the newest rows are read from, the last of all. */
export const NEWEST_BOUND = 960_001;

/** The placeholders in the order of their numbers in the statement, from 1: as they stand there, limits last. */
export function orderPlaceholders(found: readonly number[]): readonly number[] {
  return [
    ...found.filter((index) => index < FIRST_LIMIT),
    ...found.filter((index) => index >= FIRST_LIMIT).sort((left, right) => left - right),
  ];
}
