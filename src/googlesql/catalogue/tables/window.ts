import { type FunctionDefinition, NEVER_FAILS } from "../types.ts";

type Window = NonNullable<FunctionDefinition["window"]>;

/** Makes rows of window functions of an area. */
const rowsOf =
  (area: string, window: Window) =>
  (
    name: string,
    summary: string,
    signatures: readonly string[],
    more: Partial<FunctionDefinition> = {},
  ): FunctionDefinition => ({ name, kind: "window", signatures, window, area, summary, ...more });

const OFFSET_ARGUMENTS = ["(T, [LITERAL INT64], [T]) -> T"];
const numbering = rowsOf("numbering", { requiresOrder: true, allowsFrame: false });
const navigation = rowsOf("navigation", { requiresOrder: true, allowsFrame: true, allowsNulls: true });
const shift = rowsOf("navigation", { requiresOrder: true, allowsFrame: false });
const percentile = rowsOf("navigation", { requiresOrder: false, allowsFrame: false, allowsNulls: true });

/** The "Navigation functions" and "Numbering functions" pages of the reference. */
export const windowFunctions: readonly FunctionDefinition[] = [
  navigation("FIRST_VALUE", "The value of the frame's first row", ["(T) -> T"], { ...NEVER_FAILS, answers: [0] }),
  navigation("LAST_VALUE", "The value of the frame's last row", ["(T) -> T"], { ...NEVER_FAILS, answers: [0] }),
  navigation("NTH_VALUE", "The value of the frame's n-th row, counted from 1", ["(T, LITERAL INT64) -> T"], {
    answers: [0],
  }),
  shift("LAG", "The value a number of rows before (1 by default), or a default", OFFSET_ARGUMENTS, { answers: [0, 2] }),
  shift("LEAD", "The value a number of rows after (1 by default), or a default", OFFSET_ARGUMENTS, { answers: [0, 2] }),
  percentile("PERCENTILE_CONT", "The percentile (from 0 to 1), interpolated between the values next to it", [
    "(FLOAT64, LITERAL FLOAT64) -> FLOAT64",
    "(INT64, LITERAL FLOAT64) -> FLOAT64",
    "(NUMERIC, LITERAL NUMERIC) -> NUMERIC",
    "(BIGNUMERIC, LITERAL BIGNUMERIC) -> BIGNUMERIC",
    "(NUMERIC, LITERAL FLOAT64) -> FLOAT64",
    "(BIGNUMERIC, LITERAL FLOAT64) -> FLOAT64",
  ]),
  percentile(
    "PERCENTILE_DISC",
    "The first value whose cumulative share is at least the percentile (from 0 to 1)",
    ["FLOAT64", "NUMERIC", "BIGNUMERIC"].map((type) => `(T ORDERABLE, LITERAL ${type}) -> T`),
    { readsMixedAs: "number" },
  ),
  numbering("RANK", "The rank, the same for peers, with gaps", ["() -> INT64"], NEVER_FAILS),
  numbering("DENSE_RANK", "The rank, the same for peers, without gaps", ["() -> INT64"], NEVER_FAILS),
  numbering("PERCENT_RANK", "The rank from 0 to 1", ["() -> FLOAT64"], NEVER_FAILS),
  numbering("CUME_DIST", "The share of rows up to this one and its peers", ["() -> FLOAT64"], NEVER_FAILS),
  numbering("NTILE", "The number, from 1, of the row's group of n groups of nearly equal size", [
    "(LITERAL INT64) -> INT64",
  ]),
  numbering("ROW_NUMBER", "The row's number, from 1", ["() -> INT64"], {
    ...NEVER_FAILS,
    window: { requiresOrder: false, allowsFrame: false },
  }),
];
