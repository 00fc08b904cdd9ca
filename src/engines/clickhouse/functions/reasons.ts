/** Reasons for which functions of the catalogue are not the server's. A new function needs none. */

const JSON_TEXT = "the server's JSON preserves neither the digits of numbers nor the order and repetition of keys";
const SKETCH = "the server's sketches have another format and other estimates";
const RANGES = "the server has no RANGE type";
const INTERVALS = "the server has no INTERVAL type";

function because(reason: string, names: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, reason]));
}

/** Upper-case catalogue name -> the reason, for people. */
export const reasonsNotPushed: Readonly<Record<string, string>> = {
  ...because(JSON_TEXT, "BOOL BOOL_ARRAY FLOAT64 FLOAT64_ARRAY INT64 INT64_ARRAY JSON_ARRAY JSON_ARRAY_APPEND"),
  ...because(JSON_TEXT, "JSON_ARRAY_INSERT JSON_CONTAINS JSON_EXTRACT JSON_EXTRACT_ARRAY JSON_EXTRACT_SCALAR"),
  ...because(JSON_TEXT, "JSON_EXTRACT_STRING_ARRAY JSON_FLATTEN JSON_KEYS JSON_OBJECT JSON_QUERY JSON_QUERY_ARRAY"),
  ...because(JSON_TEXT, "JSON_REMOVE JSON_SET JSON_STRIP_NULLS JSON_TYPE JSON_VALUE JSON_VALUE_ARRAY LAX_BOOL"),
  ...because(JSON_TEXT, "LAX_BOOL_ARRAY LAX_FLOAT64 LAX_FLOAT64_ARRAY LAX_INT64 LAX_INT64_ARRAY LAX_STRING"),
  ...because(JSON_TEXT, "LAX_STRING_ARRAY PARSE_JSON STRING_ARRAY TO_JSON TO_JSON_STRING"),
  ...because(SKETCH, "HLL_COUNT.EXTRACT HLL_COUNT.INIT HLL_COUNT.MERGE HLL_COUNT.MERGE_PARTIAL"),
  ...because(SKETCH, "KLL_QUANTILES.INIT_INT64 KLL_QUANTILES.MERGE_INT64 KLL_QUANTILES.MERGE_POINT_INT64"),
  ...because(SKETCH, "KLL_QUANTILES.EXTRACT_INT64 KLL_QUANTILES.EXTRACT_POINT_INT64 KLL_QUANTILES.INIT_FLOAT64"),
  ...because(SKETCH, "KLL_QUANTILES.MERGE_FLOAT64 KLL_QUANTILES.MERGE_POINT_FLOAT64 KLL_QUANTILES.EXTRACT_FLOAT64"),
  ...because(SKETCH, "KLL_QUANTILES.EXTRACT_POINT_FLOAT64 KLL_QUANTILES.MERGE_PARTIAL"),
  ...because(RANGES, "RANGE RANGE_START RANGE_END RANGE_CONTAINS RANGE_OVERLAPS RANGE_INTERSECT GENERATE_RANGE_ARRAY"),
  ...because(INTERVALS, "MAKE_INTERVAL JUSTIFY_DAYS JUSTIFY_HOURS JUSTIFY_INTERVAL"),
  ...because("the server orders equally frequent values differently", "APPROX_TOP_COUNT APPROX_TOP_SUM"),
  ...because("the server may evaluate a random value twice, or once for two calls", "RAND GENERATE_UUID"),
  ...because("the server has no grouping sets whose missing keys are NULL for all types", "GROUPING"),
  ...because("the server sorts the partition again for each of its rows", "PERCENTILE_CONT PERCENTILE_DISC"),
  ...because(
    "the server parses numbers with commas, signs and exponents differently",
    "PARSE_NUMERIC PARSE_BIGNUMERIC",
  ),
  ...because("the server has no list of public suffixes", "NET.PUBLIC_SUFFIX NET.REG_DOMAIN"),
  ...because("the server parses malformed URLs differently", "NET.HOST"),
  ...because("the server does not report the position of a match", "REGEXP_INSTR"),
  ...because("the server compares strings by their bytes", "COLLATE"),
  ...because("the server does not fold case as Unicode specifies", "CONTAINS_SUBSTR NORMALIZE_AND_CASEFOLD INITCAP"),
  ...because("the server's SOUNDEX differs from the language's", "SOUNDEX"),
};

/** The reason for which no table has the function. */
export const reasonOf = (name: string): string =>
  reasonsNotPushed[name] ?? "whether the server computes the same has not been examined";

/** The refusal of a function that no table has; `shown` is how the query calls it. */
export function missingForm(name: string, shown: string): string {
  return `${shown} has no form in ClickHouse: ${reasonOf(name)}`;
}
