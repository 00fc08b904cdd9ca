/**
 * Reading unchecked JSON texts: the functions that take a STRING stop at the value they look for, without
 * reading on, and keep what they find as it is written (numbers, the order of members, repeated names).
 * Source: "Differences between the JSON and JSON-formatted STRING types" of the GoogleSQL JSON functions page.
 */
import { type JsonPathStep, stepIndex } from "../../googlesql/json/json-path.ts";

/** Where a value stands in the text. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const WHITE_SPACE = /[ \t\n\r]*/y;
/** Deeper nesting is taken for malformed. */
const MAX_DEPTH = 500;

class Malformed extends Error {}

function takeMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (found === null) throw new Malformed();
  return at + found[0].length;
}

function skipSpace(text: string, at: number): number {
  return takeMatch(WHITE_SPACE, text, at);
}

/**
 * Calls `visit` with each member's name (each element's index as text) and where its value begins; `visit` answers
 * where that ends, or undefined to stop.
 */
function visitChildren(
  text: string,
  start: number,
  visit: (key: string, valueStart: number) => number | undefined,
): number | undefined {
  const isObject = text[start] === "{";
  const close = isObject ? "}" : "]";
  let at = skipSpace(text, start + 1);
  if (text[at] === close) return at + 1;
  for (let index = 0; ; index++) {
    let key = String(index);
    if (isObject) {
      const keyEnd = takeMatch(STRING, text, at);
      key = decodeString(text.slice(at, keyEnd));
      at = skipSpace(text, keyEnd);
      if (text[at] !== ":") throw new Malformed();
      at = skipSpace(text, at + 1);
    }
    const end = visit(key, at);
    if (end === undefined) return undefined;
    at = skipSpace(text, end);
    const next = text[at];
    if (next === close) return at + 1;
    if (next !== ",") throw new Malformed();
    at = skipSpace(text, at + 1);
  }
}

function skipValue(text: string, start: number, depth: number): number {
  const first = text[start];
  if (first === '"') return takeMatch(STRING, text, start);
  if (first !== "{" && first !== "[") return takeMatch(SCALAR, text, start);
  if (depth > MAX_DEPTH) throw new Malformed();
  const end = visitChildren(text, start, (_, valueStart) => skipValue(text, valueStart, depth + 1));
  if (end === undefined) throw new Malformed();
  return end;
}

function decodeString(source: string): string {
  if (!source.includes("\\")) return source.slice(1, -1);
  try {
    return JSON.parse(source) as string;
  } catch {
    throw new Malformed();
  }
}

function find(text: string, path: readonly JsonPathStep[]): JsonSpan | undefined {
  let at = skipSpace(text, 0);
  for (const step of path) {
    const isObject = text[at] === "{";
    if (!isObject && text[at] !== "[") return undefined;
    const index = stepIndex(step);
    const wanted = isObject ? step.key : index === undefined ? undefined : String(index);
    let found: number | undefined;
    visitChildren(text, at, (key, valueStart) => {
      if (key !== wanted) return skipValue(text, valueStart, 0);
      found = valueStart;
      return undefined;
    });
    if (found === undefined) return undefined;
    at = found;
  }
  return { start: at, end: skipValue(text, at, 0) };
}

/** `read` of the text, or undefined where the text is malformed before `read` is done. */
function lenient<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** Where the value at a path stands; undefined where there is none, or the text is malformed before its end. */
export function findSpan(text: string, path: readonly JsonPathStep[]): JsonSpan | undefined {
  return lenient(() => find(text, path));
}

/** The spans of an array's elements; undefined where the value is no array. */
export function elementSpans(text: string, span: JsonSpan): readonly JsonSpan[] | undefined {
  if (text[span.start] !== "[") return undefined;
  const elements: JsonSpan[] = [];
  visitChildren(text, span.start, (_, start) => {
    const end = skipValue(text, start, 0);
    elements.push({ start, end });
    return end;
  });
  return elements;
}

/**
 * The value without white space, its strings escaped in the canonical way and all else as written; undefined where a
 * string is malformed.
 */
export function compactText(text: string, { start, end }: JsonSpan): string | undefined {
  return lenient(() =>
    text
      .slice(start, end)
      .replace(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[ \t\n\r]+/g, (token) =>
        token.startsWith('"') ? JSON.stringify(decodeString(token)) : "",
      ),
  );
}

/** A string, number or boolean as text; undefined for null, arrays and objects. */
export function scalarText(text: string, { start, end }: JsonSpan): string | undefined {
  const source = text.slice(start, end);
  if (source.startsWith('"')) return lenient(() => decodeString(source));
  return source === "null" || source.startsWith("{") || source.startsWith("[") ? undefined : source;
}
