/**
 * JSON_QUERY, JSON_VALUE and their kin, where DuckDB's own extraction does not do: paths that are not constant,
 * malformed texts, numbers it would rewrite.
 */

import { compactText, elementSpans, findSpan, scalarText } from "../../values/json/find-json.ts";
import { parseJson } from "../../values/json/json-parser.ts";
import { type JsonPathStep, parseJsonPath } from "../../values/json/json-path.ts";
import { formatJson, isJsonArray, isJsonObject, type JsonValue } from "../../values/json/json-value.ts";
import { memoize } from "../memoize.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

/** Reads a path in a style; paths that rows share are read once. */
type ReadPath = (path: string, style: string) => readonly JsonPathStep[];

function createPathReader(): ReadPath {
  const standard = memoize((path) => parseJsonPath(path, "standard"));
  const legacy = memoize((path) => parseJsonPath(path, "legacy"));
  return (path, style) => (style === "legacy" ? legacy(path) : standard(path));
}

function query(text: string, path: readonly JsonPathStep[]): string | null {
  const span = findSpan(text, path);
  return span === undefined ? null : (compactText(text, span) ?? null);
}

function value(text: string, path: readonly JsonPathStep[]): string | null {
  const span = findSpan(text, path);
  return span === undefined ? null : (scalarText(text, span) ?? null);
}

function queryArray(text: string, path: readonly JsonPathStep[]): readonly string[] | null {
  const span = findSpan(text, path);
  const elements = span === undefined ? undefined : elementSpans(text, span);
  return elements?.map((element) => compactText(text, element) ?? "null") ?? null;
}

/** NULL for a JSON null; no array at all where an element is an array or object. */
function valueArray(text: string, path: readonly JsonPathStep[]): readonly (string | null)[] | null {
  const span = findSpan(text, path);
  const elements = span === undefined ? undefined : elementSpans(text, span);
  if (elements === undefined) return null;
  const values: (string | null)[] = [];
  for (const element of elements) {
    const scalar = scalarText(text, element);
    if (scalar === undefined && text.slice(element.start, element.end) !== "null") return null;
    values.push(scalar ?? null);
  }
  return values;
}

/**
 * Finds the values at a lax path: a member is looked for in the elements of an array too, and `[0]` of a value that is
 * no array is the value itself.
 */
function findLax(value: JsonValue, path: readonly JsonPathStep[], isRecursive: boolean): readonly JsonValue[] {
  let current: readonly JsonValue[] = [value];
  for (const step of path) {
    current = current.flatMap((item) => {
      if (step.isIndex) {
        const items = isJsonArray(item) ? item : [item];
        const found = items[Number(step.key)];
        return found === undefined ? [] : [found];
      }
      return unwrap(item, isRecursive).flatMap((candidate) => {
        const found = isJsonObject(candidate) ? candidate.get(step.key) : undefined;
        return found === undefined ? [] : [found];
      });
    });
  }
  return current;
}

function unwrap(value: JsonValue, isRecursive: boolean): readonly JsonValue[] {
  if (!isJsonArray(value)) return [value];
  return isRecursive ? value.flatMap((item) => unwrap(item, true)) : value;
}

const LAX_PATH = /^\s*(?:lax(\s+recursive)?|recursive\s+lax)\s+(?=\$)/i;

/** `query` over a JSON value, whose path may be lax. */
function queryLax(text: string, path: string, readStrict: () => readonly JsonPathStep[]): string | null {
  const prefix = LAX_PATH.exec(path)?.[0];
  if (prefix === undefined) return query(text, readStrict());
  const steps = parseJsonPath(path.slice(prefix.length), "standard");
  return formatJson(findLax(parseJson(text, "round"), steps, /recursive/i.test(prefix)));
}

function createFunctions(): readonly ScalarFunction[] {
  const read = createPathReader();
  const parameters = ["STRING", "STRING", "STRING"] as const;
  return [
    defineFunction("lw_json_query", parameters, "STRING", (text, path, style) => {
      const found = query(text, read(path, style));
      return found === "null" ? null : found;
    }),
    defineFunction("lw_json_value", parameters, "STRING", (text, path, style) => value(text, read(path, style))),
    defineFunction("lw_json_query_array", parameters, "STRING[]", (text, path, style) =>
      queryArray(text, read(path, style)),
    ),
    defineFunction("lw_json_value_array", parameters, "STRING[]", (text, path, style) =>
      valueArray(text, read(path, style)),
    ),
    defineFunction("lw_json_query_lax", parameters, "STRING", (text, path, style) =>
      queryLax(text, path, () => read(path, style)),
    ),
  ];
}

export const jsonExtractFunctions: readonly ScalarFunction[] = createFunctions();
