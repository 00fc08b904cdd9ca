/**
 * Escape sequences of string, bytes and quoted identifier literals. Source: "Escape sequences" of the lexical
 * structure page.
 */

/** A problem inside a literal, at an offset of its content. */
export interface EscapeProblem {
  readonly message: string;
  readonly at: number;
}

export type Unescaped = { readonly codes: readonly number[] } | { readonly problem: EscapeProblem };

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
  "?": 63,
  '"': 34,
  "'": 39,
  "`": 96,
};

/** One escape: its value and its length, or why it is invalid. */
type Escape = { readonly value: number; readonly length: number } | string;

function readHex(content: string, at: number, digits: number): Escape {
  const text = content.slice(at + 2, at + 2 + digits);
  if (!new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(text)) {
    const shown = content.slice(at, at + 2 + digits);
    if (digits === 2) return `Illegal escape sequence: Hex escape must be followed by 2 hex digits but saw: ${shown}`;
    return `Illegal escape sequence: ${content.slice(at, at + 2)} must be followed by ${digits} hex digits but saw: ${shown}`;
  }
  return { value: Number.parseInt(text, 16), length: 2 + digits };
}

function readUnicode(content: string, at: number, digits: number): Escape {
  const found = readHex(content, at, digits);
  if (typeof found === "string") return found;
  const shown = content.slice(at, at + found.length);
  if (found.value > 0x10ffff) return `Illegal escape sequence: Value of ${shown} exceeds Unicode limit (0x0010FFFF)`;
  if (found.value >= 0xd800 && found.value <= 0xdfff) {
    return `Illegal escape sequence: Unicode value ${shown} is invalid`;
  }
  return found;
}

function readEscape(content: string, at: number, isBytes: boolean): Escape {
  const letter = content[at + 1] ?? "";
  const simple = SIMPLE[letter];
  if (simple !== undefined) return { value: simple, length: 2 };
  if (letter === "x" || letter === "X") return readHex(content, at, 2);
  if (letter >= "0" && letter <= "3") {
    const digits = content.slice(at + 1, at + 4);
    if (/^[0-7]{3}$/.test(digits)) return { value: Number.parseInt(digits, 8), length: 4 };
    return `Illegal escape sequence: Octal escape must be followed by 3 octal digits but saw: \\${digits}`;
  }
  if (letter === "u" || letter === "U") {
    if (isBytes) return `Illegal escape sequence: Unicode escape sequence \\${letter} cannot be used in bytes literals`;
    return readUnicode(content, at, letter === "u" ? 4 : 8);
  }
  if (letter === "\n" || letter === "\r") return "Illegal escaped newline";
  return `Illegal escape sequence: \\${String.fromCodePoint(content.codePointAt(at + 1) ?? 92)}`;
}

/**
 * Applies the escapes of `content`: code points for text, bytes (text as UTF-8) where `isBytes`. Line ends become
 * `\n`.
 */
export function applyEscapes(content: string, isBytes: boolean): Unescaped {
  const codes: number[] = [];
  let at = 0;
  while (at < content.length) {
    const code = content.codePointAt(at) ?? 0;
    if (code === 92) {
      const found = readEscape(content, at, isBytes);
      if (typeof found === "string") return { problem: { message: found, at } };
      codes.push(found.value);
      at += found.length;
      continue;
    }
    if (code === 13) {
      codes.push(10);
      at += content.charCodeAt(at + 1) === 10 ? 2 : 1;
      continue;
    }
    const character = String.fromCodePoint(code);
    if (isBytes && code > 127) codes.push(...new TextEncoder().encode(character));
    else codes.push(code);
    at += character.length;
  }
  return { codes };
}
