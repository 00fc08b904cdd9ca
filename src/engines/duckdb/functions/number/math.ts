/** Functions of numbers. A decimal's are JavaScript functions named after its type (see `semantics/number/`). */

import { bigintSql, decimalSql, nameSql, numberSql, textSql } from "../../sql/atoms.ts";
import { callSql, castTo, raiseError, tried } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { DOUBLE } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import type { FunctionTable, PrintCall } from "../types.ts";
import { DECIMALS, type DecimalKind } from "./decimal.ts";
import { compareFunctions } from "./math-compare.ts";

type PrintArguments = (...args: readonly Sql[]) => Sql;

interface NumberPrinters extends Partial<Record<"FLOAT64" | DecimalKind, PrintArguments>> {
  readonly INT64: PrintArguments;
  /** For the decimal types that have no entry of their own. */
  readonly decimal?: (kind: DecimalKind, ...args: readonly Sql[]) => Sql;
}

/** Prints by the type of the first argument; as an INT64 where there is no entry for it. */
function byNumberKind({ decimal, ...printers }: NumberPrinters): PrintCall {
  return ({ args, types }) => {
    const kind = types[0]?.kind;
    const own = kind === "FLOAT64" || kind === "NUMERIC" || kind === "BIGNUMERIC" ? printers[kind] : undefined;
    if (own === undefined && decimal !== undefined && (kind === "NUMERIC" || kind === "BIGNUMERIC")) {
      return decimal(kind, ...args);
    }
    return (own ?? printers.INT64)(...args);
  };
}

/** The JavaScript function of the name for a decimal type. */
const ofDecimal =
  (name: string) =>
  (kind: DecimalKind, ...args: readonly Sql[]) =>
    callSql(`lw_${kind.toLowerCase()}_${name}`, args);

/** An INT64 as FLOAT64. */
function asDouble(sql: Sql): Sql {
  return castTo(sql, DOUBLE);
}

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

const roundingFunctions: FunctionTable = {
  ROUND: roundOrTruncate("round"),
  TRUNC: roundOrTruncate("trunc"),
  CEIL: ceilOrFloor("ceil"),
  FLOOR: ceilOrFloor("floor"),
};

/** DIV and MOD of INT64: DuckDB gives NULL for a zero divisor. */
function integerDivision(name: "DIV" | "MOD", compute: (x: Sql, y: Sql) => Sql): PrintCall {
  return byNumberKind({
    INT64: (x = EMPTY, y = EMPTY) => {
      const divisor = y.integer;
      if (divisor !== undefined && divisor !== 0n && divisor !== -1n) return sql`(${compute(x, y)})`;
      const message = sql`${textSql(`division by zero: ${name}(`)} || CAST(${x} AS VARCHAR) || ', 0)'`;
      if (divisor === 0n) return sql`CASE WHEN ${x} IS NOT NULL THEN ${raiseError(message)} ELSE NULL::BIGINT END`;
      // DuckDB fails for the remainder of the smallest INT64 by -1, which is 0.
      const minusOne = name === "MOD" ? sql` WHEN -1 THEN 0` : EMPTY;
      return computeOnce([x, y], name.toLowerCase(), (left, right) => {
        const failure = raiseError(sql`${textSql(`division by zero: ${name}(`)} || CAST(${left} AS VARCHAR) || ', 0)'`);
        return sql`
          CASE WHEN ${left} IS NULL THEN NULL ELSE CASE ${right} WHEN 0 THEN ${failure}${minusOne}
          ELSE ${compute(left, right)} END END
        `;
      });
    },
    decimal: ofDecimal(name.toLowerCase()),
  });
}

function safeDivideDoubles(x: Sql, y: Sql): Sql {
  return computeOnce([x, y], "safe_divide", (left, right) => {
    const quotient = sql`${left} / ${right}`;
    return sql`CASE WHEN ${right} = 0 OR isinf(${quotient}) AND isfinite(${left}) THEN NULL ELSE ${quotient} END`;
  });
}

const arithmeticFunctions: FunctionTable = {
  DIV: integerDivision("DIV", (x, y) => sql`${x} // ${y}`),
  MOD: integerDivision("MOD", (x, y) => sql`${x} % ${y}`),
  SAFE_DIVIDE: byNumberKind({
    INT64: (x = EMPTY, y = EMPTY) => safeDivideDoubles(asDouble(x), asDouble(y)),
    FLOAT64: (x = EMPTY, y = EMPTY) => safeDivideDoubles(x, y),
    // If an argument fails, so does the query.
    decimal: (kind, ...args) => computeOnce(args, "safe_divide", (x, y) => tried(DECIMALS[kind].divide(x, y))),
  }),
};

/** Prints a function of one or two numbers: a decimal in its own type, everything else as a double. */
function real(name: string): PrintCall {
  return byNumberKind({
    FLOAT64: (...args) => callSql(`lw_${name}`, args),
    INT64: (...args) => callSql(`lw_${name}`, args.map(asDouble)),
    decimal: ofDecimal(name),
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

/** By JavaScript, whose results do not depend on the machine's C library. */
const byJavaScript = [
  ...["cos", "cosh", "acos", "acosh", "cot", "coth", "csc", "csch", "sec", "sech"],
  ...["sin", "sinh", "asin", "asinh", "tan", "tanh", "atan", "atanh", "atan2", "cbrt"],
];

export const mathFunctions: FunctionTable = {
  ...arithmeticFunctions,
  ...compareFunctions,
  ...roundingFunctions,
  ABS: byNumberKind({
    INT64: (x = EMPTY) => sql`abs(${x})`,
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
  POW: real("pow"),
  EXP: fastReal("exp", (x) => sql`${x} BETWEEN -700 AND 700`),
  LN: fastReal("ln", isPositiveFinite),
  LOG: (context) => (context.args.length > 1 ? real("log")(context) : fastReal("ln", isPositiveFinite)(context)),
  LOG10: fastReal("log10", isPositiveFinite),
  ...Object.fromEntries(
    byJavaScript.map((name): [string, PrintCall] => [name.toUpperCase(), ({ args }) => callSql(`lw_${name}`, args)]),
  ),
};
