import type { TextRange } from "./text-range.ts";

/** Escapes of characters in personal data: percent-encoding (RFC 3986), and JSON's in a text that contains JSON. */
const escapes = /%([2-7][0-9A-Fa-f])|\\u00([0-7][0-9A-Fa-f])|\\[nrt"/]/g;
/**
 * Matches every text in which an escape can hide what the detectors' own hints look for; the same to JavaScript and
 * to RE2.
 */
export const escapeHint = "%[2-7][0-9A-Fa-f]|\\\\u00[2-7][0-9A-Fa-f]";

const controls: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** A text without its escapes, and the way back. */
export interface Unescaped {
  readonly text: string;
  /** The same place in the text that was given. */
  toOriginal(range: TextRange): TextRange;
}

/** The text with each escape as the character it stands for; undefined where there is none. Linear time. */
export function unescapeText(original: string): Unescaped | undefined {
  let text = "";
  let copied = 0;
  /**
   * Where each character behind an escape is, by pairs: the offset in the new text, and how much further it is in the
   * original.
   */
  const offsets: number[] = [];
  const shifts: number[] = [];
  for (const match of original.matchAll(escapes)) {
    const { 0: sequence, 1: percent, 2: unicode, index } = match;
    const code = percent ?? unicode;
    const letter = sequence[1] ?? "";
    text += original.slice(copied, index);
    text += code === undefined ? (controls[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16));
    copied = index + sequence.length;
    offsets.push(text.length);
    shifts.push(copied - text.length);
  }
  if (copied === 0) return undefined;
  text += original.slice(copied);
  const shiftAt = (offset: number) => shifts[countUpTo(offsets, offset) - 1] ?? 0;
  return {
    text,
    toOriginal: ({ start, end }) => ({ start: start + shiftAt(start), end: end + shiftAt(end) }),
  };
}

/** How many of the sorted numbers are at most `limit`. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
