/** ROUND, TRUNC, CEIL and FLOOR. */
import { computeOnce, literalInteger } from "../compute-once.ts";
import type { FunctionTable, PrintCall } from "../types.ts";
import { asDouble, byNumberKind, printCall } from "./number-kinds.ts";
import { NUMERIC_TYPE } from "./numeric.ts";

/** Digits for which DuckDB's rounding of a double neither overflows nor loses what it rounds. */
function isCommonDigits(digits: bigint | undefined): boolean {
  return digits !== undefined && digits >= 0n && digits <= 9n;
}

/** Away from a half, DuckDB's way of rounding and the reference's come to the same. */
function roundCommon(double: string, digits: number): string {
  return computeOnce([double], "round", (v) => {
    const scaled = `${v} * 1e${digits}`;
    const isClear = `abs(${v}) < 1e${15 - digits} AND abs(abs(${scaled} - trunc(${scaled})) - 0.5) > 1e-4`;
    return `CASE WHEN ${isClear} THEN round(${v}, ${digits}) ELSE lw_round(${v}, ${digits}) END`;
  });
}

function roundOrTruncate(name: "round" | "trunc"): PrintCall {
  return ({ args, types }) => {
    const [x = "", digits = "0::BIGINT", mode = "'ROUND_HALF_AWAY_FROM_ZERO'"] = args;
    const literal = literalInteger(digits);
    const kind = types[0]?.kind;
    if (kind === "NUMERIC" || kind === "BIGNUMERIC") {
      if (kind === "NUMERIC" && literal === 0n && args.length < 3) return `CAST(${name}(${x}) AS ${NUMERIC_TYPE})`;
      return printCall(`lw_${kind.toLowerCase()}_${name}`, name === "trunc" ? [x, digits] : [x, digits, mode]);
    }
    const double = kind === "FLOAT64" ? x : asDouble(x);
    if (literal === 0n) return `${name}(${double})`;
    if (name === "round" && isCommonDigits(literal)) return roundCommon(double, Number(literal));
    return printCall(`lw_${name}`, [double, digits]);
  };
}

function ceilOrFloor(name: "ceil" | "floor"): PrintCall {
  return byNumberKind({
    INT64: (x = "") => asDouble(x),
    FLOAT64: (x = "") => `${name}(${x})`,
    NUMERIC: (x = "") => `CAST(${name}(${x}) AS ${NUMERIC_TYPE})`,
    BIGNUMERIC: (x = "") => `lw_bignumeric_${name}(${x})`,
  });
}

export const roundingFunctions: FunctionTable = {
  ROUND: roundOrTruncate("round"),
  TRUNC: roundOrTruncate("trunc"),
  CEIL: ceilOrFloor("ceil"),
  FLOOR: ceilOrFloor("floor"),
};
