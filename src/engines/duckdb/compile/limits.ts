/**
 * The placeholders of a statement, and limits of a call's result. DuckDB's memory limit does not hold inside every
 * scalar function, so the function tables compare with these before they build a value, and fail the query beyond.
 */

import { placeholder } from "../sql/atoms.ts";
import { castTo } from "../sql/forms.ts";
import { BIGINT } from "../sql/types.ts";

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

/** Elements of an array made by GENERATE_ARRAY, REPEAT and the like. */
export const MAX_ARRAY_ELEMENTS = 1_000_000;

/**
 * The call's own bound, as the statement holds it: a placeholder, so that a prepared statement serves every
 * budget. It has a type: where a statement has it twice, once inside a struct, DuckDB finds none and ends with an
 * internal error.
 */
export const ARRAY_ELEMENTS = castTo(placeholder(FIRST_LIMIT), BIGINT);

/** Bytes of a string or BYTES value made by REPEAT, LPAD, RPAD and the like. */
export const MAX_STRING_BYTES = 16 * 1024 * 1024;

/** As `ARRAY_ELEMENTS`. */
export const STRING_BYTES = castTo(placeholder(FIRST_LIMIT + 1), BIGINT);

/** Bytes that every budget allows. */
export const FREE_STRING_BYTES = 1024;

/** The limits that placeholders from `FIRST_LIMIT` on stand for. */
export const LIMIT_PLACEHOLDERS = ["maxArrayElements", "maxStringBytes"] as const;

/** Rounds of a WITH RECURSIVE and UNION ALL, as published; more fails the query. */
export const MAX_RECURSION = 500;

/** The depth of sub-selects in a compiled query, whatever its text; more is `too_complex`. */
export const MAX_SELECT_DEPTH = 250;

/** Common table expressions that may be read inside of each other, and sub-queries with them; more is `too_complex`. */
export const MAX_SCAN_DEPTH = 400;

/** Aggregates of one SELECT, or window functions: DuckDB takes time quadratic in their number. */
export const MAX_COMPUTED_CALLS = 1_000;
