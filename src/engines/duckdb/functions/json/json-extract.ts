/**
 * JSON_QUERY, JSON_VALUE and their kin. A constant path is read natively (a JSON Pointer finds what a JSONPath finds,
 * and costs about 0.1 us a row); a UDF takes over where DuckDB would rewrite a number, and where a text is malformed.
 */
import { type JsonPathStyle, parseJsonPath, toJsonPointer } from "../../../../googlesql/json/json-path.ts";
import { bindOnce, boundName, quoteString, raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import { literalOf } from "../literal-argument.ts";
import type { CallContext, PrintCall } from "../types.ts";

const VARIABLE = "lw_found";
const FOUND = boundName(VARIABLE);

/** Behind what a number of a compact JSON text stands. */
const BEFORE_NUMBER = String.raw`(^|[\[:,])-?`;
/**
 * A number that DuckDB may write in another way than it is written: with a point or an exponent, or none of JSON at
 * all.
 */
const REWRITTEN_TEXT = `${BEFORE_NUMBER}([0-9]+[.eE]|NaN|Inf)`;
/** A canonical double that DuckDB writes in another way: very large or very small. */
const REWRITTEN_CANONICAL = String.raw`${BEFORE_NUMBER}([0-9]+(\.[0-9]+)?e|[0-9]{16,}\.|0\.0000)`;
/** The same for a number alone, which a string may look like. */
const DECIMAL_TEXT = String.raw`-?[0-9]+(\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)`;
const DECIMAL_CANONICAL = String.raw`-?([0-9]+(\.[0-9]+)?e.*|[0-9]{16,}\.0|0\.0000[0-9]*)`;

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

/** JSON_VALUE. */
export function scalarAt(extraction: Extraction): string {
  const { value, isJson, pointer } = extraction;
  if (pointer === undefined) return udf("lw_json_value", extraction, value);
  const at = quoteString(pointer);
  return computeOnce([value], "json", (v) => {
    const slow = udf("lw_json_value", extraction, v);
    const native = `json_extract_string(${v}, ${at})`;
    return computeOnce([isJson ? native : `TRY(${native})`], "found", (found) => {
      // A string may look like a container or a number: only then it takes a second look.
      const isContainer = `json_type(${v}, ${at}) IN ('OBJECT', 'ARRAY')`;
      const isRewritten = `regexp_full_match(${found}, '${isJson ? DECIMAL_CANONICAL : DECIMAL_TEXT}')`;
      const missing = isJson
        ? []
        : [`WHEN ${found} IS NULL THEN (CASE WHEN json_valid(${v}) THEN NULL ELSE ${slow} END)`];
      const noNumber = isJson ? [] : [`WHEN ${found} IN ('NaN', 'Infinity', '-Infinity') THEN ${slow}`];
      const branches = [
        ...missing,
        `WHEN starts_with(${found}, '{') OR starts_with(${found}, '[') THEN (CASE WHEN ${isContainer} ` +
          `THEN NULL ELSE ${found} END)`,
        `WHEN (${found} >= '-' AND ${found} < ':') AND ${isRewritten} THEN ${slow}`,
        ...noNumber,
      ];
      return `CASE ${branches.join(" ")} ELSE ${found} END`;
    });
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
    const isRewritten = `regexp_matches(${FOUND}, '${isJson ? REWRITTEN_CANONICAL : REWRITTEN_TEXT}')`;
    const known = `CASE WHEN ${isRewritten} THEN ${slow} ELSE ${FOUND} END`;
    if (isJson) return bindOnce(native, VARIABLE, () => known);
    const missing = `CASE WHEN json_valid(${v}) THEN NULL ELSE ${slow} END`;
    return whole(
      bindOnce(`TRY(${native})`, VARIABLE, () => `CASE WHEN ${FOUND} IS NULL THEN (${missing}) ELSE ${known} END`),
    );
  });
}

/**
 * The array at a constant path, taken apart by DuckDB as long as `isPlain` of its text holds, which it prints as an
 * expression.
 */
function elementsAt(extraction: Extraction, name: string, elements: string, isPlain: string): string {
  const { value, isJson, pointer } = extraction;
  if (pointer === undefined) return udf(name, extraction, value);
  return computeOnce([value], "json", (v) => {
    const native = `CAST(json_extract(${v}, ${quoteString(pointer)}) AS VARCHAR)`;
    const slow = udf(name, extraction, v);
    const missing = isJson ? "NULL" : `(CASE WHEN json_valid(${v}) THEN NULL ELSE ${slow} END)`;
    const branches = [
      `WHEN ${FOUND} IS NULL THEN ${missing}`,
      `WHEN NOT starts_with(${FOUND}, '[') THEN NULL`,
      `WHEN ${isPlain} AND NOT regexp_matches(${FOUND}, '${isJson ? REWRITTEN_CANONICAL : REWRITTEN_TEXT}') ` +
        `THEN ${elements}`,
    ];
    return bindOnce(isJson ? native : `TRY(${native})`, VARIABLE, () => `CASE ${branches.join(" ")} ELSE ${slow} END`);
  });
}

/** JSON_QUERY_ARRAY. */
export function arrayAt(extraction: Extraction): string {
  return elementsAt(extraction, "lw_json_query_array", `CAST(json_extract(${FOUND}, '$[*]') AS VARCHAR[])`, "true");
}

/** JSON_VALUE_ARRAY. */
export function scalarArrayAt(extraction: Extraction): string {
  const isFlat = `NOT contains(${FOUND}, '{') AND NOT contains(substr(${FOUND}, 2), '[')`;
  return elementsAt(extraction, "lw_json_value_array", `json_extract_string(${FOUND}, '$[*]')`, isFlat);
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
