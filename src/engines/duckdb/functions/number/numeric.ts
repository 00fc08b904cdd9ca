/**
 * NUMERIC is DECIMAL(38, 9) in DuckDB. Comparisons, grouping, MIN, MAX and the cast from BIGINT are native; what is
 * printed otherwise stands here. Every function takes and gives SQL expressions, NULL for a NULL, and fails the query
 * where GoogleSQL does (TRY(...) around them gives NULL instead).
 */

import { nameSql, textSql } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";

/** DuckDB's type of a NUMERIC. */
export const NUMERIC_TYPE = nameSql("DECIMAL(38, 9)");

/** A literal from its canonical decimal text. */
export function numericLiteral(text: string): Sql {
  return castTo(textSql(text), NUMERIC_TYPE);
}

/** Fails beyond 38 digits. */
export function numericAdd(left: Sql, right: Sql): Sql {
  return sql`(${left} + ${right})`;
}

/** Fails beyond 38 digits. */
export function numericSubtract(left: Sql, right: Sql): Sql {
  return sql`(${left} - ${right})`;
}

/** Rounds halves away from zero at the ninth digit after the point; DuckDB's own product has 18 and overflows early. */
export function numericMultiply(left: Sql, right: Sql): Sql {
  return sql`lw_numeric_multiply(${left}, ${right})`;
}

/** Rounds as the product does; DuckDB's own quotient is a DOUBLE. Fails for a zero divisor. */
export function numericDivide(left: Sql, right: Sql): Sql {
  return sql`lw_numeric_divide(${left}, ${right})`;
}

/** The additive inverse; the range is symmetric, so it cannot fail. */
export function numericNegate(value: Sql): Sql {
  return sql`(-${value})`;
}

export function numericFromInt64(value: Sql): Sql {
  return castTo(value, NUMERIC_TYPE);
}

/** From the double's exact value, halves away from zero; fails for NaN, infinities and beyond 38 digits. */
export function numericFromFloat64(value: Sql): Sql {
  return sql`lw_numeric_from_double(${value})`;
}

/** Digits beyond the ninth are rounded; an exponent and surrounding spaces are allowed. */
export function numericFromString(value: Sql): Sql {
  return sql`lw_numeric_from_text(${value})`;
}

export function numericFromBignumeric(value: Sql): Sql {
  return sql`lw_numeric_from_bignumeric(${value})`;
}

/** Rounds halves away from zero. */
export function numericToInt64(value: Sql): Sql {
  return sql`CAST(round(${value}) AS BIGINT)`;
}

/** By way of the text, so that the result is the nearest double. */
export function numericToFloat64(value: Sql): Sql {
  return sql`CAST(CAST(${value} AS VARCHAR) AS DOUBLE)`;
}

/** The canonical text, without trailing zeros. */
export function numericToString(value: Sql): Sql {
  return sql`rtrim(rtrim(CAST(${value} AS VARCHAR), '0'), '.')`;
}
