/** JSON functions. A JSON value is its canonical text, a VARCHAR. */
import { toJsonPointer } from "../../../../googlesql/json/json-path.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { quoteString, raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import { literalOf } from "../literal-argument.ts";
import type { CallContext, FunctionTable, PrintCall } from "../types.ts";
import { udfList, udfTexts } from "../udf-list.ts";
import { jsonText } from "./json-encode.ts";
import { arrayAt, extractor, scalarArrayAt, scalarAt, valueAt } from "./json-extract.ts";

const VALUE = { target: "value" } as const;
const ROOT = "'$'";

function fail(message: string): string {
  return raiseError(quoteString(message));
}

function typeAt({ types }: CallContext, index: number): SqlType {
  return types[index] ?? { kind: "UNKNOWN" };
}

function toJson(context: CallContext): string {
  const [value = "", stringifyWide] = context.args;
  const type = typeAt(context, 0);
  const encoding =
    stringifyWide === undefined ? VALUE : { ...VALUE, stringifyWide: `coalesce(${stringifyWide}, false)` };
  const text = jsonText(type, value, encoding);
  return stringifyWide === undefined || stringifyWide === "true" || stringifyWide === "false"
    ? text
    : `CASE WHEN ${stringifyWide} IS NOT NULL THEN ${text} END`;
}

function toJsonString(context: CallContext): string {
  const [value = "", isPretty] = context.args;
  const text = jsonText(typeAt(context, 0), value, { target: "text" });
  if (isPretty === undefined) return text;
  return computeOnce(
    [text],
    "compact",
    (t) => `CASE WHEN ${isPretty} THEN lw_json_pretty(${t}) WHEN ${isPretty} IS NOT NULL THEN ${t} END`,
  );
}

/**
 * `json[n]` of an array, `json['name']` and `json.name` of an object; NULL where there is no such element or member.
 */
function subscript({ args: [value = "", key = ""], types, call }: CallContext): string {
  const isIndex = types[1]?.kind === "INT64";
  const literal = "arguments" in call ? call.arguments[1] : undefined;
  const text = literal?.kind === "Literal" ? literal.value : null;
  const path = isIndex ? `concat('$[', ${key}, ']')` : `concat('$."', replace(${key}, '"', '\\"'), '"')`;
  return computeOnce([value], "json", (v) => {
    const pointer = text === null ? undefined : toJsonPointer([{ key: text, isIndex }]);
    const found = valueAt({ value: v, isJson: true, style: "standard", path, pointer });
    return `CASE WHEN starts_with(${v}, '${isIndex ? "[" : "{"}') AND ${key} IS NOT NULL THEN ${found} END`;
  });
}

/** JSON_SET and the like: pairs of path and value behind the first argument, an option behind them. */
function mutator(udf: string): PrintCall {
  return (context) => {
    const { args, types, call } = context;
    const hasOption = args.length % 2 === 0;
    const last = hasOption ? args.length - 1 : args.length;
    const option = hasOption ? (args[last] ?? "true") : "true";
    const paths: string[] = [];
    const values: string[] = [];
    let flags = "";
    for (let index = 1; index < last; index += 2) {
      const type = typeAt(context, index);
      if (type.kind !== "STRING" && type.kind !== "UNKNOWN")
        return fail(`${call.function}: argument ${index + 1} must be a JSONPath`);
      paths.push(args[index] ?? "NULL");
      values.push(jsonText(typeAt(context, index + 1), args[index + 1] ?? "NULL", VALUE));
      flags += types[index + 1]?.kind === "ARRAY" ? "1" : "0";
    }
    return computeOnce([args[0] ?? "", option], "mutate", (json = "", isOn = "") => {
      const changed = `${udf}(${json}, ${udfTexts(paths)}, ${udfTexts(values)}, '${flags}', ${isOn})`;
      return `CASE WHEN ${isOn} IS NULL THEN ${json} ELSE ${changed} END`;
    });
  };
}

function remove({ args: [json = "", ...paths] }: CallContext): string {
  return `lw_json_remove(${json}, ${udfTexts(paths)})`;
}

function stripNulls({
  args: [json = "", path = ROOT, includesArrays = "true", removesEmpty = "false"],
}: CallContext): string {
  return computeOnce(
    [json],
    "json",
    (v) => `coalesce(lw_json_strip_nulls(${v}, ${path}, ${includesArrays}, ${removesEmpty}), ${v})`,
  );
}

function jsonArray(context: CallContext): string {
  const items = context.args.map((arg, index) => jsonText(typeAt(context, index), arg, VALUE));
  return items.length === 0 ? "'[]'" : `('[' || ${items.join(" || ',' || ")} || ']')`;
}

function jsonObject(context: CallContext): string {
  const { args } = context;
  if (args.length === 0) return "'{}'";
  const values = typeAt(context, 1);
  if (typeAt(context, 0).kind === "ARRAY") {
    const element = values.kind === "ARRAY" ? values.element : values;
    const list = `list_transform(${args[1]}, lambda lw_value: ${jsonText(element, "lw_value", VALUE)})`;
    return computeOnce([args[0] ?? "", list], "object", (keys = "", items = "") => {
      return (
        `CASE WHEN ${keys} IS NULL OR ${items} IS NULL THEN ` +
        `${fail("JSON_OBJECT: the arrays of keys and values must not be NULL")} ` +
        `ELSE lw_json_object(${udfList(keys)}, ${udfList(items)}) END`
      );
    });
  }
  if (args.length % 2 === 1) return fail("JSON_OBJECT: every key needs a value");
  const keys = args.filter((_, index) => index % 2 === 0);
  const wrong = keys.findIndex((_, index) => !["STRING", "UNKNOWN"].includes(typeAt(context, index * 2).kind));
  if (wrong !== -1) return fail(`JSON_OBJECT: key ${wrong + 1} must be a STRING`);
  const items = keys.map((_, index) => jsonText(typeAt(context, index * 2 + 1), args[index * 2 + 1] ?? "NULL", VALUE));
  return `lw_json_object(${udfTexts(keys)}, ${udfTexts(items)})`;
}

function toBool({ args: [value = ""] }: CallContext): string {
  return computeOnce([value], "json", (v) => {
    const otherwise = `CASE WHEN ${v} IS NOT NULL THEN ${fail("The provided JSON input is not a boolean")} END`;
    return `CASE ${v} WHEN 'true' THEN true WHEN 'false' THEN false ELSE ${otherwise} END`;
  });
}

/** STRING of a JSON value. */
export function jsonToString(value: string): string {
  return computeOnce([value], "json", (v) => {
    return (
      `CASE WHEN starts_with(${v}, '"') THEN json_extract_string(${v}, '$') WHEN ${v} IS NOT NULL ` +
      `THEN ${fail("The provided JSON input is not a string")} END`
    );
  });
}

function toInt64({ args: [value = ""] }: CallContext): string {
  return computeOnce(
    [value],
    "json",
    (v) => `CASE WHEN regexp_full_match(${v}, '-?[0-9]{1,18}') THEN CAST(${v} AS BIGINT) ELSE lw_json_int64(${v}) END`,
  );
}

function toFloat64(context: CallContext): string {
  const [value = "", mode = "'round'"] = context.args;
  if (context.args[1] !== undefined && literalOf(context, 1) !== "round") return `lw_json_float64(${value}, ${mode})`;
  const number = String.raw`-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?`;
  return computeOnce(
    [value],
    "json",
    (v) =>
      `CASE WHEN regexp_full_match(${v}, '${number}') THEN CAST(${v} AS DOUBLE) ` +
      `ELSE lw_json_float64(${v}, ${mode}) END`,
  );
}

const TYPE_NAMES = `MAP {'"': 'string', '{': 'object', '[': 'array', 't': 'boolean', 'f': 'boolean', 'n': 'null'}`;

function jsonType({ args: [value = ""] }: CallContext): string {
  return computeOnce(
    [value],
    "json",
    (v) => `CASE WHEN ${v} IS NOT NULL THEN coalesce(${TYPE_NAMES}[left(${v}, 1)], 'number') END`,
  );
}

/** A UDF of the arguments; those that are absent have defaults. */
function udf(name: string, ...defaults: readonly string[]): PrintCall {
  return ({ args: [value = "", ...rest] }) =>
    `${name}(${[value, ...defaults.map((text, index) => rest[index] ?? text)].join(", ")})`;
}

/** A UDF that answers 1 for true and 0 for false. */
function boolUdf(name: string): PrintCall {
  return ({ args }) => `(${name}(${args[0]}) = 1)`;
}

function boolListUdf(name: string): PrintCall {
  return ({ args }) => `list_transform(${name}(${args[0]}), lambda lw_flag: lw_flag = 1)`;
}

function keys({ args: [value = "", maxDepth, mode = "'strict'"] }: CallContext): string {
  return `lw_json_keys(${value}, ${maxDepth === undefined ? "1000" : `coalesce(${maxDepth}, 1000)`}, ${mode})`;
}

/** JSON functions by their catalogue names. */
export const jsonFunctions: FunctionTable = {
  $json_subscript: subscript,
  BOOL: toBool,
  BOOL_ARRAY: boolListUdf("lw_json_bool_array"),
  FLOAT64: toFloat64,
  FLOAT64_ARRAY: udf("lw_json_float64_array", "'round'"),
  INT64: toInt64,
  INT64_ARRAY: udf("lw_json_int64_array"),
  JSON_ARRAY: jsonArray,
  JSON_ARRAY_APPEND: mutator("lw_json_append"),
  JSON_ARRAY_INSERT: mutator("lw_json_insert"),
  JSON_CONTAINS: ({ args }) => `lw_json_contains(${args[0]}, ${args[1]})`,
  JSON_EXTRACT: extractor("legacy", valueAt),
  JSON_EXTRACT_ARRAY: extractor("legacy", arrayAt),
  JSON_EXTRACT_SCALAR: extractor("legacy", scalarAt),
  JSON_EXTRACT_STRING_ARRAY: extractor("legacy", scalarArrayAt),
  JSON_FLATTEN: udf("lw_json_flatten"),
  JSON_KEYS: keys,
  JSON_OBJECT: jsonObject,
  JSON_QUERY: extractor("standard", valueAt),
  JSON_QUERY_ARRAY: extractor("standard", arrayAt),
  JSON_REMOVE: remove,
  JSON_SET: mutator("lw_json_set"),
  JSON_STRIP_NULLS: stripNulls,
  JSON_TYPE: jsonType,
  JSON_VALUE: extractor("standard", scalarAt),
  JSON_VALUE_ARRAY: extractor("standard", scalarArrayAt),
  LAX_BOOL: boolUdf("lw_json_lax_bool"),
  LAX_BOOL_ARRAY: boolListUdf("lw_json_lax_bool_array"),
  LAX_FLOAT64: udf("lw_json_lax_float64"),
  LAX_FLOAT64_ARRAY: udf("lw_json_lax_float64_array"),
  LAX_INT64: udf("lw_json_lax_int64"),
  LAX_INT64_ARRAY: udf("lw_json_lax_int64_array"),
  LAX_STRING: udf("lw_json_lax_string"),
  LAX_STRING_ARRAY: udf("lw_json_lax_string_array"),
  PARSE_JSON: udf("lw_parse_json", "'exact'"),
  STRING_ARRAY: udf("lw_json_string_array"),
  TO_JSON: toJson,
  TO_JSON_STRING: toJsonString,
};
