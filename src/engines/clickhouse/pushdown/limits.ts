/** The limit of nested queries: that of the embedded engine. */
export const MAX_DEPTH = 400;

/** Definitions that are read several times and stand in each of their readers; the rest is read once, for all. */
export const MAX_COPIES = 64;

/** Statements of one query: each reads the table again. */
export const MAX_STATEMENTS = 500;

/** Reasons that are reported; more would help nobody. */
export const MAX_REASONS = 50;

/** Thrown for a query that is nested too deeply, or falls into too many parts. */
export class TooComplex extends Error {
  override readonly name = "TooComplex";
}
