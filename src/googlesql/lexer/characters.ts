/** Classes of UTF-16 units. Each function also takes the NaN that `charCodeAt` gives beyond the end. */

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isHexDigit(code: number): boolean {
  const lower = code | 32;
  return isDigit(code) || (lower >= 97 && lower <= 102);
}

/** A letter A-Z or an underscore: what may begin a word. */
export function isWordStart(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || code === 95;
}

export function isWordPart(code: number): boolean {
  return isWordStart(code) || isDigit(code);
}

/** The blanks of the lexical structure page, those of Unicode that have a width included. */
export function isSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 8 && code <= 13);
  if (code < 0xa0) return false;
  return code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f || code === 0x205f || code === 0x3000;
}

/** Whether a hexadecimal integer such as `0x1F` begins here. */
export function isHexInteger(text: string, at: number): boolean {
  return text.charCodeAt(at) === 48 && (text.charCodeAt(at + 1) | 32) === 120 && isHexDigit(text.charCodeAt(at + 2));
}
