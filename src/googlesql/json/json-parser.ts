/** JSON text to values, strictly as RFC 8259 has it. */
import { canonicalNumber, formatJson, type JsonValue, type WideNumberMode } from "./json-value.ts";

/** Deeper nesting is an error, as it is in GoogleSQL. */
const MAX_DEPTH = 500;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WHITE_SPACE = /[ \t\n\r]*/y;
/** Up to the closing quote; what is between is checked by reading it as a JavaScript JSON string. */
const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 32) return true;
  return false;
}

function parser(text: string, mode: WideNumberMode) {
  let at = 0;

  function fail(expected: string): never {
    if (at >= text.length) throw new Error(`Invalid JSON: unexpected end of input; expected ${expected}`);
    const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
    throw new Error(`Invalid JSON at character ${at + 1}: unexpected ${JSON.stringify(found)}; expected ${expected}`);
  }

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }

  function skipSpace(): void {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 10 || code === 13 || code === 9) match(WHITE_SPACE);
  }

  function readString(): string {
    const start = at;
    const source = match(STRING) ?? fail("a string");
    let value: string;
    if (source.includes("\\") || hasControlCharacter(source)) {
      try {
        value = JSON.parse(source) as string;
      } catch {
        at = start;
        throw new Error(`Invalid JSON at character ${start + 1}: invalid string`);
      }
    } else value = source.slice(1, -1);
    if (LONE_SURROGATE.test(value)) throw new Error(`Invalid JSON at character ${start + 1}: half of a surrogate pair`);
    return value;
  }

  function readWord(word: string, value: JsonValue): JsonValue {
    if (!text.startsWith(word, at)) fail("a value");
    at += word.length;
    return value;
  }

  function readArray(depth: number): JsonValue {
    at++;
    const items: JsonValue[] = [];
    skipSpace();
    if (text[at] === "]") {
      at++;
      return items;
    }
    for (;;) {
      items.push(readValue(depth + 1));
      skipSpace();
      const next = text[at];
      if (next !== "," && next !== "]") fail('"," or "]"');
      at++;
      if (next === "]") return items;
    }
  }

  function readObject(depth: number): JsonValue {
    at++;
    const members = new Map<string, JsonValue>();
    skipSpace();
    if (text[at] === "}") {
      at++;
      return members;
    }
    for (;;) {
      skipSpace();
      const name = readString();
      skipSpace();
      if (text[at] !== ":") fail('":"');
      at++;
      const value = readValue(depth + 1);
      if (!members.has(name)) members.set(name, value);
      skipSpace();
      const next = text[at];
      if (next !== "," && next !== "}") fail('"," or "}"');
      at++;
      if (next === "}") return members;
    }
  }

  function readValue(depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw new Error(`Invalid JSON: nested deeper than ${MAX_DEPTH} levels`);
    skipSpace();
    switch (text[at]) {
      case "{":
        return readObject(depth);
      case "[":
        return readArray(depth);
      case '"':
        return readString();
      case "t":
        return readWord("true", true);
      case "f":
        return readWord("false", false);
      case "n":
        return readWord("null", null);
      default:
        return canonicalNumber(match(NUMBER) ?? fail("a value"), mode);
    }
  }

  return (): JsonValue => {
    const value = readValue(0);
    skipSpace();
    if (at < text.length) fail("the end");
    return value;
  };
}

/** Reads a JSON text; throws an Error that tells where it is malformed, or which number does not fit. */
export function parseJson(text: string, mode: WideNumberMode = "exact"): JsonValue {
  return parser(text, mode)();
}

/** The canonical text of a JSON text (see `json-value.ts`); throws as `parseJson` does. */
export function canonicalJson(text: string, mode: WideNumberMode = "exact"): string {
  return formatJson(parseJson(text, mode));
}
