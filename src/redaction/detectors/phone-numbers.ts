import type { TextRange } from "../text-range.ts";

/**
 * International form (E.164, E.123): a plus, then 8 to 15 digits with spaces, dots, dashes or parentheses between
 * them.
 */
const phone = /(?<![\p{L}\p{N}_+])\+[1-9](?:[ .()/-]{0,2}\d){7,14}(?![\p{L}\p{N}_])/gu;

/** Phone numbers in international form, from left to right. */
export function findPhoneNumbers(text: string): readonly TextRange[] {
  return [...text.matchAll(phone)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
}
