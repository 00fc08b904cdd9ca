/** Casts among numbers, BOOL and their texts. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { NULL, nameSql } from "../../sql/atoms.ts";
import { castTo, fallible, infallible, raiseError } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { BIGINT, DOUBLE, VARCHAR } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import { DECIMALS, type DecimalKind } from "../number/decimal.ts";

type Kind = SqlType["kind"];

/** Halves are rounded away from zero; NaN, infinities and what 64 bits cannot hold fail. */
function float64ToInt64(value: Sql, isSafe: boolean): Sql {
  return computeOnce([value], "rounded", (v) => {
    const isInRange = sql`isfinite(${v}) AND round(${v}) >= -9223372036854775808 AND round(${v}) < 9223372036854775808::DOUBLE`;
    const otherwise = isSafe ? NULL : raiseError(sql`concat('Illegal conversion of FLOAT64 to INT64: ', ${v})`);
    return sql`CASE WHEN ${v} IS NULL THEN NULL WHEN ${isInRange} THEN CAST(round(${v}) AS BIGINT) ELSE ${otherwise} END`;
  });
}

/** DuckDB reads the plain form of a number, which most texts have, ten times as fast as JavaScript. */
function int64FromString(value: Sql, isSafe: boolean): Sql {
  return computeOnce([value], "integer", (v) => {
    return sql`
      CASE WHEN regexp_full_match(${v}, '[+-]?[0-9]{1,18}') THEN TRY_CAST(${v} AS BIGINT)
      ELSE ${nameSql(`lw_${isSafe ? "try_" : ""}int64_from_text`)}(${v}) END
    `;
  });
}

function boolFromString(value: Sql, isSafe: boolean): Sql {
  return computeOnce([value], "bool", (v) => {
    const otherwise = isSafe ? NULL : raiseError(sql`concat('Bad bool value: ', ${v})`);
    return sql`
      CASE WHEN ${v} IS NULL THEN NULL WHEN lower(${v}) = 'true' THEN true WHEN lower(${v}) = 'false'
      THEN false ELSE ${otherwise} END
    `;
  });
}

type Print = (value: Sql, isSafe: boolean) => Sql;

const always =
  (print: (value: Sql) => Sql): Print =>
  (value) =>
    infallible(print(value));
const perhaps =
  (print: (value: Sql) => Sql): Print =>
  (value) =>
    fallible(print(value));
/** Those that have a form of their own for what cannot be converted. */
const orNull =
  (print: (value: Sql, isSafe: boolean) => Sql): Print =>
  (value, isSafe) =>
    isSafe ? infallible(print(value, true)) : fallible(print(value, false));

const decimalCasts = (kind: DecimalKind): Readonly<Record<string, Print>> => ({
  [`INT64 ${kind}`]: always(DECIMALS[kind].fromInt64),
  [`FLOAT64 ${kind}`]: perhaps(DECIMALS[kind].fromFloat64),
  [`STRING ${kind}`]: perhaps(DECIMALS[kind].fromString),
  [`${kind} INT64`]: perhaps(DECIMALS[kind].toInt64),
  [`${kind} FLOAT64`]: always(DECIMALS[kind].toFloat64),
  [`${kind} STRING`]: always(DECIMALS[kind].toText),
});

const casts: Readonly<Record<string, Print>> = {
  ...decimalCasts("NUMERIC"),
  ...decimalCasts("BIGNUMERIC"),
  "INT64 BOOL": always((v) => sql`(${v} <> 0)`),
  "INT64 FLOAT64": always((v) => castTo(v, DOUBLE)),
  "INT64 STRING": always((v) => castTo(v, VARCHAR)),
  "FLOAT64 INT64": orNull(float64ToInt64),
  "FLOAT64 STRING": always((v) => sql`lw_float64_to_text(${v})`),
  "NUMERIC BIGNUMERIC": always((v) => sql`lw_bignumeric_from_numeric(${v})`),
  "BIGNUMERIC NUMERIC": perhaps((v) => sql`lw_numeric_from_bignumeric(${v})`),
  "BOOL INT64": always((v) => castTo(v, BIGINT)),
  "BOOL STRING": always((v) => castTo(v, VARCHAR)),
  "STRING INT64": orNull(int64FromString),
  "STRING FLOAT64": orNull((v, isSafe) => sql`${nameSql(`lw_${isSafe ? "try_" : ""}float64_from_text`)}(${v})`),
  "STRING BOOL": orNull(boolFromString),
};

/**
 * Prints the conversion; undefined where it is none of these. With `isSafe`, one that is not `canFail` gives NULL for
 * what it cannot convert.
 */
export function printNumberCast(value: Sql, from: Kind, to: Kind, isSafe: boolean): Sql | undefined {
  return casts[`${from} ${to}`]?.(value, isSafe);
}
