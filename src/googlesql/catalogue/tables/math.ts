import { FAILS_BY_DIVISOR, type FunctionDefinition, NEVER_FAILS, scalarsOf } from "../types.ts";

const row = scalarsOf("mathematical");

/** Signatures over one number: an INT64 is computed as FLOAT64, a decimal keeps its type. */
const REAL = ["(FLOAT64) -> FLOAT64", "(INT64) -> FLOAT64", "(NUMERIC) -> NUMERIC", "(BIGNUMERIC) -> BIGNUMERIC"];
const REAL_PAIR = [
  "(FLOAT64, FLOAT64) -> FLOAT64",
  "(INT64, INT64) -> FLOAT64",
  "(NUMERIC, NUMERIC) -> NUMERIC",
  "(BIGNUMERIC, BIGNUMERIC) -> BIGNUMERIC",
];
const EXACT_PAIR = [
  "(INT64, INT64) -> INT64",
  "(NUMERIC, NUMERIC) -> NUMERIC",
  "(BIGNUMERIC, BIGNUMERIC) -> BIGNUMERIC",
];
const ARITHMETIC = [
  "(INT64, INT64) -> INT64",
  "(FLOAT64, FLOAT64) -> FLOAT64",
  "(NUMERIC, NUMERIC) -> NUMERIC",
  "(BIGNUMERIC, BIGNUMERIC) -> BIGNUMERIC",
];
const FLOAT = ["(FLOAT64) -> FLOAT64"];
const VECTORS = [
  "(ARRAY<FLOAT64>, ARRAY<FLOAT64>) -> FLOAT64",
  "(ARRAY<STRUCT<INT64, FLOAT64>>, ARRAY<STRUCT<INT64, FLOAT64>>) -> FLOAT64",
  "(ARRAY<STRUCT<STRING, FLOAT64>>, ARRAY<STRUCT<STRING, FLOAT64>>) -> FLOAT64",
];

/** The "Mathematical functions" page of the reference. */
export const mathFunctions: readonly FunctionDefinition[] = [
  row("ABS", "The absolute value; fails for the smallest INT64", ["(NUMBER) -> NUMBER"]),
  row("SIGN", "-1, 0 or 1, of the argument's type; NaN for NaN", ["(NUMBER) -> NUMBER"], NEVER_FAILS),
  row("IS_INF", "Whether the value is positive or negative infinity", ["(FLOAT64) -> BOOL"], NEVER_FAILS),
  row("IS_NAN", "Whether the value is NaN", ["(FLOAT64) -> BOOL"], NEVER_FAILS),
  row(
    "IEEE_DIVIDE",
    "The quotient, without errors: infinity or NaN for a zero divisor",
    ["(FLOAT64, FLOAT64) -> FLOAT64"],
    NEVER_FAILS,
  ),
  row("RAND", "A pseudo-random number from 0 up to, not including, 1", ["() -> FLOAT64"], { volatility: "row" }),
  row("SQRT", "Square root; fails for a negative number", REAL),
  row("CBRT", "Cube root", FLOAT, NEVER_FAILS),
  row("POW", "x to the power of y", REAL_PAIR, { aliases: ["POWER"] }),
  row("EXP", "e to the power of x", REAL),
  row("LN", "Natural logarithm; fails unless x is positive", REAL),
  row("LOG", "Logarithm to a base, natural by default", [...REAL, ...REAL_PAIR]),
  row("LOG10", "Logarithm to base 10", REAL),
  row("GREATEST", "The greatest argument; NULL if any is NULL, NaN if any is NaN", ["(T ORDERABLE, T...) -> T"], {
    ...NEVER_FAILS,
    answers: "all",
  }),
  row("LEAST", "The least argument; NULL if any is NULL, NaN if any is NaN", ["(T ORDERABLE, T...) -> T"], {
    ...NEVER_FAILS,
    answers: "all",
  }),
  row("DIV", "Integer quotient, towards zero; fails for a zero divisor", EXACT_PAIR, FAILS_BY_DIVISOR),
  row("MOD", "Remainder with the sign of x; fails for a zero divisor", EXACT_PAIR, FAILS_BY_DIVISOR),
  row("SAFE_DIVIDE", "x / y, NULL if that fails", REAL_PAIR, NEVER_FAILS),
  row("SAFE_MULTIPLY", "x * y, NULL on overflow", ARITHMETIC, NEVER_FAILS),
  row("SAFE_NEGATE", "-x, NULL on overflow", ["(NUMBER) -> NUMBER"], NEVER_FAILS),
  row("SAFE_ADD", "x + y, NULL on overflow", ARITHMETIC, NEVER_FAILS),
  row("SAFE_SUBTRACT", "x - y, NULL on overflow", ARITHMETIC, NEVER_FAILS),
  row(
    "ROUND",
    "Rounded to n digits after the point (n may be negative), halves away from zero; a decimal takes a rounding mode too",
    [
      "(FLOAT64, [INT64]) -> FLOAT64",
      "(INT64, [INT64]) -> FLOAT64",
      "(NUMERIC, [INT64], [STRING]) -> NUMERIC",
      "(BIGNUMERIC, [INT64], [STRING]) -> BIGNUMERIC",
    ],
  ),
  row(
    "TRUNC",
    "Cut towards zero, to n digits after the point",
    [
      "(FLOAT64, [INT64]) -> FLOAT64",
      "(INT64, [INT64]) -> FLOAT64",
      "(NUMERIC, [INT64]) -> NUMERIC",
      "(BIGNUMERIC, [INT64]) -> BIGNUMERIC",
    ],
    NEVER_FAILS,
  ),
  row("CEIL", "The smallest integral value not below x", REAL, { aliases: ["CEILING"] }),
  row("FLOOR", "The largest integral value not above x", REAL),
  row("COS", "Cosine of an angle in radians", FLOAT, NEVER_FAILS),
  row("COSH", "Hyperbolic cosine", FLOAT),
  row("ACOS", "Arc cosine; fails outside [-1, 1]", FLOAT),
  row("ACOSH", "Inverse hyperbolic cosine; fails below 1", FLOAT),
  row("COT", "Cotangent; fails at 0", FLOAT),
  row("COTH", "Hyperbolic cotangent; fails at 0", FLOAT),
  row("CSC", "Cosecant; fails at 0", FLOAT),
  row("CSCH", "Hyperbolic cosecant; fails at 0", FLOAT),
  row("SEC", "Secant", FLOAT, NEVER_FAILS),
  row("SECH", "Hyperbolic secant", FLOAT, NEVER_FAILS),
  row("SIN", "Sine of an angle in radians", FLOAT, NEVER_FAILS),
  row("SINH", "Hyperbolic sine", FLOAT),
  row("ASIN", "Arc sine; fails outside [-1, 1]", FLOAT),
  row("ASINH", "Inverse hyperbolic sine", FLOAT, NEVER_FAILS),
  row("TAN", "Tangent of an angle in radians", FLOAT, NEVER_FAILS),
  row("TANH", "Hyperbolic tangent", FLOAT, NEVER_FAILS),
  row("ATAN", "Arc tangent", FLOAT, NEVER_FAILS),
  row("ATANH", "Inverse hyperbolic tangent; fails outside (-1, 1)", FLOAT),
  row("ATAN2", "Angle of the point (y, x), from -pi to pi", ["(FLOAT64, FLOAT64) -> FLOAT64"], NEVER_FAILS),
  row(
    "COSINE_DISTANCE",
    "1 minus the cosine of the angle between two vectors, dense or as (key, value) pairs",
    VECTORS,
  ),
  row("EUCLIDEAN_DISTANCE", "Distance of two vectors, dense or as (key, value) pairs", VECTORS),
  row("RANGE_BUCKET", "The number of the ascending boundaries that are at or below the point", [
    "(T ORDERABLE, ARRAY<T>) -> INT64",
  ]),
];
