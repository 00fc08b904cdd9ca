/** Texts to make arguments of: for each type some that most functions take, then some that many functions fail for. */
import { CATALOGUE } from "../../../src/googlesql/catalogue/index.ts";
import type { ScalarKind } from "../../../src/googlesql/types.ts";

export type ArgumentKind = Exclude<ScalarKind, "UNKNOWN">;

/** Few are longer than the 16 characters up to which REGEXP_REPLACE needs no check of its length, and keeps the dictionary. */
export const argumentTexts: Readonly<Record<ArgumentKind, readonly string[]>> = {
  STRING: [
    ...[
      "a",
      "1",
      "2020-01-01",
      "{}",
      "UTC",
      "%Y",
      "61",
      "aaaa",
      "1.1.1.1",
      "$.a",
      "[1]",
      "12:00:00",
      "2020-01-01 00:00",
      "true",
    ],
    ...[
      "",
      "(",
      "{",
      "%",
      "%s%d",
      "\\",
      "-1",
      "9",
      "zz",
      "!",
      "$[",
      "1e999",
      "[",
      "é",
      "0",
      "SECRET",
      "\\7",
      "\u{1F600}",
    ],
  ],
  BYTES: ["a", "aaaa", "aaaaaaaaaaaaaaaa", "", "(", "a\\", "b", "hex:ff"],
  INT64: ["1", "0", "2", "5", "12", "65", "-1", "100", "9223372036854775807", "-9223372036854775808", "2000"],
  FLOAT64: ["1", "0", "2", "0.5", "-1", "1000", "1e308", "-1e308", "NaN", "inf", "-inf"],
  NUMERIC: ["1", "0", "2", "-1", "0.5", "9.9e28", "-9.9e28", "99999999999999999999999999999.9"],
  BIGNUMERIC: ["1", "0", "2", "-1", "0.5", "5.7e38", "-5.7e38", "578960446186580977117854925043439539266.3"],
  BOOL: ["true", "false"],
  DATE: ["2020-01-01", "0001-01-01", "9999-12-31"],
  DATETIME: ["2020-01-01", "0001-01-01", "9999-12-31"],
  TIMESTAMP: ["2020-01-01", "0001-01-01", "9999-12-31"],
  TIME: ["12:00:00", "00:00:00", "23:59:59"],
  INTERVAL: ["0-0 1 0:0:0", "0-0 0 1:0:0", "0-1 0 0:0:0", "9999-0 0 0:0:0", "9999-11 40 0:0:0", "0-0 3660000 24:0:0"],
  JSON: ["1", '"a"', "{}", "[1]", "true", "null", "1.5", '{"a":1}', "1e300", '["a"]', "[true]", '"x"'],
};

const hllSketch = "hex:4c574831010f004dc23ab7cd286606";
const intSketch = "hex:4c574b3101000003e800000000000000010000000000000001";
const floatSketch = "hex:4c574b3102000003e83ff00000000000000000000000000001";

/** Texts for the arguments of a function that takes none of those, by position. */
export const ownTexts: Readonly<Record<string, readonly (readonly string[] | undefined)[]>> = {
  COLLATE: [undefined, ["und:ci"]],
  POW: [["2"], ["2", "1e308"]],
  "NET.IP_NET_MASK": [["4"], ["5", "100"]],
  "HLL_COUNT.EXTRACT": [[hllSketch, "hex:ff"]],
  "HLL_COUNT.MERGE": [[hllSketch, "hex:ff"]],
  "HLL_COUNT.MERGE_PARTIAL": [[hllSketch, "hex:ff"]],
  "KLL_QUANTILES.MERGE_INT64": [[intSketch, "hex:ff"], ["2"]],
  "KLL_QUANTILES.MERGE_POINT_INT64": [[intSketch, "hex:ff"], ["0.5"]],
  "KLL_QUANTILES.EXTRACT_INT64": [[intSketch, "hex:ff"], ["2"]],
  "KLL_QUANTILES.EXTRACT_POINT_INT64": [[intSketch, "hex:ff"], ["0.5"]],
  "KLL_QUANTILES.MERGE_FLOAT64": [[floatSketch, "hex:ff"], ["2"]],
  "KLL_QUANTILES.MERGE_POINT_FLOAT64": [[floatSketch, "hex:ff"], ["0.5"]],
  "KLL_QUANTILES.EXTRACT_FLOAT64": [[floatSketch, "hex:ff"], ["2"]],
  "KLL_QUANTILES.EXTRACT_POINT_FLOAT64": [[floatSketch, "hex:ff"], ["0.5"]],
  "KLL_QUANTILES.MERGE_PARTIAL": [[intSketch, "hex:ff"]],
  "CAST STRING AS DATE by a format": [["2020"], ["YYYY", "zz"]],
  "CAST STRING AS TIMESTAMP by a format": [["2020"], ["YYYY", "zz"]],
  "CAST STRING AS BYTES by a format": [
    ["61", "zz"],
    ["HEX", "zz"],
  ],
  "CAST DATE AS STRING by a format": [undefined, ["YYYY", "zz"]],
  "CAST TIMESTAMP AS STRING by a format": [undefined, ["YYYY", "zz"]],
  "CAST INT64 AS STRING by a format": [undefined, ["999", "zz"]],
  "CAST BYTES AS STRING by a format": [
    ["a", "hex:ff"],
    ["ASCII", "zz"],
  ],
  "CAST STRING AS TIMESTAMP in a zone": [
    ["2020-01-01", "zz"],
    ["UTC", "zz"],
  ],
};

/** How operators are written; whatever else begins with `$` is a function to the resolver alone. */
export const operatorForms: Readonly<Record<string, (...operands: readonly string[]) => string>> = {
  $add: (x, y) => `(${x} + ${y})`,
  $subtract: (x, y) => `(${x} - ${y})`,
  $multiply: (x, y) => `(${x} * ${y})`,
  $divide: (x, y) => `(${x} / ${y})`,
  $negate: (x) => `(-(${x}))`,
  $concat_op: (x, y) => `(${x} || ${y})`,
  $bit_and: (x, y) => `(${x} & ${y})`,
  $bit_or: (x, y) => `(${x} | ${y})`,
  $bit_xor: (x, y) => `(${x} ^ ${y})`,
  $bit_not: (x) => `(~(${x}))`,
  $shift_left: (x, y) => `(${x} << ${y})`,
  $shift_right: (x, y) => `(${x} >> ${y})`,
  $equal: (x, y) => `(${x} = ${y})`,
  $not_equal: (x, y) => `(${x} != ${y})`,
  $less: (x, y) => `(${x} < ${y})`,
  $less_or_equal: (x, y) => `(${x} <= ${y})`,
  $greater: (x, y) => `(${x} > ${y})`,
  $greater_or_equal: (x, y) => `(${x} >= ${y})`,
  $and: (...all) => `(${all.join(" AND ")})`,
  $or: (...all) => `(${all.join(" OR ")})`,
  $not: (x) => `(NOT ${x})`,
  $is_null: (x) => `(${x} IS NULL)`,
  $is_true: (x) => `(${x} IS TRUE)`,
  $is_false: (x) => `(${x} IS FALSE)`,
  $is_distinct: (x, y) => `(${x} IS DISTINCT FROM ${y})`,
  $between: (x, low, high) => `(${x} BETWEEN ${low} AND ${high})`,
  $in: (x, ...values) => `(${x} IN (${values.join(", ")}))`,
  $in_array: (x, values) => `(${x} IN UNNEST(${values}))`,
  $like: (x, pattern) => `(${x} LIKE ${pattern})`,
  $like_any: (x, ...patterns) => `(${x} LIKE ANY (${patterns.join(", ")}))`,
  $like_all: (x, ...patterns) => `(${x} LIKE ALL (${patterns.join(", ")}))`,
  $like_any_array: (x, patterns) => `(${x} LIKE ANY UNNEST(${patterns}))`,
  $like_all_array: (x, patterns) => `(${x} LIKE ALL UNNEST(${patterns}))`,
  $array_at_offset: (x, at) => `${x}[OFFSET(${at})]`,
  $array_at_ordinal: (x, at) => `${x}[ORDINAL(${at})]`,
  $safe_array_at_offset: (x, at) => `${x}[SAFE_OFFSET(${at})]`,
  $safe_array_at_ordinal: (x, at) => `${x}[SAFE_ORDINAL(${at})]`,
  $json_subscript: (x, at) => `(${x})[${at}]`,
  $collation_key: (x) => `(COLLATE(${x}, 'und:ci') = 'x')`,
  $interval: (x, part) => `(INTERVAL (${x}) ${part})`,
  $extract: (x, part, zone) => `EXTRACT(${part} FROM ${x}${zone === undefined ? "" : ` AT TIME ZONE ${zone}`})`,
  ERROR: (x) => `IF(${x} = 'a', ${x}, ERROR(${x}))`,
};

/** Beside those of which the catalogue says so: none fails for a value, but for one that is too large or a constant. */
const functionsWithoutFailure = `
APPROX_COUNT_DISTINCT ARRAY_CONCAT_AGG AVG LAG LEAD MAX_BY MIN_BY NTH_VALUE NTILE PERCENTILE_CONT PERCENTILE_DISC
SUM CORR COVAR_POP COVAR_SAMP STDDEV_POP STDDEV_SAMP VAR_POP VAR_SAMP APPROX_QUANTILES APPROX_TOP_COUNT
FORMAT_DATE FORMAT_DATETIME FORMAT_TIME HLL_COUNT.INIT KLL_QUANTILES.INIT_INT64 KLL_QUANTILES.INIT_FLOAT64
JSON_EXTRACT JSON_EXTRACT_ARRAY JSON_EXTRACT_SCALAR JSON_EXTRACT_STRING_ARRAY JSON_KEYS JSON_QUERY JSON_QUERY_ARRAY
JSON_ARRAY JSON_VALUE JSON_VALUE_ARRAY RAND FLOOR CONTAINS_SUBSTR REPLACE SPLIT TIME_ADD TIME_SUB TO_JSON
`;

const castsWithoutFailure: Readonly<Record<string, string>> = {
  STRING: "BYTES",
  INT64: "STRING FLOAT64 NUMERIC BIGNUMERIC BOOL",
  FLOAT64: "STRING",
  NUMERIC: "STRING FLOAT64 BIGNUMERIC",
  BIGNUMERIC: "STRING FLOAT64",
  BOOL: "STRING INT64",
  DATE: "STRING DATETIME TIMESTAMP",
  DATETIME: "STRING DATE TIMESTAMP TIME",
  TIMESTAMP: "STRING DATE DATETIME TIME",
  TIME: "STRING",
  INTERVAL: "STRING",
};

/**
 * Functions and casts that fail for no argument, sizes beyond the limits aside. Each is attacked with all the texts
 * above.
 */
export const subjectsWithoutFailure: ReadonlySet<string> = new Set([
  ...CATALOGUE.definitions.filter(({ fallibility }) => fallibility?.length === 0).map(({ name }) => name),
  ...functionsWithoutFailure.trim().split(/\s+/),
  ...Object.entries(castsWithoutFailure).flatMap(([from, to]) =>
    to.split(" ").map((each) => `CAST ${from} AS ${each}`),
  ),
]);

/** Functions that no query of one expression can call: they need a GROUP BY, or only the resolver writes them. */
export const subjectsWithoutArguments: ReadonlySet<string> = new Set([
  "GROUPING",
  "$array_transform",
  "$array_flatten",
  "$mixed_json",
  "$true_or_fails",
]);
