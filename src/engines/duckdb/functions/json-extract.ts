/**
 * JSON_QUERY, JSON_VALUE and their kin. A constant path is read natively (a JSON Pointer finds what a JSONPath finds, and
 * costs about 0.1 us a row); a UDF takes over where DuckDB would rewrite a number, and where a text is malformed.
 */
import { type JsonPathStyle, parseJsonPath, toJsonPointer } from "../../../googlesql/json/json-path.ts";
import { quoteString, raiseError } from "../sql-text.ts";
import { computeOnce } from "./compute-once.ts";
import { literalOf } from "./literal-argument.ts";
import type { CallContext, PrintCall } from "./types.ts";

/** Numbers that DuckDB writes as they stand in a text: integers that are not minus zero. */
const PLAIN_INTEGER = "-?[1-9][0-9]*|0";
/** Canonical doubles that DuckDB writes as they are: without exponent, and none for which it would write or leave out one. */
const PLAIN_DOUBLE = String.raw`-?(0\.(0{0,3}[1-9][0-9]*|0)|[1-9][0-9]{0,14}\.[0-9]+)`;

export interface Extraction {
  /** The printed JSON value or text. */
  readonly value: string;
  /** A JSON value: canonical, and never malformed. */
  readonly isJson: boolean;
  readonly style: JsonPathStyle;
  /** The printed path; `'$'` when there is none. */
  readonly path: string;
  /** A JSON Pointer, where the path is constant. */
  readonly pointer: string | undefined;
}

function udf(name: string, { path, style }: Extraction, value: string): string {
  return `${name}(${value}, ${path}, '${style}')`;
}

/** What a STRING holds at the path: DuckDB's extraction where the text is well-formed, the UDF's where not. */
function lenient(
  extraction: Extraction,
  name: string,
  value: string,
  native: string,
  use: (found: string) => string,
): string {
  return computeOnce([`TRY(${native})`], "found", (found) => {
    const slow = udf(name, extraction, value);
    return `CASE WHEN ${found} IS NULL THEN (CASE WHEN json_valid(${value}) THEN NULL ELSE ${slow} END) ELSE ${use(found)} END`;
  });
}

/** A JSON scalar's text as it is printed by DuckDB, as a string. */
function unquote(found: string, numbers: string, slow: string): string {
  return (
    `CASE WHEN starts_with(${found}, '"') THEN json_extract_string(${found}, '$') ` +
    `WHEN regexp_full_match(${found}, ${quoteString(`${numbers}|true|false`)}) THEN ${found} ELSE ${slow} END`
  );
}

/** JSON_VALUE. */
export function scalarAt(extraction: Extraction): string {
  const { value, isJson, pointer } = extraction;
  if (pointer === undefined) return udf("lw_json_value", extraction, value);
  return computeOnce([value], "json", (v) => {
    const native = `json_value(${v}, ${quoteString(pointer)})`;
    const slow = udf("lw_json_value", extraction, v);
    if (!isJson) return lenient(extraction, "lw_json_value", v, native, (found) => unquote(found, PLAIN_INTEGER, slow));
    return computeOnce([native], "found", (found) => unquote(found, `${PLAIN_INTEGER}|${PLAIN_DOUBLE}`, slow));
  });
}

/** JSON_QUERY. A JSON null is NULL in a STRING, and itself in a JSON value. */
export function valueAt(extraction: Extraction): string {
  const { value, isJson, pointer } = extraction;
  if (isJson && pointer === "") return value;
  const whole = (query: string) => (isJson ? query : `nullif(${query}, 'null')`);
  if (pointer === undefined) return whole(udf("lw_json_query", extraction, value));
  return computeOnce([value], "json", (v) => {
    const native = `CAST(json_extract(${v}, ${quoteString(pointer)}) AS VARCHAR)`;
    const slow = udf("lw_json_query", extraction, v);
    if (!isJson) {
      // DuckDB writes numbers with a point or an exponent, NaN and infinities in its own way.
      const use = (found: string) =>
        `CASE WHEN regexp_matches(${found}, '[0-9][.eE]|-0|NaN|Inf') THEN ${slow} ELSE ${found} END`;
      return whole(lenient(extraction, "lw_json_query", v, native, use));
    }
    const isRewritten = String.raw`[0-9][eE]|[0-9]{16}|0\.0000`;
    return computeOnce(
      [native],
      "found",
      (found) => `CASE WHEN regexp_matches(${found}, '${isRewritten}') THEN ${slow} ELSE ${found} END`,
    );
  });
}

/** JSON_QUERY_ARRAY. */
export function arrayAt(extraction: Extraction): string {
  return udf("lw_json_query_array", extraction, extraction.value);
}

/** JSON_VALUE_ARRAY. */
export function scalarArrayAt(extraction: Extraction): string {
  return udf("lw_json_value_array", extraction, extraction.value);
}

const LAX_PATH = /^\s*(?:lax|recursive\s+lax)\s/i;

/** The call's value and path; throws where a constant path is no JSONPath. */
function readExtraction(context: CallContext, style: JsonPathStyle): Extraction {
  const [value = "", path = "'$'"] = context.args;
  const text = context.args[1] === undefined ? "$" : literalOf(context, 1);
  const pointer = text === undefined ? undefined : toJsonPointer(parseJsonPath(text, style));
  return { value, isJson: context.types[0]?.kind === "JSON", style, path, pointer };
}

/** A row of the function table. */
export function extractor(style: JsonPathStyle, print: (extraction: Extraction) => string): PrintCall {
  return (context) => {
    const path = literalOf(context, 1);
    if (print === valueAt && path !== undefined && LAX_PATH.test(path) && context.types[0]?.kind === "JSON") {
      return `lw_json_query_lax(${context.args[0]}, ${context.args[1]})`;
    }
    try {
      return print(readExtraction(context, style));
    } catch (error) {
      return raiseError(quoteString(error instanceof Error ? error.message : String(error)));
    }
  };
}
