/** Regular expressions that are known only when the query runs, and positions of matches. */

import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import { toLatin1 } from "./bytes.ts";
import { checkReplacement, countGroups, latin1Pattern, spellNames, splitAtGroup } from "./regexp-syntax.ts";

type Texts = readonly (string | null)[];

function lengthOf(text: string | null | undefined): number {
  return [...(text ?? "")].length;
}

interface Match {
  /** Among the matches that the engine found. */
  readonly index: number;
  /** In characters from the start of the text. */
  readonly start: number;
  /** Where the search continued: after the match, or after the character at an empty one. */
  readonly next: number;
}

/**
 * Which of the engine's matches count, each with its place: none behind one that ended with the text, and an empty one
 * once. `gaps` are the texts before each. Behind an empty match the search goes on at the next character.
 */
function matchesThatCount(gaps: Texts, matches: Texts, text: string): readonly Match[] {
  const size = lengthOf(text);
  const found: Match[] = [];
  let position = 0;
  let isRepeated = false;
  for (const [index, match] of matches.entries()) {
    const [gap, length] = [lengthOf(gaps[index]), lengthOf(match)];
    const isEmpty = length === 0;
    if (isRepeated && gap === 0 && isEmpty) {
      isRepeated = false;
      continue;
    }
    const end = position + gap + length;
    position = isEmpty && end < size ? end + 1 : end;
    found.push({ index, start: end - length, next: position });
    if (position >= size) break;
    // The engine went on where this one ended, and finds it again.
    isRepeated = isEmpty && gap > 0;
    if (isRepeated) position = end + 1;
  }
  return found;
}

/** Returns the values of the matches that count, each of the same index. */
function keepMatches(gaps: Texts, matches: Texts, values: Texts, text: string): Texts {
  return matchesThatCount(gaps, matches, text).map(({ index }) => values[index] ?? null);
}

/** Texts of each match: before it, itself, what of it ends with its group, and that group. */
interface Parts {
  readonly gaps: Texts;
  readonly wholes: Texts;
  readonly through: Texts;
  readonly counting: Texts;
}

/**
 * The position (from 1) of an occurrence's group, or of the match without one, or behind it; 0 when there are fewer. Of
 * an empty match without a group it is where the search went on.
 */
function matchPosition(parts: Parts, groups: bigint, text: string, occurrence: bigint, isEnd: bigint): bigint {
  const { gaps, wholes, through, counting } = parts;
  if (occurrence <= 0n) throw new Error("REGEXP_INSTR: occurrence must be positive");
  if (isEnd !== 0n && isEnd !== 1n) throw new Error("REGEXP_INSTR: occurrence_position must be 0 or 1");
  if (text === "") return 0n;
  const match = matchesThatCount(gaps, wholes, text)[Number(occurrence) - 1];
  if (match === undefined) return 0n;
  const { index } = match;
  if (groups === 0n) return BigInt(match.next - (isEnd === 1n ? 0 : lengthOf(wholes[index]))) + 1n;
  // A group that takes no part in the match has no place.
  if (counting[index] === null) return 0n;
  const end = match.start + lengthOf(through[index]);
  return BigInt(end - (isEnd === 1n ? 0 : lengthOf(counting[index]))) + 1n;
}

/** With the names of groups as every RE2 knows them; one that cannot be read as it is, for RE2 to say why. */
function spellReadable(pattern: string): string {
  try {
    return spellNames(pattern);
  } catch {
    return pattern;
  }
}

const LISTS = ["STRING[]", "STRING[]", "STRING[]"] as const;

export const regexpFunctions: readonly ScalarFunction[] = [
  defineFunction(
    "lw_latin1_pattern",
    ["BYTES"],
    "STRING",
    (bytes) => latin1Pattern(spellReadable(toLatin1(bytes))),
    NEVER_FAILS,
  ),
  defineFunction("lw_regexp_names", ["STRING"], "STRING", spellReadable, NEVER_FAILS),
  defineFunction("lw_regexp_groups", ["STRING"], "INT64", (pattern) => BigInt(countGroups(pattern))),
  defineFunction("lw_regexp_split", ["STRING"], "STRING", splitAtGroup),
  defineFunction("lw_regexp_replacement", ["STRING", "STRING"], "STRING", checkReplacement),
  defineFunction("lw_keep_matches", [...LISTS, "STRING"], "STRING[]", keepMatches),
  defineFunction(
    "lw_match_position",
    [...LISTS, "STRING[]", "INT64", "STRING", "INT64", "INT64"],
    "INT64",
    (gaps, wholes, through, counting, ...rest) => matchPosition({ gaps, wholes, through, counting }, ...rest),
  ),
];
