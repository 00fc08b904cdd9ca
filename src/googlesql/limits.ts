/**
 * Limits of the language, so that neither the parser nor anything that walks its trees can be made to overflow or
 * stall. A text beyond a limit gets a `too_complex` diagnostic.
 */

/** Longest text of a query, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 1_048_576;

/** Tokens of a query: what a text of the greatest length has when its words are four characters long. */
export const MAX_TOKENS = 250_000;

/**
 * Items of one list: of SELECT, IN, an array. As many columns as a result may have, and what
 * engines plan within a second.
 */
export const MAX_LIST_ITEMS = 10_000;

/** Fields of a struct, those of inner structs included: `STRUCT(x, x)` of a struct has twice as many. */
export const MAX_TYPE_FIELDS = 10_000;

/**
 * Columns that all stars and all reads of tables and sub-queries of a query have together, with the fields of structs,
 * and how many times those of its widest table they may be in any case: each `SELECT *, *` over another has twice as
 * many, and no event that is stored may make a query fail that has few stars.
 */
export const MAX_EXPANDED_COLUMNS = 30_000;
export const MAX_EXPANSIONS = 64;

/** Arguments of one call: engines take time quadratic in their number for some functions. */
export const MAX_ARGUMENTS = 1_000;

/** Operands of one chain of AND or OR. */
export const MAX_OPERANDS = 5_000;

/** Structs of one list of IN, or patterns of one of LIKE: engines take time quadratic in their number. */
export const MAX_COMPARED_ITEMS = 500;

/** Fields of structs that are compared, those of inner structs included: engines take time quadratic in their number. */
export const MAX_COMPARED_FIELDS = 500;

/** Levels of parentheses, calls, sub-queries, types, accessors and unary operators that may stand inside each other. */
export const MAX_NESTING_DEPTH = 200;

/**
 * Queries as operands (scalar, ARRAY, EXISTS, IN) that may stand inside each other: engines take time exponential in
 * it. Sub-queries in FROM are not counted.
 */
export const MAX_SUBQUERY_DEPTH = 10;

/** Queries as operands of one query: engines fail with more. */
export const MAX_SUBQUERIES = 500;

/**
 * Operators of one left-deep chain (`a + b + c`), joins of one FROM clause, and queries of one chain of INTERSECT or
 * EXCEPT: engines take time cubic in it. AND and OR chains may be longer.
 */
export const MAX_CHAIN_LENGTH = 250;
