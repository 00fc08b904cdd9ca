/** Searching, replacing, joining and comparing strings by characters (code points). */
import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

/** Cells of the matrix that EDIT_DISTANCE may fill, 2,000 by 2,000 characters: some 10 ms. */
const MAX_DISTANCE_CELLS = 4_000_000;

function matches(characters: readonly string[], wanted: readonly string[], at: number): boolean {
  return wanted.every((character, index) => characters[at + index] === character);
}

/** INSTR: positions count from 1, from the end when negative, and the search then goes backwards. */
export function findOccurrence(text: string, wanted: string, position: bigint, occurrence: bigint): bigint {
  if (position === 0n) throw new Error("INSTR: position must not be 0");
  if (occurrence <= 0n) throw new Error("INSTR: occurrence must be positive");
  const characters = [...text];
  const search = [...wanted];
  const length = BigInt(characters.length);
  const last = characters.length - search.length;
  const isForward = position > 0n;
  // An empty text is found after the last character, too.
  const places = wanted === "" ? length + 1n : length;
  if ((isForward ? position : -position) > places) return 0n;
  const step = isForward ? 1 : -1;
  let at = Number(isForward ? position - 1n : places + position);
  if (!isForward && at > last) at = last;
  let left = occurrence;
  for (; at >= 0 && at <= last; at += step) {
    if (matches(characters, search, at) && --left === 0n) return BigInt(at) + 1n;
  }
  return 0n;
}

/** TRANSLATE: characters without a counterpart are removed. Throws for a repeated source character. */
export function translate(text: string, source: string, target: string): string {
  const counterparts = [...target];
  const map = new Map<string, string>();
  for (const [index, character] of [...source].entries()) {
    if (map.has(character))
      throw new Error(`TRANSLATE: duplicate character ${JSON.stringify(character)} in source characters`);
    map.set(character, counterparts[index] ?? "");
  }
  let result = "";
  for (const character of text) result += map.get(character) ?? character;
  return result;
}

const SOUNDEX_CODES: Readonly<Record<string, string>> = {
  ...{ B: "1", F: "1", P: "1", V: "1", C: "2", G: "2", J: "2", K: "2", Q: "2", S: "2", X: "2", Z: "2" },
  ...{ D: "3", T: "3", L: "4", M: "5", N: "5", R: "6" },
};

/**
 * The Soundex code of the Latin letters; the first keeps its case. Letters without a code do not part others of the
 * same code.
 */
function soundex(text: string): string {
  let result = "";
  let previous: string | undefined;
  for (const letter of text) {
    if (!/[A-Za-z]/.test(letter)) continue;
    const upper = letter.toUpperCase();
    const code = SOUNDEX_CODES[upper];
    if (result === "") result = letter;
    else if (code === undefined) continue;
    else if (code !== previous) result += code;
    previous = code;
    if (result.length === 4) return result;
  }
  return result === "" ? "" : result.padEnd(4, "0");
}

/** The Levenshtein distance in characters, at most `max`. */
export function editDistance(left: string, right: string, max: bigint | null): bigint {
  if (max !== null && max < 0n) throw new Error("EDIT_DISTANCE: max_distance must not be negative");
  const a = [...left];
  const b = [...right];
  if (a.length * b.length > MAX_DISTANCE_CELLS) throw new Error("EDIT_DISTANCE: the values are too long");
  let row = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  let next = new Uint32Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    next[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    [row, next] = [next, row];
  }
  const distance = BigInt(row[b.length] ?? 0);
  return max !== null && distance > max ? max : distance;
}

export const stringSearchFunctions: readonly ScalarFunction[] = [
  // DuckDB's array_to_string takes no delimiter that is not constant.
  defineFunction(
    "lw_join",
    ["STRING[]", "STRING"],
    "STRING",
    (texts, delimiter) => texts.filter((text) => text !== null).join(delimiter),
    NEVER_FAILS,
  ),
  defineFunction("lw_instr", ["STRING", "STRING", "INT64", "INT64"], "INT64", findOccurrence),
  defineFunction("lw_translate", ["STRING", "STRING", "STRING"], "STRING", translate),
  defineFunction("lw_soundex", ["STRING"], "STRING", soundex, NEVER_FAILS),
  defineFunction("lw_edit_distance", ["STRING", "STRING"], "INT64", (left, right) => editDistance(left, right, null)),
  defineFunction("lw_edit_distance_within", ["STRING", "STRING", "INT64"], "INT64", editDistance),
];
