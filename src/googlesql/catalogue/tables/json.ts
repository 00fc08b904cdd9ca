import { type FunctionDefinition, NEVER_FAILS } from "../types.ts";

function define(name: string, summary: string, signatures: readonly string[]): FunctionDefinition {
  return { name, kind: "scalar", signatures, area: "json", summary };
}

/** Defines a function that takes any value. */
function lax(name: string, summary: string, ...signatures: readonly string[]): FunctionDefinition {
  return { ...define(name, summary, signatures), ...NEVER_FAILS };
}

/** Defines a function of a JSON value, or of a JSON text; `R` is the argument's type in the result. */
function extractor(name: string, summary: string, result: string): FunctionDefinition {
  const signature = (type: string) => `(${type}, [STRING]) -> ${result.replace(/\bR\b/, type)}`;
  const facts = { readsMixedAs: "json", fallibility: [1] } as const;
  return { ...define(name, summary, [signature("JSON"), signature("STRING")]), ...facts };
}

const QUOTED = "paths quote other characters as";
const QUERY = `The value at a path, as JSON; ${QUOTED}`;
const VALUE = `The string, number or boolean at a path, as a string; ${QUOTED}`;
const ELEMENTS = "The elements of the array at a path, as";
const STANDARD = '$."a.b"';
const LEGACY = "$['a.b']";

/** JSON functions of the reference. */
export const jsonFunctions: readonly FunctionDefinition[] = [
  define("BOOL", "A JSON boolean as BOOL; an error for anything else", ["(JSON) -> BOOL"]),
  define("BOOL_ARRAY", "A JSON array of booleans as an array", ["(JSON) -> ARRAY<BOOL>"]),
  define("FLOAT64", "A JSON number as FLOAT64; an error for anything else", [
    "(JSON, [wide_number_mode => STRING]) -> FLOAT64",
  ]),
  define("FLOAT64_ARRAY", "A JSON array of numbers as an array", [
    "(JSON, [wide_number_mode => STRING]) -> ARRAY<FLOAT64>",
  ]),
  define("INT64", "A JSON number without fraction as INT64; an error for anything else", ["(JSON) -> INT64"]),
  define("INT64_ARRAY", "A JSON array of numbers without fraction as an array", ["(JSON) -> ARRAY<INT64>"]),
  define("JSON_ARRAY", "A JSON array from values", ["(ANY...) -> JSON"]),
  define("JSON_ARRAY_APPEND", "Values appended to arrays at paths", [
    "(JSON, STRING, ANY, STRING..., ANY..., [append_each_element => BOOL]) -> JSON",
  ]),
  define("JSON_ARRAY_INSERT", "Values inserted into arrays at paths", [
    "(JSON, STRING, ANY, STRING..., ANY..., [insert_each_element => BOOL]) -> JSON",
  ]),
  lax("JSON_CONTAINS", "Whether one JSON value contains another", "(JSON, JSON) -> BOOL"),
  extractor("JSON_EXTRACT", `${QUERY} ${LEGACY}`, "R"),
  extractor("JSON_EXTRACT_ARRAY", `${ELEMENTS} JSON; ${QUOTED} ${LEGACY}`, "ARRAY<R>"),
  extractor("JSON_EXTRACT_SCALAR", `${VALUE} ${LEGACY}`, "STRING"),
  extractor("JSON_EXTRACT_STRING_ARRAY", `${ELEMENTS} strings; ${QUOTED} ${LEGACY}`, "ARRAY<STRING>"),
  lax("JSON_FLATTEN", "The values of an array and of its nested arrays", "(JSON) -> ARRAY<JSON>"),
  define("JSON_KEYS", "The paths of all members, sorted", ["(JSON, [INT64], [mode => STRING]) -> ARRAY<STRING>"]),
  define("JSON_OBJECT", "A JSON object from keys and values", [
    "() -> JSON",
    "(ARRAY<STRING>, ARRAY<T>) -> JSON",
    "(STRING, ANY, STRING..., ANY...) -> JSON",
  ]),
  extractor("JSON_QUERY", `${QUERY} ${STANDARD}`, "R"),
  extractor("JSON_QUERY_ARRAY", `${ELEMENTS} JSON; ${QUOTED} ${STANDARD}`, "ARRAY<R>"),
  define("JSON_REMOVE", "Without the values at paths", ["(JSON, STRING, STRING...) -> JSON"]),
  define("JSON_SET", "With values set at paths", [
    "(JSON, STRING, ANY, STRING..., ANY..., [create_if_missing => BOOL]) -> JSON",
  ]),
  define("JSON_STRIP_NULLS", "Without nulls", [
    "(JSON, [STRING], [include_arrays => BOOL], [remove_empty => BOOL]) -> JSON",
  ]),
  lax("JSON_TYPE", "object, array, string, number, boolean or null", "(JSON) -> STRING"),
  extractor("JSON_VALUE", `${VALUE} ${STANDARD}`, "STRING"),
  extractor("JSON_VALUE_ARRAY", `${ELEMENTS} strings; ${QUOTED} ${STANDARD}`, "ARRAY<STRING>"),
  lax("LAX_BOOL", "A JSON boolean, number or string as BOOL; NULL if that is impossible", "(JSON) -> BOOL"),
  lax("LAX_BOOL_ARRAY", "A JSON array as an array of BOOL, each element as by LAX_BOOL", "(JSON) -> ARRAY<BOOL>"),
  lax("LAX_FLOAT64", "A JSON number or string as FLOAT64; NULL if that is impossible", "(JSON) -> FLOAT64"),
  lax(
    "LAX_FLOAT64_ARRAY",
    "A JSON array as an array of FLOAT64, each element as by LAX_FLOAT64",
    "(JSON) -> ARRAY<FLOAT64>",
  ),
  lax("LAX_INT64", "A JSON number, boolean or string as INT64; NULL if that is impossible", "(JSON) -> INT64"),
  lax("LAX_INT64_ARRAY", "A JSON array as an array of INT64, each element as by LAX_INT64", "(JSON) -> ARRAY<INT64>"),
  lax("LAX_STRING", "A JSON string, number or boolean as STRING; NULL for anything else", "(JSON) -> STRING"),
  lax(
    "LAX_STRING_ARRAY",
    "A JSON array as an array of STRING, each element as by LAX_STRING",
    "(JSON) -> ARRAY<STRING>",
  ),
  define("PARSE_JSON", "A JSON value from its text", ["(STRING, [wide_number_mode => STRING]) -> JSON"]),
  define("STRING_ARRAY", "A JSON array of strings as an array", ["(JSON) -> ARRAY<STRING>"]),
  define("TO_JSON", "A value as JSON", ["(ANY, [stringify_wide_numbers => BOOL]) -> JSON"]),
  lax(
    "TO_JSON_STRING",
    "A value as JSON text, on several lines if the second argument is true",
    "(ANY, [BOOL]) -> STRING",
  ),
];
