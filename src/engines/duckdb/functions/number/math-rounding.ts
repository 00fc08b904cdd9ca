/** ROUND, TRUNC, CEIL and FLOOR. */

import { bigintSql, decimalSql, nameSql, numberSql, textSql } from "../../sql/atoms.ts";
import { callSql } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { FunctionTable, PrintCall } from "../types.ts";
import { DECIMALS } from "./decimal.ts";
import { asDouble, byNumberKind } from "./number-kinds.ts";

/** Digits for which DuckDB's rounding of a double neither overflows nor loses what it rounds. */
function isCommonDigits(digits: bigint | undefined): boolean {
  return digits !== undefined && digits >= 0n && digits <= 9n;
}

/** Except near halves, DuckDB rounds like the reference. */
function roundCommon(double: Sql, digits: number): Sql {
  return computeOnce([double], "round", (v) => {
    const scaled = sql`${v} * ${decimalSql(`1e${digits}`)}`;
    const isClear = sql`abs(${v}) < ${decimalSql(`1e${15 - digits}`)} AND abs(abs(${scaled} - trunc(${scaled})) - 0.5) > 1e-4`;
    return sql`CASE WHEN ${isClear} THEN round(${v}, ${numberSql(digits)}) ELSE lw_round(${v}, ${numberSql(digits)}) END`;
  });
}

function roundOrTruncate(name: "round" | "trunc"): PrintCall {
  return ({ args, types }) => {
    const [x = EMPTY, digits = bigintSql(0n), mode = textSql("ROUND_HALF_AWAY_FROM_ZERO")] = args;
    const literal = digits.integer;
    const kind = types[0]?.kind;
    if (kind === "NUMERIC" || kind === "BIGNUMERIC") {
      if (kind === "NUMERIC" && literal === 0n && args.length < 3)
        return sql`CAST(${nameSql(name)}(${x}) AS ${DECIMALS.NUMERIC.type})`;
      return callSql(`lw_${kind.toLowerCase()}_${name}`, name === "trunc" ? [x, digits] : [x, digits, mode]);
    }
    const double = kind === "FLOAT64" ? x : asDouble(x);
    if (literal === 0n) return sql`${nameSql(name)}(${double})`;
    if (name === "round" && isCommonDigits(literal)) return roundCommon(double, Number(literal));
    return callSql(`lw_${name}`, [double, digits]);
  };
}

function ceilOrFloor(name: "ceil" | "floor"): PrintCall {
  return byNumberKind({
    INT64: (x = EMPTY) => asDouble(x),
    FLOAT64: (x = EMPTY) => sql`${nameSql(name)}(${x})`,
    NUMERIC: (x = EMPTY) => sql`CAST(${nameSql(name)}(${x}) AS ${DECIMALS.NUMERIC.type})`,
    BIGNUMERIC: (x = EMPTY) => sql`${nameSql(`lw_bignumeric_${name}`)}(${x})`,
  });
}

export const roundingFunctions: FunctionTable = {
  ROUND: roundOrTruncate("round"),
  TRUNC: roundOrTruncate("trunc"),
  CEIL: ceilOrFloor("ceil"),
  FLOOR: ceilOrFloor("floor"),
};
