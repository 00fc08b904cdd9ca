/**
 * What the language refuses to read, so that neither the parser nor anything that walks its trees can be made to
 * overflow or stall. A text beyond a limit is answered with a `too_complex` diagnostic.
 */

/** Longest text of a query, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 1_048_576;

/** Tokens of a query: what a text of the greatest length has when its words are four characters long. */
export const MAX_TOKENS = 250_000;

/** Items of one SELECT list, or of one list of a pipe operator: as many columns as a result may have. */
export const MAX_SELECT_ITEMS = 10_000;

/** Levels of parentheses, calls, sub-queries, types, accessors and unary operators that may stand inside each other. */
export const MAX_NESTING_DEPTH = 200;

/**
 * Queries as operands (scalar, ARRAY, EXISTS, IN) that may stand inside each other: engines take time exponential in
 * it. Sub-queries in FROM are not counted.
 */
export const MAX_SUBQUERY_DEPTH = 10;

/**
 * Operators of one left-deep chain (`a + b + c`), and joins of one FROM clause: engines take time cubic in it. AND
 * and OR chains have no limit.
 */
export const MAX_CHAIN_LENGTH = 250;
