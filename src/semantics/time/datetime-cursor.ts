/** Reading a text from left to right, as the PARSE_ functions and the casts with a FORMAT do. */

/** A text, and how far it has been read. */
export interface TextCursor {
  readonly text: string;
  at: number;
}

/** ASCII whitespace. */
export function isSpace(character: string): boolean {
  return character === " " || (character >= "\t" && character <= "\r");
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

/** Steps over any ASCII whitespace. */
export function skipSpaces(cursor: TextCursor): void {
  while (cursor.at < cursor.text.length && isSpace(cursor.text.charAt(cursor.at))) cursor.at += 1;
}

/** Steps over the character; false where another one stands. */
export function takeCharacter(cursor: TextCursor, character: string): boolean {
  if (cursor.text.charAt(cursor.at) !== character) return false;
  cursor.at += 1;
  return true;
}

/** Up to `maxDigits` digits of the text. */
export function takeDigits(cursor: TextCursor, maxDigits: number): string {
  const start = cursor.at;
  while (cursor.at - start < maxDigits && isDigit(cursor.text.charAt(cursor.at))) cursor.at += 1;
  return cursor.text.slice(start, cursor.at);
}

/** A number of 1 to `maxDigits` digits within its bounds; undefined otherwise. */
export function takeNumber(cursor: TextCursor, maxDigits: number, min: number, max: number): number | undefined {
  const digits = takeDigits(cursor, maxDigits);
  const value = Number(digits);
  return digits === "" || value < min || value > max ? undefined : value;
}

/** The index of the name that stands here in any case: in full, or (unless stated otherwise) its first three letters. */
export function takeName(
  cursor: TextCursor,
  names: readonly string[],
  forms: "full" | "short" | "both" = "both",
): number | undefined {
  const rest = cursor.text.slice(cursor.at, cursor.at + 12).toLowerCase();
  const take = (length: (name: string) => number) => {
    const index = names.findIndex((name) => rest.startsWith(name.slice(0, length(name)).toLowerCase()));
    if (index === -1) return undefined;
    cursor.at += length(names[index] ?? "");
    return index;
  };
  const full = forms === "short" ? undefined : take((name) => name.length);
  return full ?? (forms === "full" ? undefined : take(() => 3));
}
