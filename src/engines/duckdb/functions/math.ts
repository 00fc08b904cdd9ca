/** Mathematical functions. A decimal's are JavaScript functions named after its type (see udf/decimal-math.ts). */
import { raiseError } from "../sql-text.ts";
import {
  bignumericAdd,
  bignumericDivide,
  bignumericMultiply,
  bignumericNegate,
  bignumericSubtract,
} from "./bignumeric.ts";
import { computeOnce, literalInteger } from "./compute-once.ts";
import { NUMERIC_TYPE, numericAdd, numericDivide, numericMultiply, numericNegate, numericSubtract } from "./numeric.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

type NumberKind = "INT64" | "FLOAT64" | "NUMERIC" | "BIGNUMERIC";

/** Prints by the type of the first argument. An untyped NULL counts as INT64. */
function byNumberKind(print: Readonly<Record<NumberKind, (...args: readonly string[]) => string>>): PrintCall {
  return ({ args, types }) => {
    const kind = types[0]?.kind;
    return print[kind === "FLOAT64" || kind === "NUMERIC" || kind === "BIGNUMERIC" ? kind : "INT64"](...args);
  };
}

function asDouble(sql: string): string {
  return `CAST(${sql} AS DOUBLE)`;
}

function call(name: string, args: readonly string[]): string {
  return `${name}(${args.join(", ")})`;
}

/** Of one or two numbers: a decimal in its own type, everything else as a double. */
function real(name: string): PrintCall {
  return byNumberKind({
    FLOAT64: (...args) => call(`lw_${name}`, args),
    INT64: (...args) => call(`lw_${name}`, args.map(asDouble)),
    NUMERIC: (...args) => call(`lw_numeric_${name}`, args),
    BIGNUMERIC: (...args) => call(`lw_bignumeric_${name}`, args),
  });
}

/** Native where the argument is within `domain`, where DuckDB and GoogleSQL agree; the rest is left to JavaScript. */
function fastReal(name: string, domain: (x: string) => string): PrintCall {
  const slow = real(name);
  const double = (x: string) =>
    computeOnce([x], name, (v) => `CASE WHEN ${domain(v)} THEN ${name}(${v}) ELSE lw_${name}(${v}) END`);
  return (context) => {
    const [x = "", ...rest] = context.args;
    const kind = context.types[0]?.kind;
    if (rest.length > 0 || kind === "NUMERIC" || kind === "BIGNUMERIC") return slow(context);
    return double(kind === "FLOAT64" ? x : asDouble(x));
  };
}

const isPositiveFinite = (x: string) => `${x} > 0 AND ${x} < 'Infinity'::DOUBLE`;

/** Digits for which DuckDB's rounding of a double neither overflows nor loses what it rounds. */
function isCommonDigits(digits: bigint | undefined): boolean {
  return digits !== undefined && digits >= 0n && digits <= 15n;
}

function roundOrTruncate(name: "round" | "trunc"): PrintCall {
  return ({ args, types }) => {
    const [x = "", digits = "0::BIGINT", mode] = args;
    const literal = literalInteger(digits);
    const kind = types[0]?.kind;
    if (kind === "NUMERIC") {
      if (mode === undefined && literal === 0n) return `CAST(${name}(${x}) AS ${NUMERIC_TYPE})`;
      return name === "trunc"
        ? call("lw_numeric_trunc", [x, digits])
        : call("lw_numeric_round", [x, digits, mode ?? "'ROUND_HALF_AWAY_FROM_ZERO'"]);
    }
    if (kind === "BIGNUMERIC") {
      return name === "trunc"
        ? call("lw_bignumeric_trunc", [x, digits])
        : call("lw_bignumeric_round", [x, digits, mode ?? "'ROUND_HALF_AWAY_FROM_ZERO'"]);
    }
    const double = kind === "FLOAT64" ? x : asDouble(x);
    if (literal === 0n) return `${name}(${double})`;
    if (name === "round" && isCommonDigits(literal)) return `round(${double}, ${literal})`;
    return call(`lw_${name}`, [double, digits]);
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
        return `CASE WHEN ${left} IS NULL THEN NULL ELSE CASE ${right} WHEN 0 THEN ${failure}${minusOne} ELSE ${compute(left, right)} END END`;
      });
    },
    FLOAT64: (...args) => call(`lw_numeric_${name.toLowerCase()}`, args),
    NUMERIC: (...args) => call(`lw_numeric_${name.toLowerCase()}`, args),
    BIGNUMERIC: (...args) => call(`lw_bignumeric_${name.toLowerCase()}`, args),
  });
}

function safeArithmetic(
  name: string,
  integer: (x: string, y: string) => string,
  numeric: (x: string, y: string) => string,
  bignumeric: (x: string, y: string) => string,
): PrintCall {
  return byNumberKind({
    INT64: (x = "", y = "") => `TRY(${integer(x, y)})`,
    FLOAT64: (...args) => call(`lw_safe_${name}`, args),
    NUMERIC: (x = "", y = "") => `TRY(${numeric(x, y)})`,
    BIGNUMERIC: (x = "", y = "") => `TRY(${bignumeric(x, y)})`,
  });
}

function safeDivideDoubles(x: string, y: string): string {
  return computeOnce([x, y], "safe_divide", (left, right) => {
    const quotient = `${left} / ${right}`;
    return `CASE WHEN ${right} = 0 OR isinf(${quotient}) AND isfinite(${left}) THEN NULL ELSE ${quotient} END`;
  });
}

/** GREATEST and LEAST: DuckDB's own skip NULLs, and its order puts NaN above everything. */
function extreme(name: "greatest" | "least"): PrintCall {
  return ({ args, type }) => {
    if (args.length === 1) return args[0] ?? "";
    return computeOnce(args, name, (...values) => {
      const isNull = values.map((value) => `${value} IS NULL`).join(" OR ");
      const isAnyNaN = values.map((value) => `isnan(${value})`).join(" OR ");
      const nan = type.kind === "FLOAT64" && name === "least" ? ` WHEN ${isAnyNaN} THEN 'NaN'::DOUBLE` : "";
      return `CASE WHEN ${isNull} THEN NULL${nan} ELSE ${name}(${values.join(", ")}) END`;
    });
  };
}

/** Doubles of a dense vector, or of pairs of a key (as text) and a value. */
function distance(name: string): PrintCall {
  return ({ args, types }: CallContext) => {
    const [left = "", right = ""] = args;
    const type = types[0];
    if (type?.kind !== "ARRAY" || type.element.kind !== "STRUCT") return `lw_${name}(${left}, ${right})`;
    return computeOnce([left, right], name, (a, b) => {
      const part = (vector: string) =>
        `list_transform(${vector}, lambda e: CAST(e.f1 AS VARCHAR)), list_transform(${vector}, lambda e: e.f2)`;
      return `lw_sparse_${name}(${part(a)}, ${part(b)})`;
    });
  };
}

function rangeBucket({ args, types }: CallContext): string {
  const isFloat = types[0]?.kind === "FLOAT64";
  return computeOnce(args, "range_bucket", (point = "", boundaries = "") => {
    const hasGap = `len(${boundaries}) <> list_count(${boundaries})`;
    const hasNaN = isFloat ? ` OR list_contains(${boundaries}, 'NaN'::DOUBLE)` : "";
    const isPointNaN = isFloat ? ` OR isnan(${point})` : "";
    return (
      `CASE WHEN ${point} IS NULL OR ${boundaries} IS NULL${isPointNaN} THEN NULL ` +
      `WHEN ${hasGap}${hasNaN} THEN ${raiseError("'RANGE_BUCKET: the boundaries must not hold NULL or NaN'")} ` +
      `WHEN list_sort(${boundaries}) <> ${boundaries} THEN ${raiseError("'RANGE_BUCKET: the boundaries must be in ascending order'")} ` +
      `ELSE len(list_filter(${boundaries}, lambda lw_boundary: lw_boundary <= ${point})) END`
    );
  });
}

const sign: PrintCall = byNumberKind({
  INT64: (x = "") => `CAST(sign(${x}) AS BIGINT)`,
  FLOAT64: (x = "") =>
    computeOnce([x], "sign", (v) => `CASE WHEN isnan(${v}) THEN ${v} ELSE CAST(sign(${v}) AS DOUBLE) END`),
  NUMERIC: (x = "") => `CAST(sign(${x}) AS ${NUMERIC_TYPE})`,
  BIGNUMERIC: (x = "") => `lw_bignumeric_sign(${x})`,
});

const trigonometric = [
  ...["cos", "cosh", "acos", "acosh", "cot", "coth", "csc", "csch", "sec", "sech"],
  ...["sin", "sinh", "asin", "asinh", "tan", "tanh", "atan", "atanh", "atan2"],
];

export const mathFunctions: FunctionTable = {
  ABS: byNumberKind({
    INT64: (x = "") => `abs(${x})`,
    FLOAT64: (x = "") => `abs(${x})`,
    NUMERIC: (x = "") => `abs(${x})`,
    BIGNUMERIC: (x = "") => `lw_bignumeric_abs(${x})`,
  }),
  SIGN: sign,
  IS_INF: ({ args }) => call("isinf", args),
  IS_NAN: ({ args }) => call("isnan", args),
  IEEE_DIVIDE: ({ args }) => `(${args.join(" / ")})`,
  RAND: () => "random()",
  SQRT: fastReal("sqrt", (x) => `${x} >= 0 AND ${x} < 'Infinity'::DOUBLE`),
  CBRT: ({ args }) => call("cbrt", args),
  POW: real("pow"),
  EXP: fastReal("exp", (x) => `${x} BETWEEN -700 AND 700`),
  LN: fastReal("ln", isPositiveFinite),
  LOG: (context) => (context.args.length > 1 ? real("log")(context) : fastReal("ln", isPositiveFinite)(context)),
  LOG10: fastReal("log10", isPositiveFinite),
  GREATEST: extreme("greatest"),
  LEAST: extreme("least"),
  DIV: integerDivision("DIV", (x, y) => `${x} // ${y}`),
  MOD: integerDivision("MOD", (x, y) => `${x} % ${y}`),
  SAFE_DIVIDE: byNumberKind({
    INT64: (x = "", y = "") => safeDivideDoubles(asDouble(x), asDouble(y)),
    FLOAT64: (x = "", y = "") => safeDivideDoubles(x, y),
    NUMERIC: (x = "", y = "") => `TRY(${numericDivide(x, y)})`,
    BIGNUMERIC: (x = "", y = "") => `TRY(${bignumericDivide(x, y)})`,
  }),
  SAFE_ADD: safeArithmetic("add", (x, y) => `${x} + ${y}`, numericAdd, bignumericAdd),
  SAFE_SUBTRACT: safeArithmetic("subtract", (x, y) => `${x} - ${y}`, numericSubtract, bignumericSubtract),
  SAFE_MULTIPLY: safeArithmetic("multiply", (x, y) => `${x} * ${y}`, numericMultiply, bignumericMultiply),
  SAFE_NEGATE: byNumberKind({
    INT64: (x = "") => `TRY(-${x})`,
    FLOAT64: (x = "") => `(-${x})`,
    NUMERIC: (x = "") => numericNegate(x),
    BIGNUMERIC: (x = "") => `TRY(${bignumericNegate(x)})`,
  }),
  ROUND: roundOrTruncate("round"),
  TRUNC: roundOrTruncate("trunc"),
  CEIL: ceilOrFloor("ceil"),
  FLOOR: ceilOrFloor("floor"),
  ...Object.fromEntries(
    trigonometric.map((name): [string, PrintCall] => [name.toUpperCase(), ({ args }) => call(`lw_${name}`, args)]),
  ),
  COSINE_DISTANCE: distance("cosine_distance"),
  EUCLIDEAN_DISTANCE: distance("euclidean_distance"),
  RANGE_BUCKET: rangeBucket,
};
