import type { Token } from "./token.ts";

/**
 * The same tokens, with texts in single quotes that touch made one, and an apostrophe between them: `'it''s'` is two
 * such texts to the lexer. Nowhere does the grammar let two texts touch, so that no query that is valid means
 * anything else.
 */
export function joinDoubledApostrophes(text: string, tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const before = joined.at(-1);
    const touches = before?.end === token.start && text[token.start] === "'" && text[token.start - 1] === "'";
    if (before !== undefined && touches && isPlain(text, before) && isPlain(text, token)) {
      joined[joined.length - 1] = { ...before, value: `${before.value}'${token.value}`, end: token.end };
    } else joined.push(token);
  }
  return joined;
}

/** A text in one pair of single quotes, without a prefix; joined ones begin and end the same way. */
function isPlain(text: string, { kind, start, end }: Token): boolean {
  return kind === "string" && text[start] === "'" && (end === start + 2 || !text.startsWith("'''", start));
}
