import { aggregatesOf, type FunctionDefinition } from "../types.ts";

const row = aggregatesOf("approximate aggregate");

/** The "Approximate aggregate functions" page of the reference. */
export const approximateFunctions: readonly FunctionDefinition[] = [
  row("APPROX_COUNT_DISTINCT", "The number of distinct values", ["(T GROUPABLE) -> INT64"]),
  row(
    "APPROX_QUANTILES",
    "The n + 1 boundaries of n groups of equal size, the least and the greatest value included",
    ["(T ORDERABLE, LITERAL INT64) -> ARRAY<T>"],
    ["distinct", "nulls"],
    { readsMixedAs: "number" },
  ),
  row("APPROX_TOP_COUNT", "The n most frequent values, each with its count", [
    "(T GROUPABLE, LITERAL INT64) -> ARRAY<STRUCT<value T, count INT64>>",
  ]),
  row("APPROX_TOP_SUM", "The n values with the greatest sum of weights, each with its sum", [
    "(T GROUPABLE, FLOAT64, LITERAL INT64) -> ARRAY<STRUCT<value T, sum FLOAT64>>",
    "(T GROUPABLE, INT64, LITERAL INT64) -> ARRAY<STRUCT<value T, sum INT64>>",
    "(T GROUPABLE, NUMERIC, LITERAL INT64) -> ARRAY<STRUCT<value T, sum NUMERIC>>",
    "(T GROUPABLE, BIGNUMERIC, LITERAL INT64) -> ARRAY<STRUCT<value T, sum BIGNUMERIC>>",
  ]),
];
