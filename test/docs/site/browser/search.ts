/** A row of the index: a section of a page. */
export interface IndexedSection {
  readonly page: string;
  readonly title: string;
  readonly href: string;
  readonly text: string;
}

export interface Found extends IndexedSection {
  /** A part of the text around the first word. */
  readonly excerpt: string;
}

const maxFound = 20;
const excerptLength = 160;

/** Splits what was typed into the words to be found. */
export function wordsOf(typed: string): readonly string[] {
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Finds the sections that have every word, the best first: words in titles, whole words, and earlier pages count more. */
export function search(index: readonly IndexedSection[], typed: string): readonly Found[] {
  const words = wordsOf(typed);
  if (words.length === 0) return [];
  const ranked = index.flatMap((section) => {
    const rank = rankOf(section, words);
    return rank === 0 ? [] : [{ section, rank }];
  });
  ranked.sort((one, other) => other.rank - one.rank);
  return ranked.slice(0, maxFound).map(({ section }) => ({ ...section, excerpt: excerptOf(section.text, words) }));
}

/** 0 where a word is missing. */
function rankOf({ page, title, text }: IndexedSection, words: readonly string[]): number {
  let rank = 0;
  for (const word of words) {
    const found = 12 * weigh(title, word) + 4 * weigh(page, word) + weigh(text, word);
    if (found === 0) return 0;
    rank += found;
  }
  return rank;
}

/** 0 without the word, 1 within a word, 2 at the beginning of one, 3 for a whole one. */
function weigh(text: string, word: string): number {
  const lower = text.toLowerCase();
  let weight = 0;
  for (let at = lower.indexOf(word); at >= 0 && weight < 3; at = lower.indexOf(word, at + 1)) {
    const isBegin = at === 0 || !isLetter(lower.charAt(at - 1));
    const isEnd = !isLetter(lower.charAt(at + word.length));
    weight = Math.max(weight, isBegin ? (isEnd ? 3 : 2) : 1);
  }
  return weight;
}

function isLetter(sign: string): boolean {
  return /[\p{L}\p{N}_]/u.test(sign);
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const start = first < excerptLength / 2 ? 0 : text.lastIndexOf(" ", first - excerptLength / 4) + 1;
  const cut = text.slice(start, start + excerptLength);
  return `${start > 0 ? "… " : ""}${cut}${start + excerptLength < text.length ? " …" : ""}`;
}
