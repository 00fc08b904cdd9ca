/** JSON functions. A JSON value is its canonical text, a VARCHAR. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { toJsonPointer } from "../../../../values/json/json-path.ts";
import { FALSE, listSql, NULL, nameSql, numberSql, TRUE, textSql, variableSql } from "../../sql/atoms.ts";
import { callSql, lambda, mapList, raiseText } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable, PrintCall } from "../types.ts";
import { literalOf } from "../types.ts";
import { udfList, udfTexts } from "../udf-list.ts";
import { jsonText } from "./json-encode.ts";
import { arrayAt, extractor, scalarArrayAt, scalarAt, valueAt } from "./json-extract.ts";

const VALUE = { target: "value" } as const;
const ROOT = textSql("$");

function typeAt({ types }: CallContext, index: number): SqlType {
  return types[index] ?? { kind: "UNKNOWN" };
}

function toJson(context: CallContext): Sql {
  const [value = EMPTY, stringifyWide] = context.args;
  const type = typeAt(context, 0);
  const encoding =
    stringifyWide === undefined ? VALUE : { ...VALUE, stringifyWide: sql`coalesce(${stringifyWide}, false)` };
  const text = jsonText(type, value, encoding);
  return stringifyWide === undefined || typeof stringifyWide.value === "boolean"
    ? text
    : sql`CASE WHEN ${stringifyWide} IS NOT NULL THEN ${text} END`;
}

function toJsonString(context: CallContext): Sql {
  const [value = EMPTY, isPretty] = context.args;
  const text = jsonText(typeAt(context, 0), value, { target: "text" });
  if (isPretty === undefined) return text;
  return computeOnce(
    [text],
    "compact",
    (t) => sql`CASE WHEN ${isPretty} THEN lw_json_pretty(${t}) WHEN ${isPretty} IS NOT NULL THEN ${t} END`,
  );
}

/**
 * `json[n]` of an array, `json['name']` and `json.name` of an object; NULL where there is no such element or member.
 */
function subscript({ args: [value = EMPTY, key = EMPTY], types, call }: CallContext): Sql {
  const isIndex = types[1]?.kind === "INT64";
  const literal = "arguments" in call ? call.arguments[1] : undefined;
  const text = literal?.kind === "Literal" ? literal.value : null;
  const path = isIndex ? sql`concat('$[', ${key}, ']')` : sql`concat('$."', replace(${key}, '"', '\\"'), '"')`;
  return computeOnce([value], "json", (v) => {
    const pointer = text === null ? undefined : toJsonPointer([{ key: text, isIndex }]);
    const found = valueAt({ value: v, isJson: true, style: "standard", path, pointer });
    return sql`CASE WHEN starts_with(${v}, ${textSql(isIndex ? "[" : "{")}) AND ${key} IS NOT NULL THEN ${found} END`;
  });
}

/** JSON_SET and the like: pairs of path and value after the first argument, then an option. */
function mutator(udf: string): PrintCall {
  return (context) => {
    const { args, types, call } = context;
    const hasOption = args.length % 2 === 0;
    const last = hasOption ? args.length - 1 : args.length;
    const option = hasOption ? (args[last] ?? TRUE) : TRUE;
    const paths: Sql[] = [];
    const values: Sql[] = [];
    let flags = "";
    for (let index = 1; index < last; index += 2) {
      const type = typeAt(context, index);
      if (type.kind !== "STRING" && type.kind !== "UNKNOWN")
        return raiseText(`${call.function}: argument ${index + 1} must be a JSONPath`);
      paths.push(args[index] ?? NULL);
      values.push(jsonText(typeAt(context, index + 1), args[index + 1] ?? NULL, VALUE));
      flags += types[index + 1]?.kind === "ARRAY" ? "1" : "0";
    }
    return computeOnce([args[0] ?? EMPTY, option], "mutate", (json = EMPTY, isOn = EMPTY) => {
      const changed = sql`${nameSql(udf)}(${json}, ${udfTexts(paths)}, ${udfTexts(values)}, ${textSql(flags)}, ${isOn})`;
      return sql`CASE WHEN ${isOn} IS NULL THEN ${json} ELSE ${changed} END`;
    });
  };
}

function remove({ args: [json = EMPTY, ...paths] }: CallContext): Sql {
  return sql`lw_json_remove(${json}, ${udfTexts(paths)})`;
}

function stripNulls({
  args: [json = EMPTY, path = ROOT, includesArrays = TRUE, removesEmpty = FALSE],
}: CallContext): Sql {
  return computeOnce(
    [json],
    "json",
    (v) => sql`coalesce(lw_json_strip_nulls(${v}, ${path}, ${includesArrays}, ${removesEmpty}), ${v})`,
  );
}

function jsonArray(context: CallContext): Sql {
  const items = context.args.map((arg, index) => jsonText(typeAt(context, index), arg, VALUE));
  return listSql("[", items, ",", "]");
}

function jsonObject(context: CallContext): Sql {
  const { args } = context;
  if (args.length === 0) return textSql("{}");
  const values = typeAt(context, 1);
  if (typeAt(context, 0).kind === "ARRAY") {
    const element = values.kind === "ARRAY" ? values.element : values;
    const list = mapList(args[1] ?? EMPTY, "lw_value", jsonText(element, variableSql("lw_value"), VALUE));
    return computeOnce([args[0] ?? EMPTY, list], "object", (keys = EMPTY, items = EMPTY) => {
      return sql`
        CASE WHEN ${keys} IS NULL OR ${items} IS NULL THEN
        ${raiseText("JSON_OBJECT: the arrays of keys and values must not be NULL")}
        ELSE lw_json_object(${udfList(keys)}, ${udfList(items)}) END
      `;
    });
  }
  const keys = args.filter((_, index) => index % 2 === 0);
  const items = keys.map((_, index) => jsonText(typeAt(context, index * 2 + 1), args[index * 2 + 1] ?? NULL, VALUE));
  return sql`lw_json_object(${udfTexts(keys)}, ${udfTexts(items)})`;
}

function toBool({ args: [value = EMPTY] }: CallContext): Sql {
  return computeOnce([value], "json", (v) => {
    const otherwise = sql`CASE WHEN ${v} IS NOT NULL THEN ${raiseText("The provided JSON input is not a boolean")} END`;
    return sql`CASE ${v} WHEN 'true' THEN true WHEN 'false' THEN false ELSE ${otherwise} END`;
  });
}

function toText({ args: [value = EMPTY] }: CallContext): Sql {
  return computeOnce([value], "json", (v) => {
    return sql`
      CASE WHEN starts_with(${v}, '"') THEN json_extract_string(${v}, '$') WHEN ${v} IS NOT NULL
      THEN ${raiseText("The provided JSON input is not a string")} END
    `;
  });
}

function toInt64({ args: [value = EMPTY] }: CallContext): Sql {
  return computeOnce(
    [value],
    "json",
    (v) =>
      sql`CASE WHEN regexp_full_match(${v}, '-?[0-9]{1,18}') THEN CAST(${v} AS BIGINT) ELSE lw_json_int64(${v}) END`,
  );
}

function toFloat64(context: CallContext): Sql {
  const [value = EMPTY, mode = textSql("round")] = context.args;
  if (context.args[1] !== undefined && literalOf(context, 1) !== "round")
    return sql`lw_json_float64(${value}, ${mode})`;
  const number = String.raw`-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?`;
  return computeOnce(
    [value],
    "json",
    (v) =>
      sql`
      CASE WHEN regexp_full_match(${v}, ${textSql(number)}) THEN CAST(${v} AS DOUBLE)
      ELSE lw_json_float64(${v}, ${mode}) END
    `,
  );
}

const TYPE_NAMES = sql`MAP {'"': 'string', '{': 'object', '[': 'array', 't': 'boolean', 'f': 'boolean', 'n': 'null'}`;

function jsonType({ args: [value = EMPTY] }: CallContext): Sql {
  return computeOnce(
    [value],
    "json",
    (v) => sql`CASE WHEN ${v} IS NOT NULL THEN coalesce(${TYPE_NAMES}[left(${v}, 1)], 'number') END`,
  );
}

/** A UDF of the arguments; those that are absent have defaults. */
function udf(name: string, ...defaults: readonly Sql[]): PrintCall {
  return ({ args: [value = EMPTY, ...rest] }) =>
    callSql(name, [value, ...defaults.map((text, index) => rest[index] ?? text)]);
}

/** A UDF that answers 1 for true and 0 for false. */
function boolUdf(name: string): PrintCall {
  return ({ args }) => sql`(${nameSql(name)}(${args[0] ?? EMPTY}) = 1)`;
}

function boolListUdf(name: string): PrintCall {
  return ({ args }) =>
    sql`list_transform(${nameSql(name)}(${args[0] ?? EMPTY}), ${lambda(variableSql("lw_flag"), sql`lw_flag = 1`)})`;
}

function keys({ args: [value = EMPTY, maxDepth, mode = textSql("strict")] }: CallContext): Sql {
  return sql`lw_json_keys(${value}, ${maxDepth === undefined ? numberSql(1000) : sql`coalesce(${maxDepth}, 1000)`}, ${mode})`;
}

/** JSON functions by their catalogue names. */
export const jsonFunctions: FunctionTable = {
  $json_subscript: subscript,
  BOOL: toBool,
  BOOL_ARRAY: boolListUdf("lw_json_bool_array"),
  FLOAT64: toFloat64,
  FLOAT64_ARRAY: udf("lw_json_float64_array", textSql("round")),
  INT64: toInt64,
  INT64_ARRAY: udf("lw_json_int64_array"),
  JSON_ARRAY: jsonArray,
  JSON_ARRAY_APPEND: mutator("lw_json_append"),
  JSON_ARRAY_INSERT: mutator("lw_json_insert"),
  JSON_CONTAINS: ({ args }) => sql`lw_json_contains(${args[0] ?? EMPTY}, ${args[1] ?? EMPTY})`,
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
  PARSE_JSON: udf("lw_parse_json", textSql("exact")),
  STRING: toText,
  STRING_ARRAY: udf("lw_json_string_array"),
  TO_JSON: toJson,
  TO_JSON_STRING: toJsonString,
};
