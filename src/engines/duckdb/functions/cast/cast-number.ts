/** Casts among numbers, BOOL and their texts. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { NULL, nameSql } from "../../sql/atoms.ts";
import { castTo, fallible, infallible, raiseError } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { BIGINT, DOUBLE, VARCHAR } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import {
  bignumericFromFloat64,
  bignumericFromInt64,
  bignumericFromNumeric,
  bignumericFromString,
  bignumericToFloat64,
  bignumericToInt64,
  bignumericToString,
} from "../number/bignumeric.ts";
import {
  numericFromBignumeric,
  numericFromFloat64,
  numericFromInt64,
  numericFromString,
  numericToFloat64,
  numericToInt64,
  numericToString,
} from "../number/numeric.ts";

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

const casts: Readonly<Record<string, Print>> = {
  "INT64 BOOL": always((v) => sql`(${v} <> 0)`),
  "INT64 FLOAT64": always((v) => castTo(v, DOUBLE)),
  "INT64 NUMERIC": always(numericFromInt64),
  "INT64 BIGNUMERIC": always(bignumericFromInt64),
  "INT64 STRING": always((v) => castTo(v, VARCHAR)),
  "FLOAT64 INT64": orNull(float64ToInt64),
  "FLOAT64 NUMERIC": perhaps(numericFromFloat64),
  "FLOAT64 BIGNUMERIC": perhaps(bignumericFromFloat64),
  "FLOAT64 STRING": always((v) => sql`lw_float64_to_text(${v})`),
  "NUMERIC INT64": perhaps(numericToInt64),
  "NUMERIC FLOAT64": always(numericToFloat64),
  "NUMERIC BIGNUMERIC": always(bignumericFromNumeric),
  "NUMERIC STRING": always(numericToString),
  "BIGNUMERIC INT64": perhaps(bignumericToInt64),
  "BIGNUMERIC FLOAT64": always(bignumericToFloat64),
  "BIGNUMERIC NUMERIC": perhaps(numericFromBignumeric),
  "BIGNUMERIC STRING": always(bignumericToString),
  "BOOL INT64": always((v) => castTo(v, BIGINT)),
  "BOOL STRING": always((v) => castTo(v, VARCHAR)),
  "STRING INT64": orNull(int64FromString),
  "STRING FLOAT64": orNull((v, isSafe) => sql`${nameSql(`lw_${isSafe ? "try_" : ""}float64_from_text`)}(${v})`),
  "STRING NUMERIC": perhaps(numericFromString),
  "STRING BIGNUMERIC": perhaps(bignumericFromString),
  "STRING BOOL": orNull(boolFromString),
};

/**
 * Prints the conversion; undefined where it is none of these. With `isSafe`, one that is not `canFail` gives NULL for
 * what it cannot convert.
 */
export function printNumberCast(value: Sql, from: Kind, to: Kind, isSafe: boolean): Sql | undefined {
  return casts[`${from} ${to}`]?.(value, isSafe);
}
