/** Finding a keyword where it stands in a text, without cutting it out. */
import { KEYWORDS, type Keyword } from "./tables/keywords.ts";

const SLOTS = 1024;

/** Upper case for letters; digits and underscores only have to stay apart. */
const FOLD = 0xdf;

/** The hash of a word is that of its characters, one after the other, from 0. */
export function hashCharacter(hash: number, code: number): number {
  return (hash * 31 + (code & FOLD)) | 0;
}

function hashWord(word: string): number {
  let hash = 0;
  for (let at = 0; at < word.length; at++) hash = hashCharacter(hash, word.charCodeAt(at));
  return hash & (SLOTS - 1);
}

const TABLE: readonly (readonly Keyword[])[] = Array.from({ length: SLOTS }, (_, slot) =>
  [...KEYWORDS.values()].filter(({ code }) => hashWord(code) === slot),
);

function standsAt(word: string, text: string, start: number): boolean {
  for (let at = 0; at < word.length; at++) {
    if ((text.charCodeAt(start + at) & FOLD) !== (word.charCodeAt(at) & FOLD)) return false;
  }
  return true;
}

/** The keyword that the word from `start` to `end` is, in whatever case; the word consists of word characters. */
export function findKeyword(text: string, start: number, end: number, hash: number): Keyword | undefined {
  const candidates = TABLE[hash & (SLOTS - 1)];
  if (candidates === undefined) return undefined;
  for (const keyword of candidates) {
    if (keyword.code.length === end - start && standsAt(keyword.code, text, start)) return keyword;
  }
  return undefined;
}
