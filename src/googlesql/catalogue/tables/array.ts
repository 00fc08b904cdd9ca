import { type FunctionDefinition, type FunctionFacts, NEVER_FAILS, scalarsOf } from "../types.ts";

const row = scalarsOf("array");

const OF_THE_ARRAY: FunctionFacts = { answers: [0] };

/** The "Array functions" page of the reference. */
export const arrayFunctions: readonly FunctionDefinition[] = [
  row(
    "ARRAY_CONCAT",
    "The concatenation of arrays; NULL if any array is NULL",
    ["(ARRAY<T>, ARRAY<T>...) -> ARRAY<T>"],
    { ...NEVER_FAILS, answers: "all" },
  ),
  row("ARRAY_FIRST", "The first element; fails for an empty array", ["(ARRAY<T>) -> T"], OF_THE_ARRAY),
  row("ARRAY_LAST", "The last element; fails for an empty array", ["(ARRAY<T>) -> T"], OF_THE_ARRAY),
  row("ARRAY_LENGTH", "The number of elements of an array, including NULLs", ["(ARRAY<T>) -> INT64"], NEVER_FAILS),
  row("ARRAY_REVERSE", "The elements in reverse order", ["(ARRAY<T>) -> ARRAY<T>"], {
    ...NEVER_FAILS,
    ...OF_THE_ARRAY,
  }),
  row(
    "ARRAY_SLICE",
    "The elements between two offsets, both included; negative ones count from the end",
    ["(ARRAY<T>, INT64, INT64) -> ARRAY<T>"],
    { ...NEVER_FAILS, ...OF_THE_ARRAY },
  ),
  row(
    "ARRAY_TO_STRING",
    "The elements joined by a delimiter; NULLs are omitted, or written as the third argument",
    ["(ARRAY<STRING>, STRING, [STRING]) -> STRING", "(ARRAY<BYTES>, BYTES, [BYTES]) -> BYTES"],
    NEVER_FAILS,
  ),
  row("GENERATE_ARRAY", "The values from start to end, both included, by step (1 by default)", [
    "(INT64, INT64, [INT64]) -> ARRAY<INT64>",
    "(FLOAT64, FLOAT64, [FLOAT64]) -> ARRAY<FLOAT64>",
    "(NUMERIC, NUMERIC, [NUMERIC]) -> ARRAY<NUMERIC>",
    "(BIGNUMERIC, BIGNUMERIC, [BIGNUMERIC]) -> ARRAY<BIGNUMERIC>",
  ]),
];
