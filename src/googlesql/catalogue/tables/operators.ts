import { FAILS_BY_DIVISOR, type FunctionDefinition, type FunctionFacts, failsWith, NEVER_FAILS } from "../types.ts";

function operator(
  name: string,
  summary: string,
  signatures: readonly string[],
  facts: FunctionFacts = {},
): FunctionDefinition {
  return { name, kind: "scalar", signatures, area: "operator", summary, ...facts };
}

const COMPARISON: FunctionFacts = { ...NEVER_FAILS, isComparison: true };
/** An element of an array. */
const subscript = (name: string, summary: string, facts: FunctionFacts = {}): FunctionDefinition =>
  operator(name, summary, ["(ARRAY<T>, INT64) -> T"], { ...facts, answers: [0] });

const ARITHMETIC = [
  "(INT64, INT64) -> INT64",
  "(FLOAT64, FLOAT64) -> FLOAT64",
  "(NUMERIC, NUMERIC) -> NUMERIC",
  "(BIGNUMERIC, BIGNUMERIC) -> BIGNUMERIC",
];
/** Types whose values become text beside a STRING. */
const JOINED = "INT64 FLOAT64 NUMERIC BIGNUMERIC BOOL DATE DATETIME TIME TIMESTAMP".split(" ");
const BITWISE = ["(INT64, INT64) -> INT64", "(BYTES, BYTES) -> BYTES"];
const SHIFT = ["(INT64, INT64) -> INT64", "(BYTES, INT64) -> BYTES"];

/** Functions that the language writes with symbols and keywords instead of a call. */
export const OPERATORS: readonly FunctionDefinition[] = [
  operator("$add", "x + y: a sum, or a date, time or interval moved by another", [
    ...ARITHMETIC,
    "(DATE, INT64) -> DATE",
    "(INT64, DATE) -> DATE",
    "(TIMESTAMP, INTERVAL) -> TIMESTAMP",
    "(INTERVAL, TIMESTAMP) -> TIMESTAMP",
    "(DATE, INTERVAL) -> DATETIME",
    "(INTERVAL, DATE) -> DATETIME",
    "(DATETIME, INTERVAL) -> DATETIME",
    "(INTERVAL, DATETIME) -> DATETIME",
    "(INTERVAL, INTERVAL) -> INTERVAL",
  ]),
  operator("$subtract", "x - y: a difference of numbers, dates, times or intervals", [
    ...ARITHMETIC,
    "(DATE, INT64) -> DATE",
    "(DATE, DATE) -> INTERVAL",
    "(TIMESTAMP, TIMESTAMP) -> INTERVAL",
    "(DATETIME, DATETIME) -> INTERVAL",
    "(TIME, TIME) -> INTERVAL",
    "(TIMESTAMP, INTERVAL) -> TIMESTAMP",
    "(DATE, INTERVAL) -> DATETIME",
    "(DATETIME, INTERVAL) -> DATETIME",
    "(INTERVAL, INTERVAL) -> INTERVAL",
  ]),
  operator("$multiply", "x * y", [...ARITHMETIC, "(INTERVAL, INT64) -> INTERVAL", "(INT64, INTERVAL) -> INTERVAL"]),
  operator(
    "$divide",
    "x / y; an error when y is zero",
    [
      "(FLOAT64, FLOAT64) -> FLOAT64",
      "(NUMERIC, NUMERIC) -> NUMERIC",
      "(BIGNUMERIC, BIGNUMERIC) -> BIGNUMERIC",
      "(INTERVAL, INT64) -> INTERVAL",
    ],
    FAILS_BY_DIVISOR,
  ),
  operator("$negate", "-x", [
    "(INT64) -> INT64",
    "(FLOAT64) -> FLOAT64",
    "(NUMERIC) -> NUMERIC",
    "(BIGNUMERIC) -> BIGNUMERIC",
    "(INTERVAL) -> INTERVAL",
  ]),
  operator(
    "$concat_op",
    "x || y: joins strings, bytes or arrays",
    [
      "(STRING, STRING) -> STRING",
      "(BYTES, BYTES) -> BYTES",
      "(ARRAY<T>, ARRAY<T>) -> ARRAY<T>",
      ...JOINED.flatMap((type) => [`(STRING, ${type}) -> STRING`, `(${type}, STRING) -> STRING`]),
    ],
    NEVER_FAILS,
  ),
  operator("$bit_and", "x & y", BITWISE),
  operator("$bit_or", "x | y", BITWISE),
  operator("$bit_xor", "x ^ y", BITWISE),
  operator("$bit_not", "~x", ["(INT64) -> INT64", "(BYTES) -> BYTES"], NEVER_FAILS),
  operator("$shift_left", "x << y", SHIFT),
  operator("$shift_right", "x >> y", SHIFT),
  operator("$equal", "x = y", ["(T COMPARABLE, T COMPARABLE) -> BOOL"], COMPARISON),
  operator("$not_equal", "x != y", ["(T COMPARABLE, T COMPARABLE) -> BOOL"], COMPARISON),
  operator("$less", "x < y", ["(T ORDERABLE, T ORDERABLE) -> BOOL"], COMPARISON),
  operator("$less_or_equal", "x <= y", ["(T ORDERABLE, T ORDERABLE) -> BOOL"], COMPARISON),
  operator("$greater", "x > y", ["(T ORDERABLE, T ORDERABLE) -> BOOL"], COMPARISON),
  operator("$greater_or_equal", "x >= y", ["(T ORDERABLE, T ORDERABLE) -> BOOL"], COMPARISON),
  operator("$and", "x AND y", ["(BOOL, BOOL, BOOL...) -> BOOL"], { ...NEVER_FAILS, laziness: "conjunction" }),
  operator("$or", "x OR y", ["(BOOL, BOOL, BOOL...) -> BOOL"], { ...NEVER_FAILS, laziness: "disjunction" }),
  operator("$not", "NOT x", ["(BOOL) -> BOOL"], NEVER_FAILS),
  operator("$is_null", "x IS NULL", ["(ANY) -> BOOL"], { ...NEVER_FAILS, ignoresCollation: true }),
  operator("$is_true", "x IS TRUE", ["(BOOL) -> BOOL"], NEVER_FAILS),
  operator("$is_false", "x IS FALSE", ["(BOOL) -> BOOL"], NEVER_FAILS),
  operator("$is_distinct", "x IS DISTINCT FROM y", ["(T COMPARABLE, T COMPARABLE) -> BOOL"], COMPARISON),
  operator("$between", "x BETWEEN low AND high", ["(T ORDERABLE, T ORDERABLE, T ORDERABLE) -> BOOL"], COMPARISON),
  operator("$in", "x IN (value, ...)", ["(T COMPARABLE, T COMPARABLE, T COMPARABLE...) -> BOOL"], COMPARISON),
  operator("$in_array", "x IN UNNEST(array)", ["(T COMPARABLE, ARRAY<T>) -> BOOL"], NEVER_FAILS),
  operator("$like", "x LIKE pattern", ["(STRING, STRING) -> BOOL", "(BYTES, BYTES) -> BOOL"], { fallibility: [1] }),
  operator("$like_any", "x LIKE ANY (pattern, ...)", [
    "(STRING, STRING, STRING...) -> BOOL",
    "(BYTES, BYTES, BYTES...) -> BOOL",
  ]),
  operator("$like_all", "x LIKE ALL (pattern, ...)", [
    "(STRING, STRING, STRING...) -> BOOL",
    "(BYTES, BYTES, BYTES...) -> BOOL",
  ]),
  operator("$like_any_array", "x LIKE ANY UNNEST(array)", [
    "(STRING, ARRAY<STRING>) -> BOOL",
    "(BYTES, ARRAY<BYTES>) -> BOOL",
  ]),
  operator("$like_all_array", "x LIKE ALL UNNEST(array)", [
    "(STRING, ARRAY<STRING>) -> BOOL",
    "(BYTES, ARRAY<BYTES>) -> BOOL",
  ]),
  subscript("$array_at_offset", "array[OFFSET(n)], counted from 0; an error when out of range"),
  subscript("$array_at_ordinal", "array[ORDINAL(n)], counted from 1; an error when out of range"),
  subscript("$safe_array_at_offset", "array[SAFE_OFFSET(n)]; NULL when out of range", NEVER_FAILS),
  subscript("$safe_array_at_ordinal", "array[SAFE_ORDINAL(n)]; NULL when out of range", NEVER_FAILS),
  operator("$array_transform", "What an expression gives for each element", ["(ARRAY<T1>, (T1) -> T2) -> ARRAY<T2>"]),
  operator("$array_flatten", "The elements of what an expression gives for each element", [
    "(ARRAY<T1>, (T1) -> ARRAY<T2>) -> ARRAY<T2>",
  ]),
  operator(
    "$json_subscript",
    "json[n], json['name'] and json.name",
    ["(JSON, INT64) -> JSON", "(JSON, STRING) -> JSON"],
    NEVER_FAILS,
  ),
  operator("$mixed_json", "A value of several shapes as JSON to be read: a text is what it says", ["(ANY) -> STRING"]),
  operator("$collation_key", "What strings with a collation compare by", ["(STRING) -> STRING"], NEVER_FAILS),
  operator("$true_or_fails", "Whether a condition is true, or fails", ["(BOOL) -> BOOL"]),
  operator("$interval", "INTERVAL n part, where n is no literal", ["(INT64, DATEPART) -> INTERVAL"]),
  operator(
    "$extract",
    "EXTRACT(part FROM x [AT TIME ZONE zone]); DATE, DATETIME and TIME as parts give those types",
    [
      "(DATE, DATEPART) -> INT64",
      "(TIMESTAMP, DATEPART, [STRING]) -> INT64",
      "(DATETIME, DATEPART) -> INT64",
      "(TIME, DATEPART) -> INT64",
      "(INTERVAL, DATEPART) -> INT64",
    ],
    failsWith(2),
  ),
];
