import { closingQuote, skipSpace } from "../../values/json/json-tokens.ts";

/** The kinds of values as https://github.com/buger/jsonparser shows them, which Loki reads lines with. */
type JsonKind = "string" | "number" | "boolean" | "null" | "object" | "array";

/** A value in a text: from where to where, of a string with its quotes. */
export interface JsonValue {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
}

/** An error that ends the reading of a text; what was read before it stands. */
class BrokenJson extends Error {}

const noObject = "Value looks like object, but can't find closing '}' symbol";
const noString = "Value is string, but can't find closing '\"' symbol";
const noArray = "Value is array, but can't find closing ']' symbol";
const malformed = "Malformed JSON error";

const token = /[^ \n\r\t,}\]]*/y;
const insideBlock = /[^"{}[\]]*/y;

/** Where the characters end that a pattern takes from a place on; -1 where it takes none. */
export function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The next character that is no blank. Throws where the text ends before it. */
function nextToken(text: string, at: number, error: string): number {
  const next = skipSpace(text, at);
  if (next >= text.length) throw new BrokenJson(error);
  return next;
}

/**
 * Calls back for each member of an object, in its order: a text may be broken behind them. Returns what is wrong with
 * it, undefined where nothing is. `take` may return an error of its own, which ends the reading.
 */
export function eachMember(
  text: string,
  from: number,
  take: (key: string, value: JsonValue) => string | undefined,
): string | undefined {
  try {
    return readMembers(text, from, take);
  } catch (error) {
    if (error instanceof BrokenJson) return error.message;
    throw error;
  }
}

function readMembers(text: string, from: number, take: Parameters<typeof eachMember>[2]): string | undefined {
  let at = nextToken(text, from, noObject);
  if (text[at] !== "{") return noObject;
  at = nextToken(text, at + 1, malformed);
  while (text[at] !== "}") {
    if (text[at] !== '"') return noObject;
    const quote = closingQuote(text, at);
    if (quote === -1) return malformed;
    const key = unescapeJson(text.slice(at + 1, quote));
    if (key === undefined) return "Encountered an invalid escape sequence in a string";
    at = nextToken(text, quote + 1, malformed);
    if (text[at] !== ":") return malformed;
    const value = readValue(text, nextToken(text, at + 1, malformed));
    const error = take(key, value);
    if (error !== undefined) return error;
    at = nextToken(text, value.end, noArray);
    if (text[at] === "}") return undefined;
    if (text[at] !== ",") return noObject;
    at = nextToken(text, at + 1, noArray);
  }
  return undefined;
}

/** The items of a list, as far as it can be read. */
export function* eachItem(text: string, from: number): Generator<JsonValue> {
  try {
    for (let at = nextToken(text, from + 1, noArray); text[at] !== "]"; at = nextToken(text, at + 1, noArray)) {
      const value = readValue(text, at);
      yield value;
      at = nextToken(text, value.end, noArray);
      if (text[at] !== ",") return;
    }
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
  }
}

function readValue(text: string, start: number): JsonValue {
  const first = text[start];
  if (first === '"') return { kind: "string", start, end: behind(closingQuote(text, start), noString) };
  if (first === "{") return { kind: "object", start, end: behind(findClosing(text, start, "{", "}"), noObject) };
  if (first === "[") return { kind: "array", start, end: behind(findClosing(text, start, "[", "]"), noArray) };
  const end = endOf(token, text, start);
  const literal = text.slice(start, end);
  if (literal === "true" || literal === "false") return { kind: "boolean", start, end };
  if (literal === "null") return { kind: "null", start, end };
  if (/^[-\d]/.test(literal)) return { kind: "number", start, end };
  throw new BrokenJson("Unknown value type");
}

function behind(at: number, error: string): number {
  if (at === -1) throw new BrokenJson(error);
  return at + 1;
}

/** Where an object or a list is closed; brackets of the other kind are not looked at. */
function findClosing(text: string, start: number, open: string, close: string): number {
  let level = 0;
  for (let at = start; at < text.length; at = endOf(insideBlock, text, at + 1)) {
    const character = text[at];
    if (character === '"') {
      at = closingQuote(text, at);
      if (at === -1) return -1;
    } else if (character === open) level++;
    else if (character === close && --level === 0) return at;
  }
  return -1;
}

const escapes: Readonly<Record<string, string>> = {
  ...{ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" },
};

/** The value of a string's inside; undefined for one with an escape that is none. */
export function unescapeJson(raw: string): string | undefined {
  if (!raw.includes("\\")) return raw;
  let isValid = true;
  const text = raw.replaceAll(/\\(?:u([\da-fA-F]{4})|([\s\S]))/g, (_, code: string | undefined, character = "") => {
    const value = code === undefined ? escapes[character] : String.fromCharCode(Number.parseInt(code, 16));
    isValid &&= value !== undefined;
    return value ?? "";
  });
  return isValid ? text : undefined;
}

/** The text of a value: of a string what it says, of all others as they are written; nothing for null. */
export function textOfJson(text: string, { kind, start, end }: JsonValue): string {
  if (kind === "null") return "";
  const raw = kind === "string" ? text.slice(start + 1, end - 1) : text.slice(start, end);
  if (kind === "object") return raw;
  // Characters that are none are blanks, as in Loki.
  return (unescapeJson(raw) ?? "").toWellFormed().replaceAll("\uFFFD", " ");
}
