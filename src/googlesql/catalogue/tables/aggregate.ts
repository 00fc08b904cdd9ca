import { aggregatesOf, type FunctionDefinition, NEVER_FAILS } from "../types.ts";

const row = aggregatesOf("aggregate");

const STATISTICAL = { area: "statistical aggregate" };
const FLOAT = ["FLOAT64", "NUMERIC", "BIGNUMERIC"].map((type) => `(${type}) -> FLOAT64`);
const FLOAT_PAIR = ["FLOAT64", "NUMERIC", "BIGNUMERIC"].map((type) => `(${type}, ${type}) -> FLOAT64`);

/** The "Aggregate functions" and "Statistical aggregate functions" pages of the reference. */
export const aggregateFunctions: readonly FunctionDefinition[] = [
  row(
    "ANY_VALUE",
    "Any value that is not NULL, or that of the row where another expression is greatest or least",
    ["(T) -> T"],
    ["distinct", "having"],
    { ...NEVER_FAILS, answers: [0] },
  ),
  row(
    "ARRAY_AGG",
    "The values of all rows as an array; NULL without rows",
    ["(T) -> ARRAY<T>"],
    ["distinct", "nulls", "having", "order", "limit"],
    { ...NEVER_FAILS, answers: [0] },
  ),
  row(
    "ARRAY_CONCAT_AGG",
    "The arrays of all rows as one array; NULL arrays are skipped",
    ["(ARRAY<T>) -> ARRAY<T>"],
    ["having", "order", "limit"],
    { answers: [0] },
  ),
  row(
    "AVG",
    "The mean of the values that are not NULL",
    [
      "(FLOAT64) -> FLOAT64",
      "(INT64) -> FLOAT64",
      "(NUMERIC) -> NUMERIC",
      "(BIGNUMERIC) -> BIGNUMERIC",
      "(INTERVAL) -> INTERVAL",
    ],
    ["distinct", "having"],
  ),
  row("BIT_AND", "Bitwise AND of all values", ["(INT64) -> INT64"], ["distinct", "having"], NEVER_FAILS),
  row("BIT_OR", "Bitwise OR of all values", ["(INT64) -> INT64"], ["distinct", "having"], NEVER_FAILS),
  row("BIT_XOR", "Bitwise exclusive OR of all values", ["(INT64) -> INT64"], ["distinct", "having"], NEVER_FAILS),
  row("COUNT", "The number of values that are not NULL", ["(T) -> INT64"], ["distinct", "having"], {
    ...NEVER_FAILS,
    ignoresCollation: true,
  }),
  row("COUNTIF", "The number of values that are TRUE", ["(BOOL) -> INT64"], ["distinct", "having"], NEVER_FAILS),
  row("GROUPING", "1 where the grouping column is rolled up in this row, else 0", ["(T) -> INT64"], [], {
    isWindowable: false,
    ...NEVER_FAILS,
  }),
  row(
    "LOGICAL_AND",
    "Whether all values are TRUE; NULLs are skipped",
    ["(BOOL) -> BOOL"],
    ["distinct", "having"],
    NEVER_FAILS,
  ),
  row(
    "LOGICAL_OR",
    "Whether any value is TRUE; NULLs are skipped",
    ["(BOOL) -> BOOL"],
    ["distinct", "having"],
    NEVER_FAILS,
  ),
  row("MAX", "The greatest value; NaN if any value is NaN", ["(T ORDERABLE) -> T"], ["distinct", "having"], {
    ...NEVER_FAILS,
    answers: [0],
  }),
  row("MAX_BY", "The value of the row where the second argument is greatest", ["(T1, T2 ORDERABLE) -> T1"], [], {
    answers: [0],
  }),
  row("MIN", "The least value; NaN if any value is NaN", ["(T ORDERABLE) -> T"], ["distinct", "having"], {
    ...NEVER_FAILS,
    answers: [0],
  }),
  row("MIN_BY", "The value of the row where the second argument is least", ["(T1, T2 ORDERABLE) -> T1"], [], {
    answers: [0],
  }),
  row(
    "STRING_AGG",
    "The values that are not NULL, joined by a delimiter (a comma by default)",
    ["(STRING, [LITERAL STRING]) -> STRING", "(BYTES, [LITERAL BYTES]) -> BYTES"],
    ["distinct", "having", "order", "limit"],
    NEVER_FAILS,
  ),
  row(
    "SUM",
    "The sum of the values that are not NULL; NULL when there are none",
    [
      "(FLOAT64) -> FLOAT64",
      "(INT64) -> INT64",
      "(NUMERIC) -> NUMERIC",
      "(BIGNUMERIC) -> BIGNUMERIC",
      "(INTERVAL) -> INTERVAL",
    ],
    ["distinct", "having"],
  ),
  row(
    "CORR",
    "Pearson's coefficient of correlation; NULL for fewer than two pairs",
    FLOAT_PAIR,
    ["having"],
    STATISTICAL,
  ),
  row("COVAR_POP", "Population covariance", FLOAT_PAIR, ["having"], STATISTICAL),
  row("COVAR_SAMP", "Sample covariance; NULL for fewer than two pairs", FLOAT_PAIR, ["having"], STATISTICAL),
  row("STDDEV_POP", "Population standard deviation", FLOAT, ["distinct", "having"], STATISTICAL),
  row("STDDEV_SAMP", "Sample standard deviation; NULL for fewer than two values", FLOAT, ["distinct", "having"], {
    ...STATISTICAL,
    aliases: ["STDDEV"],
  }),
  row("VAR_POP", "Population variance", FLOAT, ["distinct", "having"], STATISTICAL),
  row("VAR_SAMP", "Sample variance; NULL for fewer than two values", FLOAT, ["distinct", "having"], {
    ...STATISTICAL,
    aliases: ["VARIANCE"],
  }),
];
