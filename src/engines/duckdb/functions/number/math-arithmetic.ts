/** DIV, MOD and the SAFE_ forms of the arithmetic operators. */
import { raiseError } from "../../sql-text.ts";
import { computeOnce, literalInteger } from "../compute-once.ts";
import type { FunctionTable, PrintCall } from "../types.ts";
import {
  bignumericAdd,
  bignumericDivide,
  bignumericMultiply,
  bignumericNegate,
  bignumericSubtract,
} from "./bignumeric.ts";
import { asDouble, byNumberKind, printCall } from "./number-kinds.ts";
import { numericAdd, numericDivide, numericMultiply, numericNegate, numericSubtract } from "./numeric.ts";

/** DIV and MOD of INT64: DuckDB gives NULL for a zero divisor. */
function integerDivision(name: "DIV" | "MOD", compute: (x: string, y: string) => string): PrintCall {
  return byNumberKind({
    INT64: (x = "", y = "") => {
      const divisor = literalInteger(y);
      if (divisor !== undefined && divisor !== 0n && divisor !== -1n) return `(${compute(x, y)})`;
      const message = `'division by zero: ${name}(' || CAST(${x} AS VARCHAR) || ', 0)'`;
      if (divisor === 0n) return `CASE WHEN ${x} IS NOT NULL THEN ${raiseError(message)} ELSE NULL::BIGINT END`;
      // DuckDB fails for the remainder of the smallest INT64 by -1, which is 0.
      const minusOne = name === "MOD" ? " WHEN -1 THEN 0" : "";
      return computeOnce([x, y], name.toLowerCase(), (left, right) => {
        const failure = raiseError(`'division by zero: ${name}(' || CAST(${left} AS VARCHAR) || ', 0)'`);
        return (
          `CASE WHEN ${left} IS NULL THEN NULL ELSE CASE ${right} WHEN 0 THEN ${failure}${minusOne} ` +
          `ELSE ${compute(left, right)} END END`
        );
      });
    },
    NUMERIC: (...args) => printCall(`lw_numeric_${name.toLowerCase()}`, args),
    BIGNUMERIC: (...args) => printCall(`lw_bignumeric_${name.toLowerCase()}`, args),
  });
}

type Operator = (left: string, right: string) => string;

/** NULL where `compute` fails; where an argument fails, the query does. */
function safely(name: string, args: readonly string[], compute: (...args: readonly string[]) => string): string {
  return computeOnce(args, name, (...values) => `TRY(${compute(...values)})`);
}

function safeArithmetic(name: string, integer: Operator, numeric: Operator, bignumeric: Operator): PrintCall {
  const variable = `safe_${name}`;
  return byNumberKind({
    INT64: (...args) => safely(variable, args, (x = "", y = "") => integer(x, y)),
    FLOAT64: (...args) => printCall(`lw_safe_${name}`, args),
    NUMERIC: (...args) => safely(variable, args, (x = "", y = "") => numeric(x, y)),
    BIGNUMERIC: (...args) => safely(variable, args, (x = "", y = "") => bignumeric(x, y)),
  });
}

function safeDivideDoubles(x: string, y: string): string {
  return computeOnce([x, y], "safe_divide", (left, right) => {
    const quotient = `${left} / ${right}`;
    return `CASE WHEN ${right} = 0 OR isinf(${quotient}) AND isfinite(${left}) THEN NULL ELSE ${quotient} END`;
  });
}

export const arithmeticFunctions: FunctionTable = {
  DIV: integerDivision("DIV", (x, y) => `${x} // ${y}`),
  MOD: integerDivision("MOD", (x, y) => `${x} % ${y}`),
  SAFE_DIVIDE: byNumberKind({
    INT64: (x = "", y = "") => safeDivideDoubles(asDouble(x), asDouble(y)),
    FLOAT64: (x = "", y = "") => safeDivideDoubles(x, y),
    NUMERIC: (...args) => safely("safe_divide", args, (x = "", y = "") => numericDivide(x, y)),
    BIGNUMERIC: (...args) => safely("safe_divide", args, (x = "", y = "") => bignumericDivide(x, y)),
  }),
  SAFE_ADD: safeArithmetic("add", (x, y) => `${x} + ${y}`, numericAdd, bignumericAdd),
  SAFE_SUBTRACT: safeArithmetic("subtract", (x, y) => `${x} - ${y}`, numericSubtract, bignumericSubtract),
  SAFE_MULTIPLY: safeArithmetic("multiply", (x, y) => `${x} * ${y}`, numericMultiply, bignumericMultiply),
  SAFE_NEGATE: byNumberKind({
    INT64: (...args) => safely("safe_negate", args, (x = "") => `-${x}`),
    FLOAT64: (x = "") => `(-${x})`,
    NUMERIC: (x = "") => numericNegate(x),
    BIGNUMERIC: (...args) => safely("safe_negate", args, (x = "") => bignumericNegate(x)),
  }),
};
