/** Calls that reach a limit and that exceed it by one, by the limit's name. */
import type { LimitName } from "../../src/shared/budget.ts";
import { ingestLimitNames, limitNames } from "../../src/shared/budget.ts";

export interface LimitCase {
  readonly value: number;
  /** A query that the limit takes, and one that it does not. */
  readonly within: string;
  readonly beyond: string;
  /** The error of the call that exceeds it; a limit of rows cuts the answer instead. */
  readonly error: { readonly status: number; readonly code: string } | "cut";
}

/** Rows of the product of so many arrays of 60 elements. */
function rowsOf(arrays: number, select: string): string {
  const names = ["a", "b", "c", "d", "e", "f"].slice(0, arrays);
  return `select ${select} from ${names.map((name) => `unnest(generate_array(1, 60)) ${name}`).join(" cross join ")}`;
}

const parenthesised = (levels: number) => `select ${"(".repeat(levels)}1${")".repeat(levels)} as n`;
const ofLength = (length: number) => "select 1 as n --".padEnd(length, "x");

const callLimits: Partial<Record<LimitName, LimitCase>> = {
  query_timeout_ms: {
    value: 500,
    within: "select 1 as n",
    beyond: rowsOf(6, "sum(sqrt(a * b + c * d + e * f))"),
    error: { status: 504, code: "timeout" },
  },
  max_rows: {
    value: 7,
    within: "select n from unnest(generate_array(1, 7)) n",
    beyond: "select n from unnest(generate_array(1, 8)) n",
    error: "cut",
  },
  max_result_bytes: {
    value: 1_500,
    within: "select repeat('x', 700) as n from unnest([1, 2]) i",
    beyond: "select repeat('x', 700) as n from unnest([1, 2, 3]) i",
    error: { status: 422, code: "result_too_large" },
  },
  max_query_memory_mb: {
    value: 24,
    within: rowsOf(2, "array_length(array_agg(cast(a + b as string))) as n"),
    // Memory is sampled: of 13 million texts it grows for long enough.
    beyond: rowsOf(4, "array_length(array_agg(cast(a + b * 61 + c * 3721 + d * 226981 as string))) as n"),
    error: { status: 422, code: "memory_exceeded" },
  },
  max_array_elements: {
    value: 60,
    within: "select array_length(generate_array(1, 60)) as n",
    beyond: "select array_length(generate_array(1, 61)) as n",
    error: { status: 422, code: "limit_exceeded" },
  },
  max_string_bytes: {
    value: 1_450,
    within: "select length(repeat('x', 1450)) as n",
    beyond: "select length(repeat('x', 1451)) as n",
    error: { status: 422, code: "limit_exceeded" },
  },
  max_query_characters: {
    value: 330,
    within: ofLength(330),
    beyond: ofLength(331),
    error: { status: 413, code: "query_too_long" },
  },
  max_query_depth: {
    value: 12,
    within: parenthesised(9),
    beyond: parenthesised(10),
    error: { status: 422, code: "too_complex" },
  },
};

/** The limits of calls, each with its case; throws where one has none. */
export const limitCases: readonly (readonly [name: LimitName, LimitCase])[] = limitNames
  .filter((name) => !ingestLimitNames.has(name))
  .map((name) => {
    const found = callLimits[name];
    if (found === undefined) throw new Error(`The limit ${name} has no case in call-limits.ts`);
    return [name, found];
  });
