/**
 * BIGNUMERIC has 76 digits, 38 of them after the point, which no DECIMAL of DuckDB holds. Its physical form is a
 * BIGNUM, an integer of any size, that is the value times 10^38. So everything that only compares values is native:
 * `= < BETWEEN IN`, ORDER BY, GROUP BY, DISTINCT, joins, MIN, MAX, GREATEST, window frames, and NULL handling.
 * Arithmetic, rounding and conversions are printed by the functions here and by nothing else: a cast of a BIGNUM to
 * another type of DuckDB would give 10^38 times the value. Result rows and bound parameters are converted where they
 * cross (rows.ts, parameters.ts).
 */

import { BIGNUMERIC_DECIMAL, parseDecimal } from "../../../../values/decimal.ts";
import { nameSql, textSql } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";

/** DuckDB's type of a BIGNUMERIC. */
export const BIGNUMERIC_TYPE = nameSql("BIGNUM");

/** A literal from its decimal text; throws where the text is no BIGNUMERIC. */
export function bignumericLiteral(text: string): Sql {
  const value = parseDecimal(text, BIGNUMERIC_DECIMAL);
  if (value === undefined) throw new Error(`Invalid BIGNUMERIC literal: ${text}`);
  return castTo(textSql(String(value)), BIGNUMERIC_TYPE);
}

/** Fails where BIGNUM's own arithmetic left the range of BIGNUMERIC. */
function checked(value: Sql): Sql {
  return sql`lw_bignumeric_check(${value})`;
}

export function bignumericAdd(left: Sql, right: Sql): Sql {
  return checked(sql`(${left} + ${right})`);
}

/**
 * By the inverse: DuckDB subtracts a long BIGNUM from itself wrongly, because it inverts the one in memory that both
 * operands are.
 */
export function bignumericSubtract(left: Sql, right: Sql): Sql {
  return checked(sql`(${left} + (-(${right})))`);
}

/** Rounds halves away from zero at the 38th digit after the point. */
export function bignumericMultiply(left: Sql, right: Sql): Sql {
  return sql`lw_bignumeric_multiply(${left}, ${right})`;
}

/** Rounds as the product does; fails for a zero divisor. */
export function bignumericDivide(left: Sql, right: Sql): Sql {
  return sql`lw_bignumeric_divide(${left}, ${right})`;
}

/** Fails for the smallest value, whose inverse is out of range. */
export function bignumericNegate(value: Sql): Sql {
  return checked(sql`(-${value})`);
}

/** A sum of BIGNUMs has no bound of its own. */
export function bignumericCheckedSum(sum: Sql): Sql {
  return checked(sum);
}

export function bignumericFromInt64(value: Sql): Sql {
  return sql`lw_bignumeric_from_bigint(${value})`;
}

export function bignumericFromNumeric(value: Sql): Sql {
  return sql`lw_bignumeric_from_numeric(${value})`;
}

/** From the double's exact value; fails for NaN, infinities and values out of range. */
export function bignumericFromFloat64(value: Sql): Sql {
  return sql`lw_bignumeric_from_double(${value})`;
}

export function bignumericFromString(value: Sql): Sql {
  return sql`lw_bignumeric_from_text(${value})`;
}

/** Rounds halves away from zero; fails out of range. */
export function bignumericToInt64(value: Sql): Sql {
  return sql`lw_bignumeric_to_bigint(${value})`;
}

export function bignumericToFloat64(value: Sql): Sql {
  return sql`lw_bignumeric_to_double(${value})`;
}

/** The canonical text, without trailing zeros. */
export function bignumericToString(value: Sql): Sql {
  return sql`lw_bignumeric_to_text(${value})`;
}
