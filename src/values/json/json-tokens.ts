/** The tokens of JSON text, strictly as RFC 8259 has them, and how values lie in each other. Linear time. */

/** Deeper nesting is an error, as it is in GoogleSQL. */
export const MAX_JSON_DEPTH = 500;

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const WHITE_SPACE = /[ \t\n\r]*/y;

/** The text is no JSON, up to where it was read. */
export class MalformedJson extends Error {}

/** Throws a `MalformedJson` that says what stands at an offset instead of what is expected there. */
export function failAt(text: string, at: number, expected: string): never {
  if (at >= text.length) throw new MalformedJson(`Invalid JSON: unexpected end of input; expected ${expected}`);
  const found = JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
  throw new MalformedJson(`Invalid JSON at character ${at + 1}: unexpected ${found}; expected ${expected}`);
}

function takeMatch(pattern: RegExp, text: string, at: number, expected: string): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : failAt(text, at, expected);
}

/** The offset of the first character from `at` on that is no white space. */
export function skipSpace(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code === 32 || code === 10 || code === 13 || code === 9 ? takeMatch(WHITE_SPACE, text, at, "") : at;
}

/** Where the quote is that closes the string which begins at `start`; -1 where the text is cut off before. */
export function closingQuote(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return -1;
}

/** Behind the string that begins at `at`; what is in it is not looked at. */
export function skipString(text: string, at: number): number {
  const end = text[at] === '"' ? closingQuote(text, at) : -1;
  return end === -1 ? failAt(text, at, "a string") : end + 1;
}

/** Behind the number, `true`, `false` or `null` that begins at `at`. */
export function skipScalar(text: string, at: number): number {
  return takeMatch(SCALAR, text, at, "a value");
}

/**
 * Calls `visit` with each member or element of what begins at `start`: where its value begins, its number, and where a
 * member's name stands. `visit` answers where the value ends, or undefined to stop. Returns the end of it all.
 */
export function visitChildren(
  text: string,
  start: number,
  visit: (valueStart: number, index: number, nameStart: number, nameEnd: number) => number | undefined,
): number | undefined {
  const isObject = text[start] === "{";
  const close = isObject ? "}" : "]";
  let at = skipSpace(text, start + 1);
  if (text[at] === close) return at + 1;
  for (let index = 0; ; index++) {
    const nameStart = at;
    let nameEnd = at;
    if (isObject) {
      nameEnd = skipString(text, at);
      at = skipSpace(text, nameEnd);
      if (text[at] !== ":") failAt(text, at, '":"');
      at = skipSpace(text, at + 1);
    }
    const end = visit(at, index, nameStart, nameEnd);
    if (end === undefined) return undefined;
    at = skipSpace(text, end);
    const next = text[at];
    if (next === close) return at + 1;
    if (next !== ",") failAt(text, at, `"," or "${close}"`);
    at = skipSpace(text, at + 1);
  }
}
