/**
 * Reading unchecked JSON texts: the functions that take a STRING stop at the value they look for, without
 * reading on, and keep what they find as it is written (numbers, the order of members, repeated names).
 * Source: "Differences between the JSON and JSON-formatted STRING types" of the GoogleSQL JSON functions page.
 */
import { type JsonPathStep, stepIndex } from "./json-path.ts";
import { MAX_JSON_DEPTH, MalformedJson, skipScalar, skipSpace, skipString, visitChildren } from "./json-tokens.ts";

/** Where a value stands in the text. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

function skipValue(text: string, start: number, depth: number): number {
  const first = text[start];
  if (first === '"') return skipString(text, start);
  if (first !== "{" && first !== "[") return skipScalar(text, start);
  if (depth > MAX_JSON_DEPTH) throw new MalformedJson();
  return visitChildren(text, start, (valueStart) => skipValue(text, valueStart, depth + 1)) ?? start;
}

function decodeString(source: string): string {
  if (!source.includes("\\")) return source.slice(1, -1);
  try {
    return JSON.parse(source) as string;
  } catch {
    throw new MalformedJson();
  }
}

function find(text: string, path: readonly JsonPathStep[]): JsonSpan | undefined {
  let at = skipSpace(text, 0);
  for (const step of path) {
    const isObject = text[at] === "{";
    if (!isObject && text[at] !== "[") return undefined;
    const wanted = stepIndex(step);
    let found: number | undefined;
    visitChildren(text, at, (valueStart, index, nameStart, nameEnd) => {
      const isFound = isObject ? decodeString(text.slice(nameStart, nameEnd)) === step.key : index === wanted;
      if (!isFound) return skipValue(text, valueStart, 0);
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
    if (error instanceof MalformedJson) return undefined;
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
  visitChildren(text, span.start, (start) => {
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
