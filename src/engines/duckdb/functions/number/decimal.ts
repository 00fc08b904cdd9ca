/**
 * NUMERIC is DECIMAL(38, 9) in DuckDB. BIGNUMERIC has 76 digits, 38 of them after the point, which no DECIMAL holds: it
 * is a BIGNUM, an integer of any size, that is the value times 10^38. So all that only compares values is native: `= <
 * BETWEEN IN`, ORDER BY, GROUP BY, DISTINCT, joins, MIN, MAX, GREATEST, window frames, and NULL handling.
 *
 * Arithmetic and conversions are printed by the functions here and by nothing else: a cast of a BIGNUM to another type
 * of DuckDB would give 10^38 times the value. Each takes and gives SQL expressions, NULL for a NULL, and fails the
 * query where GoogleSQL does (TRY(...) around it gives NULL instead). Result rows and bound parameters are converted
 * where they cross (rows.ts, parameters.ts).
 */
import type { SqlType } from "../../../../googlesql/types.ts";
import { BIGNUMERIC_DECIMAL, parseDecimal } from "../../../../values/decimal.ts";
import { nameSql, textSql } from "../../sql/atoms.ts";
import { callSql, castTo } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { BIGINT, DOUBLE, VARCHAR } from "../../sql/types.ts";

type Unary = (value: Sql) => Sql;
type Binary = (left: Sql, right: Sql) => Sql;

/** The forms of one of the two types. */
export interface DecimalForms {
  /** DuckDB's type. */
  readonly type: Sql;
  /** A literal from its canonical decimal text. */
  readonly literal: (text: string) => Sql;
  readonly add: Binary;
  readonly subtract: Binary;
  /** Rounds halves away from zero at the type's last digit. */
  readonly multiply: Binary;
  /** Rounds as the product does; fails for a zero divisor. */
  readonly divide: Binary;
  readonly negate: Unary;
  readonly fromInt64: Unary;
  /** From the double's exact value; fails for NaN, infinities and values out of range. */
  readonly fromFloat64: Unary;
  /** Further digits are rounded; an exponent and surrounding spaces are allowed. */
  readonly fromString: Unary;
  /** Rounds halves away from zero. */
  readonly toInt64: Unary;
  readonly toFloat64: Unary;
  /** The canonical text, without trailing zeros. */
  readonly toText: Unary;
}

export type DecimalKind = "NUMERIC" | "BIGNUMERIC";

/** The forms that JavaScript computes for both. */
function computed(kind: "numeric" | "bignumeric") {
  const call =
    (name: string) =>
    (...args: readonly Sql[]) =>
      callSql(`lw_${kind}_${name}`, args);
  return {
    multiply: call("multiply"),
    divide: call("divide"),
    fromFloat64: call("from_double"),
    fromString: call("from_text"),
  };
}

const NUMERIC_TYPE = nameSql("DECIMAL(38, 9)");
const BIGNUMERIC_TYPE = nameSql("BIGNUM");

const numeric: DecimalForms = {
  ...computed("numeric"),
  type: NUMERIC_TYPE,
  literal: (text) => castTo(textSql(text), NUMERIC_TYPE),
  add: (left, right) => sql`(${left} + ${right})`,
  subtract: (left, right) => sql`(${left} - ${right})`,
  // The range is symmetric, so it cannot fail.
  negate: (value) => sql`(-${value})`,
  fromInt64: (value) => castTo(value, NUMERIC_TYPE),
  toInt64: (value) => sql`CAST(round(${value}) AS ${BIGINT})`,
  // By way of the text, so that the result is the nearest double.
  toFloat64: (value) => sql`CAST(CAST(${value} AS ${VARCHAR}) AS ${DOUBLE})`,
  toText: (value) => sql`rtrim(rtrim(CAST(${value} AS ${VARCHAR}), '0'), '.')`,
};

/** Fails where BIGNUM's own arithmetic, which has no bound, left the range of BIGNUMERIC. */
export function checkedBignumeric(value: Sql): Sql {
  return sql`lw_bignumeric_check(${value})`;
}

function bignumericLiteral(text: string): Sql {
  const value = parseDecimal(text, BIGNUMERIC_DECIMAL);
  if (value === undefined) throw new Error(`Invalid BIGNUMERIC literal: ${text}`);
  return castTo(textSql(String(value)), BIGNUMERIC_TYPE);
}

const bignumeric: DecimalForms = {
  ...computed("bignumeric"),
  type: BIGNUMERIC_TYPE,
  literal: bignumericLiteral,
  add: (left, right) => checkedBignumeric(sql`(${left} + ${right})`),
  // By the inverse: DuckDB subtracts a long BIGNUM from itself wrongly, because it inverts the one in memory that both
  // operands are.
  subtract: (left, right) => checkedBignumeric(sql`(${left} + (-(${right})))`),
  // The inverse of the smallest value is out of range.
  negate: (value) => checkedBignumeric(sql`(-${value})`),
  fromInt64: (value) => sql`lw_bignumeric_from_bigint(${value})`,
  toInt64: (value) => sql`lw_bignumeric_to_bigint(${value})`,
  toFloat64: (value) => sql`lw_bignumeric_to_double(${value})`,
  toText: (value) => sql`lw_bignumeric_to_text(${value})`,
};

export const DECIMALS: Readonly<Record<DecimalKind, DecimalForms>> = { NUMERIC: numeric, BIGNUMERIC: bignumeric };

/** The forms of the type; undefined where it is no decimal. */
export function decimalOf(kind: SqlType["kind"] | undefined): DecimalForms | undefined {
  return kind === "NUMERIC" || kind === "BIGNUMERIC" ? DECIMALS[kind] : undefined;
}
