/**
 * What one call may build. DuckDB's memory limit does not hold inside every scalar function, so the function tables
 * compare with these before they build, and fail the query beyond.
 */

/** Elements of an array made by GENERATE_ARRAY, REPEAT and the like. */
export const MAX_ARRAY_ELEMENTS = 1_000_000;

/** Bytes of a string or BYTES value made by REPEAT, LPAD, RPAD and the like. */
export const MAX_STRING_BYTES = 16 * 1024 * 1024;

/** Rounds of a WITH RECURSIVE and UNION ALL, as published; more fails the query. */
export const MAX_RECURSION = 500;

/** Sub-selects that a compiled query may nest, whatever the text looked like; more is `too_complex`. */
export const MAX_SELECT_DEPTH = 250;

/** Common table expressions that may be read inside of each other, and sub-queries with them; more is `too_complex`. */
export const MAX_SCAN_DEPTH = 400;
