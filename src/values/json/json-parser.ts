/** JSON text to values, strictly as RFC 8259 has it. */
import { failAt, MAX_JSON_DEPTH, skipScalar, skipSpace, skipString, visitChildren } from "./json-tokens.ts";
import { canonicalNumber, formatJson, type JsonValue, type WideNumberMode } from "./json-value.ts";

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 32) return true;
  return false;
}

function readString(text: string, start: number, end: number): string {
  const source = text.slice(start, end);
  let value = source.slice(1, -1);
  if (source.includes("\\") || hasControlCharacter(source)) {
    try {
      value = JSON.parse(source) as string;
    } catch {
      throw new Error(`Invalid JSON at character ${start + 1}: invalid string`);
    }
  }
  if (!value.isWellFormed()) throw new Error(`Invalid JSON at character ${start + 1}: half of a surrogate pair`);
  return value;
}

class Parser {
  readonly #text: string;
  readonly #mode: WideNumberMode;
  /** Behind the value that was read last. */
  #end = 0;

  constructor(text: string, mode: WideNumberMode) {
    this.#text = text;
    this.#mode = mode;
  }

  /** The value of the whole text. */
  parse(): JsonValue {
    const value = this.#read(skipSpace(this.#text, 0), 0);
    const end = skipSpace(this.#text, this.#end);
    return end < this.#text.length ? failAt(this.#text, end, "the end") : value;
  }

  #read(at: number, depth: number): JsonValue {
    if (depth > MAX_JSON_DEPTH) throw new Error(`Invalid JSON: nested deeper than ${MAX_JSON_DEPTH} levels`);
    switch (this.#text[at]) {
      case "{":
        return this.#readObject(at, depth);
      case "[":
        return this.#readArray(at, depth);
      case '"':
        this.#end = skipString(this.#text, at);
        return readString(this.#text, at, this.#end);
      default:
        return this.#readScalar(at);
    }
  }

  #readArray(at: number, depth: number): JsonValue {
    const items: JsonValue[] = [];
    const end = visitChildren(this.#text, at, (start) => {
      items.push(this.#read(start, depth + 1));
      return this.#end;
    });
    this.#end = end ?? at;
    return items;
  }

  #readObject(at: number, depth: number): JsonValue {
    const members = new Map<string, JsonValue>();
    const end = visitChildren(this.#text, at, (start, _, nameStart, nameEnd) => {
      const name = readString(this.#text, nameStart, nameEnd);
      const value = this.#read(start, depth + 1);
      if (!members.has(name)) members.set(name, value);
      return this.#end;
    });
    this.#end = end ?? at;
    return members;
  }

  #readScalar(at: number): JsonValue {
    this.#end = skipScalar(this.#text, at);
    const source = this.#text.slice(at, this.#end);
    if (source === "null") return null;
    return source === "true" || source === "false" ? source === "true" : canonicalNumber(source, this.#mode);
  }
}

/** Reads a JSON text; throws an Error that shows where it is malformed, or which number does not fit. */
export function parseJson(text: string, mode: WideNumberMode = "exact"): JsonValue {
  return new Parser(text, mode).parse();
}

/** The canonical text of a JSON text (see `json-value.ts`); throws as `parseJson` does. */
export function canonicalJson(text: string, mode: WideNumberMode = "exact"): string {
  return formatJson(parseJson(text, mode));
}
