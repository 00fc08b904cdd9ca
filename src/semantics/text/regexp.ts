/** Regular expressions that are known only when the query runs, and positions of matches. */

import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import { checkReplacement, countGroups, latin1Pattern, splitAtGroup } from "./regexp-syntax.ts";

/**
 * Characters that stand in no text: they mark where a match begins, where the part that counts does, and where that
 * ends.
 */
export const MATCH_MARKS = ["\ufdd0", "\ufdd1", "\ufdd2"] as const;

/**
 * The position (from 1) of the occurrence's part that counts in a text with marks, or behind it; 0 when there are
 * fewer.
 */
function matchPosition(marked: string, occurrence: bigint, isEnd: bigint): bigint {
  if (occurrence <= 0n) throw new Error("REGEXP_INSTR: occurrence must be positive");
  if (isEnd !== 0n && isEnd !== 1n) throw new Error("REGEXP_INSTR: occurrence_position must be 0 or 1");
  const wanted = isEnd === 1n ? MATCH_MARKS[2] : MATCH_MARKS[1];
  let position = 1n;
  let left = occurrence;
  for (const character of marked) {
    if (character === wanted && --left === 0n) return position;
    if (character < MATCH_MARKS[0] || character > MATCH_MARKS[2]) position++;
  }
  return 0n;
}

export const regexpFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_latin1_pattern", ["BYTES"], "STRING", (pattern) =>
    latin1Pattern(Buffer.from(pattern.buffer, pattern.byteOffset, pattern.byteLength).toString("latin1")),
  ),
  defineFunction("lw_regexp_groups", ["STRING"], "INT64", (pattern) => BigInt(countGroups(pattern))),
  defineFunction("lw_regexp_split", ["STRING"], "STRING", splitAtGroup),
  defineFunction("lw_regexp_replacement", ["STRING", "STRING"], "STRING", checkReplacement),
  defineFunction("lw_match_position", ["STRING", "INT64", "INT64"], "INT64", matchPosition),
];
