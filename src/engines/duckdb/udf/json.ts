/** JSON functions that change, build and look into JSON values, as DuckDB calls them. */
import { parseJson } from "../../../googlesql/json/json-parser.ts";
import { formatJson, type JsonValue } from "../../../googlesql/json/json-value.ts";
import { appendValues, insertValues, type PathValue, removeValues, setValues, stripNulls } from "./json-edit.ts";
import {
  containsJson,
  flatten,
  type JsonScope,
  type KeysMode,
  memberPaths,
  prettyText,
  searchableTexts,
} from "./json-inspect.ts";
import { defineUdf, type ScalarUdf } from "./udf.ts";

type Texts = readonly (string | null)[];

/** Pairs whose path is NULL are left out. `arrayFlags` has one character a pair, `1` where the value is a SQL array. */
function pairsOf(paths: Texts, values: Texts, arrayFlags: string): readonly PathValue[] {
  return paths.flatMap((path, index) =>
    path === null
      ? []
      : [{ path, value: parseJson(values[index] ?? "null", "round"), isArray: arrayFlags[index] === "1" }],
  );
}

function objectOf(keys: Texts, values: Texts): string {
  if (keys.length !== values.length) throw new Error("JSON_OBJECT: the number of keys and values must match");
  const members = new Map<string, JsonValue>();
  for (const [index, key] of keys.entries()) {
    if (key === null) throw new Error("JSON_OBJECT: a key cannot be NULL");
    if (!members.has(key)) members.set(key, parseJson(values[index] ?? "null", "round"));
  }
  return formatJson(members);
}

function keysMode(mode: string): KeysMode {
  const name = mode.toLowerCase();
  if (name === "strict" || name === "lax" || name === "lax recursive") return name;
  throw new Error(`JSON_KEYS: invalid mode '${mode}'; expected 'strict', 'lax' or 'lax recursive'`);
}

function keysOf(text: string, maxDepth: bigint, mode: string): readonly string[] {
  if (maxDepth <= 0n) throw new Error("JSON_KEYS: max_depth must be positive");
  return memberPaths(text, Number(maxDepth), keysMode(mode));
}

function jsonScope(scope: string): JsonScope {
  if (scope === "JSON_VALUES" || scope === "JSON_KEYS" || scope === "JSON_KEYS_AND_VALUES") return scope;
  throw new Error(`CONTAINS_SUBSTR: invalid json_scope '${scope}'`);
}

const PAIRS = ["VARCHAR", "VARCHAR[]", "VARCHAR[]", "VARCHAR", "BOOLEAN"] as const;

export const jsonUdfs: readonly ScalarUdf[] = [
  defineUdf("lw_json_set", PAIRS, "VARCHAR", (text, paths, values, flags, creates) =>
    formatJson(setValues(text, pairsOf(paths, values, flags), creates)),
  ),
  defineUdf("lw_json_append", PAIRS, "VARCHAR", (text, paths, values, flags, addsEach) =>
    formatJson(appendValues(text, pairsOf(paths, values, flags), addsEach)),
  ),
  defineUdf("lw_json_insert", PAIRS, "VARCHAR", (text, paths, values, flags, addsEach) =>
    formatJson(insertValues(text, pairsOf(paths, values, flags), addsEach)),
  ),
  defineUdf("lw_json_remove", ["VARCHAR", "VARCHAR[]"], "VARCHAR", (text, paths) =>
    formatJson(
      removeValues(
        text,
        paths.filter((path) => path !== null),
      ),
    ),
  ),
  defineUdf(
    "lw_json_strip_nulls",
    ["VARCHAR", "VARCHAR", "BOOLEAN", "BOOLEAN"],
    "VARCHAR",
    (text, path, includesArrays, removesEmpty) => formatJson(stripNulls(text, path, { includesArrays, removesEmpty })),
  ),
  defineUdf("lw_json_object", ["VARCHAR[]", "VARCHAR[]"], "VARCHAR", objectOf),
  defineUdf("lw_json_keys", ["VARCHAR", "BIGINT", "VARCHAR"], "VARCHAR[]", keysOf),
  defineUdf("lw_json_flatten", ["VARCHAR"], "VARCHAR[]", flatten),
  defineUdf("lw_json_contains", ["VARCHAR", "VARCHAR"], "BOOLEAN", containsJson),
  defineUdf("lw_json_texts", ["VARCHAR", "VARCHAR"], "VARCHAR[]", (text, scope) =>
    searchableTexts(text, jsonScope(scope)),
  ),
  defineUdf("lw_json_pretty", ["VARCHAR"], "VARCHAR", prettyText),
];
