/** JSON text to values, strictly as RFC 8259 has it. */
import { canonicalNumber, formatJson, type JsonValue, type WideNumberMode } from "./json-value.ts";

/** Deeper nesting is an error, as it is in GoogleSQL. */
const MAX_DEPTH = 500;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WHITE_SPACE = /[ \t\n\r]*/y;
/** Up to the closing quote; what is between is checked by reading it as a JavaScript JSON string. */
const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 32) return true;
  return false;
}

class Parser {
  readonly #text: string;
  readonly #mode: WideNumberMode;
  #at = 0;

  constructor(text: string, mode: WideNumberMode) {
    this.#text = text;
    this.#mode = mode;
  }

  /** The value of the whole text. */
  parse(): JsonValue {
    const value = this.#readValue(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("the end");
    return value;
  }

  #fail(expected: string): never {
    if (this.#at >= this.#text.length) throw new Error(`Invalid JSON: unexpected end of input; expected ${expected}`);
    const found = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    throw new Error(
      `Invalid JSON at character ${this.#at + 1}: unexpected ${JSON.stringify(found)}; expected ${expected}`,
    );
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #skipSpace(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (code === 32 || code === 10 || code === 13 || code === 9) this.#match(WHITE_SPACE);
  }

  #readString(): string {
    const start = this.#at;
    const source = this.#match(STRING) ?? this.#fail("a string");
    let value: string;
    if (source.includes("\\") || hasControlCharacter(source)) {
      try {
        value = JSON.parse(source) as string;
      } catch {
        this.#at = start;
        throw new Error(`Invalid JSON at character ${start + 1}: invalid string`);
      }
    } else value = source.slice(1, -1);
    if (!value.isWellFormed()) throw new Error(`Invalid JSON at character ${start + 1}: half of a surrogate pair`);
    return value;
  }

  #readWord(word: string, value: JsonValue): JsonValue {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("a value");
    this.#at += word.length;
    return value;
  }

  #readArray(depth: number): JsonValue {
    this.#at++;
    const items: JsonValue[] = [];
    this.#skipSpace();
    if (this.#text[this.#at] === "]") {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(this.#readValue(depth + 1));
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next !== "," && next !== "]") this.#fail('"," or "]"');
      this.#at++;
      if (next === "]") return items;
    }
  }

  #readObject(depth: number): JsonValue {
    this.#at++;
    const members = new Map<string, JsonValue>();
    this.#skipSpace();
    if (this.#text[this.#at] === "}") {
      this.#at++;
      return members;
    }
    for (;;) {
      this.#skipSpace();
      const name = this.#readString();
      this.#skipSpace();
      if (this.#text[this.#at] !== ":") this.#fail('":"');
      this.#at++;
      const value = this.#readValue(depth + 1);
      if (!members.has(name)) members.set(name, value);
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next !== "," && next !== "}") this.#fail('"," or "}"');
      this.#at++;
      if (next === "}") return members;
    }
  }

  #readValue(depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw new Error(`Invalid JSON: nested deeper than ${MAX_DEPTH} levels`);
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#readObject(depth);
      case "[":
        return this.#readArray(depth);
      case '"':
        return this.#readString();
      case "t":
        return this.#readWord("true", true);
      case "f":
        return this.#readWord("false", false);
      case "n":
        return this.#readWord("null", null);
      default:
        return canonicalNumber(this.#match(NUMBER) ?? this.#fail("a value"), this.#mode);
    }
  }
}

/** Reads a JSON text; throws an Error that tells where it is malformed, or which number does not fit. */
export function parseJson(text: string, mode: WideNumberMode = "exact"): JsonValue {
  return new Parser(text, mode).parse();
}

/** The canonical text of a JSON text (see `json-value.ts`); throws as `parseJson` does. */
export function canonicalJson(text: string, mode: WideNumberMode = "exact"): string {
  return formatJson(parseJson(text, mode));
}
