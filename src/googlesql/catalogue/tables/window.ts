import { type FunctionDefinition, type FunctionFacts, NEVER_FAILS } from "../types.ts";

function row(
  name: string,
  area: string,
  summary: string,
  signatures: readonly string[],
  window: NonNullable<FunctionDefinition["window"]>,
  facts: FunctionFacts = {},
): FunctionDefinition {
  return { name, kind: "window", signatures, window, area, summary, ...facts };
}

const OFFSET_ARGUMENTS = ["(T, [LITERAL INT64], [T]) -> T"];
const NUMBERING = { requiresOrder: true, allowsFrame: false };
const NAVIGATION = { requiresOrder: true, allowsFrame: true, allowsNulls: true };
const PERCENTILE = { requiresOrder: false, allowsFrame: false, allowsNulls: true };

/** The "Navigation functions" and "Numbering functions" pages of the reference. */
export const windowFunctions: readonly FunctionDefinition[] = [
  row("FIRST_VALUE", "navigation", "The value of the frame's first row", ["(T) -> T"], NAVIGATION, {
    ...NEVER_FAILS,
    answers: [0],
  }),
  row("LAST_VALUE", "navigation", "The value of the frame's last row", ["(T) -> T"], NAVIGATION, {
    ...NEVER_FAILS,
    answers: [0],
  }),
  row(
    "NTH_VALUE",
    "navigation",
    "The value of the frame's n-th row, counted from 1",
    ["(T, LITERAL INT64) -> T"],
    NAVIGATION,
    { answers: [0] },
  ),
  row(
    "LAG",
    "navigation",
    "The value a number of rows before (1 by default), or a default",
    OFFSET_ARGUMENTS,
    {
      requiresOrder: true,
      allowsFrame: false,
    },
    { answers: [0, 2] },
  ),
  row(
    "LEAD",
    "navigation",
    "The value a number of rows after (1 by default), or a default",
    OFFSET_ARGUMENTS,
    {
      requiresOrder: true,
      allowsFrame: false,
    },
    { answers: [0, 2] },
  ),
  row(
    "PERCENTILE_CONT",
    "navigation",
    "The percentile (from 0 to 1), interpolated between the values next to it",
    [
      "(FLOAT64, LITERAL FLOAT64) -> FLOAT64",
      "(INT64, LITERAL FLOAT64) -> FLOAT64",
      "(NUMERIC, LITERAL NUMERIC) -> NUMERIC",
      "(BIGNUMERIC, LITERAL BIGNUMERIC) -> BIGNUMERIC",
      "(NUMERIC, LITERAL FLOAT64) -> FLOAT64",
      "(BIGNUMERIC, LITERAL FLOAT64) -> FLOAT64",
    ],
    PERCENTILE,
  ),
  row(
    "PERCENTILE_DISC",
    "navigation",
    "The first value whose cumulative share is at least the percentile (from 0 to 1)",
    [
      "(T ORDERABLE, LITERAL FLOAT64) -> T",
      "(T ORDERABLE, LITERAL NUMERIC) -> T",
      "(T ORDERABLE, LITERAL BIGNUMERIC) -> T",
    ],
    PERCENTILE,
    { readsMixedAs: "number" },
  ),
  row("RANK", "numbering", "The rank, the same for peers, with gaps", ["() -> INT64"], NUMBERING, NEVER_FAILS),
  row("DENSE_RANK", "numbering", "The rank, the same for peers, without gaps", ["() -> INT64"], NUMBERING, NEVER_FAILS),
  row("PERCENT_RANK", "numbering", "The rank from 0 to 1", ["() -> FLOAT64"], NUMBERING, NEVER_FAILS),
  row(
    "CUME_DIST",
    "numbering",
    "The share of rows up to this one and its peers",
    ["() -> FLOAT64"],
    NUMBERING,
    NEVER_FAILS,
  ),
  row(
    "NTILE",
    "numbering",
    "The number, from 1, of the row's group of n groups of nearly equal size",
    ["(LITERAL INT64) -> INT64"],
    NUMBERING,
  ),
  row(
    "ROW_NUMBER",
    "numbering",
    "The row's number, from 1",
    ["() -> INT64"],
    {
      requiresOrder: false,
      allowsFrame: false,
    },
    NEVER_FAILS,
  ),
];
