/** JSON functions that change, build and look into JSON values, as DuckDB calls them. */
import { parseJson } from "../../values/json/json-parser.ts";
import { formatJson, type JsonValue } from "../../values/json/json-value.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
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

const PAIRS = ["STRING", "STRING[]", "STRING[]", "STRING", "BOOL"] as const;

export const jsonFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_json_set", PAIRS, "STRING", (text, paths, values, flags, creates) =>
    formatJson(setValues(text, pairsOf(paths, values, flags), creates)),
  ),
  defineFunction("lw_json_append", PAIRS, "STRING", (text, paths, values, flags, addsEach) =>
    formatJson(appendValues(text, pairsOf(paths, values, flags), addsEach)),
  ),
  defineFunction("lw_json_insert", PAIRS, "STRING", (text, paths, values, flags, addsEach) =>
    formatJson(insertValues(text, pairsOf(paths, values, flags), addsEach)),
  ),
  defineFunction("lw_json_remove", ["STRING", "STRING[]"], "STRING", (text, paths) =>
    formatJson(
      removeValues(
        text,
        paths.filter((path) => path !== null),
      ),
    ),
  ),
  defineFunction(
    "lw_json_strip_nulls",
    ["STRING", "STRING", "BOOL", "BOOL"],
    "STRING",
    (text, path, includesArrays, removesEmpty) => formatJson(stripNulls(text, path, { includesArrays, removesEmpty })),
  ),
  defineFunction("lw_json_object", ["STRING[]", "STRING[]"], "STRING", objectOf),
  defineFunction("lw_json_keys", ["STRING", "INT64", "STRING"], "STRING[]", keysOf),
  defineFunction("lw_json_flatten", ["STRING"], "STRING[]", flatten),
  defineFunction("lw_json_contains", ["STRING", "STRING"], "BOOL", containsJson),
  defineFunction("lw_json_texts", ["STRING", "STRING"], "STRING[]", (text, scope) =>
    searchableTexts(text, jsonScope(scope)),
  ),
  defineFunction("lw_json_pretty", ["STRING"], "STRING", prettyText),
];
