/** Functions of numbers. A decimal's are JavaScript functions named after its type (see udf/decimal-math.ts). */

import { nameSql } from "../../sql/atoms.ts";
import { callSql } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { FunctionTable, PrintCall } from "../types.ts";
import { DECIMALS } from "./decimal.ts";
import { arithmeticFunctions } from "./math-arithmetic.ts";
import { compareFunctions } from "./math-compare.ts";
import { roundingFunctions } from "./math-rounding.ts";
import { asDouble, byNumberKind, ofDecimals } from "./number-kinds.ts";

/** Prints a function of one or two numbers: a decimal in its own type, everything else as a double. */
function real(name: string): PrintCall {
  return byNumberKind({
    FLOAT64: (...args) => callSql(`lw_${name}`, args),
    INT64: (...args) => callSql(`lw_${name}`, args.map(asDouble)),
    ...ofDecimals(
      (_, kind) =>
        (...args) =>
          callSql(`lw_${kind}_${name}`, args),
    ),
  });
}

/** Native within `domain`, where DuckDB and GoogleSQL agree; JavaScript computes the rest. */
function fastReal(name: string, domain: (x: Sql) => Sql): PrintCall {
  const slow = real(name);
  const double = (x: Sql) =>
    computeOnce(
      [x],
      name,
      (v) => sql`CASE WHEN ${domain(v)} THEN ${nameSql(name)}(${v}) ELSE ${nameSql(`lw_${name}`)}(${v}) END`,
    );
  return (context) => {
    const [x = EMPTY, ...rest] = context.args;
    const kind = context.types[0]?.kind;
    if (rest.length > 0 || kind === "NUMERIC" || kind === "BIGNUMERIC") return slow(context);
    return double(kind === "FLOAT64" ? x : asDouble(x));
  };
}

const isPositiveFinite = (x: Sql) => sql`${x} > 0 AND ${x} < 'Infinity'::DOUBLE`;

const sign: PrintCall = byNumberKind({
  INT64: (x = EMPTY) => sql`CAST(sign(${x}) AS BIGINT)`,
  FLOAT64: (x = EMPTY) =>
    computeOnce([x], "sign", (v) => sql`CASE WHEN isnan(${v}) THEN ${v} ELSE CAST(sign(${v}) AS DOUBLE) END`),
  NUMERIC: (x = EMPTY) => sql`CAST(sign(${x}) AS ${DECIMALS.NUMERIC.type})`,
  BIGNUMERIC: (x = EMPTY) => sql`lw_bignumeric_sign(${x})`,
});

const trigonometric = [
  ...["cos", "cosh", "acos", "acosh", "cot", "coth", "csc", "csch", "sec", "sech"],
  ...["sin", "sinh", "asin", "asinh", "tan", "tanh", "atan", "atanh", "atan2"],
];

export const mathFunctions: FunctionTable = {
  ...arithmeticFunctions,
  ...compareFunctions,
  ...roundingFunctions,
  ABS: byNumberKind({
    INT64: (x = EMPTY) => sql`abs(${x})`,
    FLOAT64: (x = EMPTY) => sql`abs(${x})`,
    NUMERIC: (x = EMPTY) => sql`abs(${x})`,
    BIGNUMERIC: (x = EMPTY) => sql`lw_bignumeric_abs(${x})`,
  }),
  SIGN: sign,
  IS_INF: ({ args }) => callSql("isinf", args),
  IS_NAN: ({ args }) => callSql("isnan", args),
  IEEE_DIVIDE: ({ args }) => sql`(${joinSql(args, " / ")})`,
  RAND: () => sql`random()`,
  BIT_COUNT: ({ args: [value = EMPTY], types }) =>
    types[0]?.kind === "BYTES" ? sql`lw_bit_count(${value})` : sql`CAST(bit_count(${value}) AS BIGINT)`,
  PARSE_NUMERIC: ({ args }) => callSql("lw_parse_numeric", args),
  PARSE_BIGNUMERIC: ({ args }) => callSql("lw_parse_bignumeric", args),
  SQRT: fastReal("sqrt", (x) => sql`${x} >= 0 AND ${x} < 'Infinity'::DOUBLE`),
  CBRT: ({ args }) => callSql("cbrt", args),
  POW: real("pow"),
  EXP: fastReal("exp", (x) => sql`${x} BETWEEN -700 AND 700`),
  LN: fastReal("ln", isPositiveFinite),
  LOG: (context) => (context.args.length > 1 ? real("log")(context) : fastReal("ln", isPositiveFinite)(context)),
  LOG10: fastReal("log10", isPositiveFinite),
  ...Object.fromEntries(
    trigonometric.map((name): [string, PrintCall] => [name.toUpperCase(), ({ args }) => callSql(`lw_${name}`, args)]),
  ),
};
