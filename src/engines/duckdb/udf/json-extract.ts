/** JSON_QUERY, JSON_VALUE and their kin, where DuckDB's own extraction does not do: paths that are not constant, malformed texts, numbers it would rewrite. */

import { parseJson } from "../../../googlesql/json/json-parser.ts";
import { type JsonPathStep, parseJsonPath } from "../../../googlesql/json/json-path.ts";
import { formatJson, isJsonArray, isJsonObject, type JsonValue } from "../../../googlesql/json/json-value.ts";
import { compactText, elementSpans, findSpan, scalarText } from "./json-scan.ts";
import { defineUdf, type ScalarUdf } from "./udf.ts";

function pathOf(path: string, style: string): readonly JsonPathStep[] {
  return parseJsonPath(path, style === "legacy" ? "legacy" : "standard");
}

function query(text: string, path: string, style: string): string | null {
  const span = findSpan(text, pathOf(path, style));
  return span === undefined ? null : (compactText(text, span) ?? null);
}

function value(text: string, path: string, style: string): string | null {
  const span = findSpan(text, pathOf(path, style));
  return span === undefined ? null : (scalarText(text, span) ?? null);
}

function queryArray(text: string, path: string, style: string): readonly string[] | null {
  const span = findSpan(text, pathOf(path, style));
  const elements = span === undefined ? undefined : elementSpans(text, span);
  return elements?.map((element) => compactText(text, element) ?? "null") ?? null;
}

/** NULL for a JSON null; no array at all where an element is an array or object. */
function valueArray(text: string, path: string, style: string): readonly (string | null)[] | null {
  const span = findSpan(text, pathOf(path, style));
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

/** What a lax path finds: a member is looked for in the elements of an array too, and `[0]` of what is no array is the value itself. */
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

function queryLax(text: string, path: string): string | null {
  const prefix = LAX_PATH.exec(path)?.[0];
  if (prefix === undefined) throw new Error("JSONPath must start with '$', 'lax $' or 'lax recursive $'");
  const steps = parseJsonPath(path.slice(prefix.length), "standard");
  return formatJson(findLax(parseJson(text, "round"), steps, /recursive/i.test(prefix)));
}

export const jsonExtractUdfs: readonly ScalarUdf[] = [
  defineUdf("lw_json_query", ["VARCHAR", "VARCHAR", "VARCHAR"], "VARCHAR", query),
  defineUdf("lw_json_value", ["VARCHAR", "VARCHAR", "VARCHAR"], "VARCHAR", value),
  defineUdf("lw_json_query_array", ["VARCHAR", "VARCHAR", "VARCHAR"], "VARCHAR[]", queryArray),
  defineUdf("lw_json_value_array", ["VARCHAR", "VARCHAR", "VARCHAR"], "VARCHAR[]", valueArray),
  defineUdf("lw_json_query_lax", ["VARCHAR", "VARCHAR"], "VARCHAR", queryLax),
];
