/**
 * JSON_QUERY, JSON_VALUE and their kin. A constant path is read natively (a JSON Pointer finds what a JSONPath finds,
 * and costs about 0.1 us a row); a UDF takes over where DuckDB would rewrite a number, and where a text is malformed.
 */

import { messageOf } from "../../../../shared/message-of.ts";
import { type JsonPathStyle, parseJsonPath, toJsonPointer } from "../../../../values/json/json-path.ts";
import { NULL, nameSql, TRUE, textSql } from "../../sql/atoms.ts";
import { bindOnce, boundName, raiseText, tried } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, PrintCall } from "../types.ts";
import { literalOf } from "../types.ts";

const VARIABLE = "lw_found";
const FOUND = boundName(VARIABLE);

/** Behind what a number of a compact JSON text stands. */
const BEFORE_NUMBER = String.raw`(^|[\[:,])-?`;
/**
 * A number that DuckDB may write in another way than it is written: with a point or an exponent, or none of JSON at
 * all.
 */
const REWRITTEN_TEXT = `(?i)${BEFORE_NUMBER}([0-9]+[.e]|nan|inf)`;
/** A canonical double that DuckDB writes in another way: very large or very small. */
const REWRITTEN_CANONICAL = String.raw`${BEFORE_NUMBER}([0-9]+(\.[0-9]+)?e|[0-9]{16,}\.|0\.0000)`;
/** The same for a number alone, which a string may look like. */
const DECIMAL_TEXT = String.raw`-?[0-9]+(\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)`;
const DECIMAL_CANONICAL = String.raw`-?([0-9]+(\.[0-9]+)?e.*|[0-9]{16,}\.0|0\.0000[0-9]*)`;

export interface Extraction {
  /** The printed JSON value or text. */
  readonly value: Sql;
  /** A JSON value: canonical, and never malformed. */
  readonly isJson: boolean;
  readonly style: JsonPathStyle;
  /** The printed path; `'$'` when there is none. */
  readonly path: Sql;
  /** A JSON Pointer, where the path is constant. */
  readonly pointer: string | undefined;
}

function udf(name: string, { path, style }: Extraction, value: Sql): Sql {
  return sql`${nameSql(name)}(${value}, ${path}, ${textSql(style)})`;
}

/** JSON_VALUE. */
export function scalarAt(extraction: Extraction): Sql {
  const { value, isJson, pointer } = extraction;
  if (pointer === undefined) return udf("lw_json_value", extraction, value);
  const at = textSql(pointer);
  return computeOnce([value], "json", (v) => {
    const slow = udf("lw_json_value", extraction, v);
    const native = sql`json_extract_string(${v}, ${at})`;
    return computeOnce([isJson ? native : tried(native)], "found", (found) => {
      // A string may look like a container or a number: only then it takes a second look.
      const isContainer = sql`json_type(${v}, ${at}) IN ('OBJECT', 'ARRAY')`;
      const isRewritten = sql`regexp_full_match(${found}, ${textSql(isJson ? DECIMAL_CANONICAL : DECIMAL_TEXT)})`;
      const missing = isJson
        ? []
        : [sql`WHEN ${found} IS NULL THEN (CASE WHEN json_valid(${v}) THEN NULL ELSE ${slow} END)`];
      // DuckDB reads them in any case; the length is asked first, as most values are longer.
      const isNoNumber = sql`strlen(${found}) < 10 AND regexp_full_match(${found}, '(?i)-?(nan|inf|infinity)')`;
      const noNumber = isJson ? [] : [sql`WHEN ${isNoNumber} THEN ${slow}`];
      const branches = [
        ...missing,
        sql`
          WHEN starts_with(${found}, '{') OR starts_with(${found}, '[') THEN (CASE WHEN ${isContainer}
          THEN NULL ELSE ${found} END)
        `,
        sql`WHEN (${found} >= '-' AND ${found} < ':') AND ${isRewritten} THEN ${slow}`,
        ...noNumber,
      ];
      return sql`CASE ${joinSql(branches, " ")} ELSE ${found} END`;
    });
  });
}

/** JSON_QUERY. A JSON null is NULL in a STRING, and itself in a JSON value. */
export function valueAt(extraction: Extraction): Sql {
  const { value, isJson, pointer } = extraction;
  if (isJson && pointer === "") return value;
  // Of a JSON value, a path may be lax.
  const name = isJson ? "lw_json_query_lax" : "lw_json_query";
  if (pointer === undefined) return udf(name, extraction, value);
  return computeOnce([value], "json", (v) => {
    const native = sql`CAST(json_extract(${v}, ${textSql(pointer)}) AS VARCHAR)`;
    const slow = udf(name, extraction, v);
    const isRewritten = sql`regexp_matches(${FOUND}, ${textSql(isJson ? REWRITTEN_CANONICAL : REWRITTEN_TEXT)})`;
    const known = sql`CASE WHEN ${isRewritten} THEN ${slow} ELSE ${FOUND} END`;
    if (isJson) return bindOnce(native, VARIABLE, () => known);
    const missing = sql`CASE WHEN json_valid(${v}) THEN NULL ELSE ${slow} END`;
    const found = sql`CASE WHEN ${FOUND} IS NULL THEN (${missing}) WHEN ${FOUND} = 'null' THEN NULL ELSE ${known} END`;
    return bindOnce(tried(native), VARIABLE, () => found);
  });
}

/**
 * The array at a constant path, taken apart by DuckDB as long as `isPlain` of its text holds, which it prints as an
 * expression.
 */
function elementsAt(extraction: Extraction, name: string, elements: Sql, isPlain: Sql): Sql {
  const { value, isJson, pointer } = extraction;
  if (pointer === undefined) return udf(name, extraction, value);
  return computeOnce([value], "json", (v) => {
    const native = sql`CAST(json_extract(${v}, ${textSql(pointer)}) AS VARCHAR)`;
    const slow = udf(name, extraction, v);
    const missing = isJson ? NULL : sql`(CASE WHEN json_valid(${v}) THEN NULL ELSE ${slow} END)`;
    const branches = [
      sql`WHEN ${FOUND} IS NULL THEN ${missing}`,
      sql`WHEN NOT starts_with(${FOUND}, '[') THEN NULL`,
      sql`
        WHEN ${isPlain} AND NOT regexp_matches(${FOUND}, ${textSql(isJson ? REWRITTEN_CANONICAL : REWRITTEN_TEXT)})
        THEN ${elements}
      `,
    ];
    return bindOnce(
      isJson ? native : tried(native),
      VARIABLE,
      () => sql`CASE ${joinSql(branches, " ")} ELSE ${slow} END`,
    );
  });
}

/** JSON_QUERY_ARRAY. */
export function arrayAt(extraction: Extraction): Sql {
  return elementsAt(extraction, "lw_json_query_array", sql`CAST(json_extract(${FOUND}, '$[*]') AS VARCHAR[])`, TRUE);
}

/** JSON_VALUE_ARRAY. */
export function scalarArrayAt(extraction: Extraction): Sql {
  const isFlat = sql`NOT contains(${FOUND}, '{') AND NOT contains(substr(${FOUND}, 2), '[')`;
  return elementsAt(extraction, "lw_json_value_array", sql`json_extract_string(${FOUND}, '$[*]')`, isFlat);
}

const LAX_PATH = /^\s*(?:lax|recursive\s+lax)\s/i;

/** The call's value and path; throws where a constant path is no JSONPath. A lax one has no pointer. */
function readExtraction(context: CallContext, style: JsonPathStyle, mayBeLax: boolean): Extraction {
  const [value = EMPTY, path = textSql("$")] = context.args;
  const isJson = context.types[0]?.kind === "JSON";
  const text = context.args[1] === undefined ? "$" : literalOf(context, 1);
  const isUnknown = text === undefined || (mayBeLax && isJson && LAX_PATH.test(text));
  const pointer = isUnknown ? undefined : toJsonPointer(parseJsonPath(text, style));
  return { value, isJson, style, path, pointer };
}

/** A row of the function table. */
export function extractor(style: JsonPathStyle, print: (extraction: Extraction) => Sql): PrintCall {
  return (context) => {
    try {
      return print(readExtraction(context, style, print === valueAt));
    } catch (error) {
      return raiseText(messageOf(error));
    }
  };
}
