import { type FunctionDefinition, scalarsOf } from "../types.ts";

const define = scalarsOf("range");

/** Range functions of the reference. */
export const rangeFunctions: readonly FunctionDefinition[] = [
  define(
    "RANGE",
    "The range from one value, included, to another, excluded; NULL is unbounded",
    ["DATE", "DATETIME", "TIMESTAMP"].map((type) => `(${type}, ${type}) -> RANGE<${type}>`),
  ),
  define("RANGE_START", "The first value of a range; NULL when it is unbounded", ["(RANGE<T>) -> T"], { answers: [0] }),
  define("RANGE_END", "The value at which a range ends; NULL when it is unbounded", ["(RANGE<T>) -> T"], {
    answers: [0],
  }),
  define("RANGE_CONTAINS", "Whether a range contains a value, or all of another range", [
    "(RANGE<T>, RANGE<T>) -> BOOL",
    "(RANGE<T>, T) -> BOOL",
  ]),
  define("RANGE_OVERLAPS", "Whether two ranges overlap", ["(RANGE<T>, RANGE<T>) -> BOOL"]),
  define("RANGE_INTERSECT", "The intersection of two ranges; an error if it is empty", [
    "(RANGE<T>, RANGE<T>) -> RANGE<T>",
  ]),
  define("GENERATE_RANGE_ARRAY", "A range split into parts of an interval; the last may be shorter, or omitted", [
    "(RANGE<T>, INTERVAL, [BOOL]) -> ARRAY<RANGE<T>>",
  ]),
  {
    ...define("RANGE_SESSIONIZE", "Joins ranges that meet or overlap, within a partition", []),
    refused: "it is a table function over a table's ranges, and sources here have no ranges",
  },
];
