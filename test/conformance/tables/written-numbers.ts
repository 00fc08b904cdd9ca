/** Numbers as queries write them, which keep their digits in decimals. Source: "Literals" and "Conversion rules". */
import { type CaseTable, pairs, type TableCase } from "./table.ts";

/** Fits NUMERIC, and has more digits than a double holds. */
const NUMERICS = [
  "9999999999999999999999999999.999999999",
  "1234567890123456789.123456789",
  "0.1",
  "-0.3",
  "-99999999999999999999.000000001",
  "123456789012345678.5",
];
/** Fits BIGNUMERIC only. */
const BIGNUMERICS = [
  ...NUMERICS,
  "0.12345678901234567890123456789012345678",
  "-12345678901234567890123456789012345678.12345678901234567890123456789012345678",
  "1.0000000000000000000000000000000000001",
];

/** Every place in which a literal becomes a decimal. */
const PLACES: readonly ((literal: string, type: string) => string)[] = [
  (x, type) => `CAST(${x} AS ${type})`,
  (x, type) => `SAFE_CAST(${x} AS ${type})`,
  (x, type) => `CAST((${x}) AS ${type})`,
  (x, type) => `COALESCE(CAST(NULL AS ${type}), ${x})`,
  (x, type) => `IF(TRUE, ${x}, ${type} '2')`,
  (x, type) => `CASE WHEN FALSE THEN ${type} '2' ELSE ${x} END`,
  (x, type) => `ARRAY<${type}>[${x}][OFFSET(0)]`,
  (x, type) => `[${type} '2', ${x}][OFFSET(1)]`,
  (x, type) => `STRUCT<a ${type}>(${x}).a`,
  (x, type) => `LEAST(${x}, ${type} '1e37')`.replace("1e37", type === "NUMERIC" ? "1e28" : "1e37"),
  (x, type) => `${type} '0' + ${x}`,
  (x, type) => `(SELECT MAX(v) FROM (SELECT ${x} AS v UNION ALL SELECT CAST(NULL AS ${type})))`,
];

const COMPARISONS: readonly ((literal: string, column: string) => string)[] = [
  (x, column) => `${column} = ${x}`,
  (x, column) => `${x} = ${column}`,
  (x, column) => `${column} IN (${x}, 5)`,
  (x, column) => `NOT ${column} != ${x}`,
  (x, column) => `${column} NOT IN (5, 6.5) AND ${column} IN (6.5, ${x})`,
  (x, column) => `${column} BETWEEN ${x} AND ${x}`,
  (x, column) => `${column} >= ${x} AND ${column} <= ${x}`,
  (x, column) => `${column} IN UNNEST([${x}, ${column}])`,
];

function conversions(type: string, texts: readonly string[]): readonly TableCase[] {
  return pairs(texts, PLACES).map(([text, place]) => ({ query: `SELECT ${place(text, type)}`, rows: [[text]] }));
}

function comparisons(type: string, texts: readonly string[]): readonly TableCase[] {
  return pairs(texts, COMPARISONS).map(([text, compare]) => ({
    query: `SELECT ${compare(text, "c")} FROM (SELECT ${type} '${text}' AS c)`,
    rows: [[true]],
  }));
}

/** FLOAT64 whose NULL has a type: it makes a FLOAT64 of the decimals beside it. */
function typedNulls(): readonly TableCase[] {
  const places = [
    "COALESCE(%, @)",
    "IF(FALSE, @, %)",
    "CASE WHEN TRUE THEN % ELSE @ END",
    "[%, @][OFFSET(0)]",
    "% + IFNULL(@, 0)",
  ];
  return pairs(["NUMERIC", "BIGNUMERIC"], places).map(([type, place]) => ({
    query: `SELECT ${place.replace("%", `${type} '1.5'`).replace("@", "CAST(NULL AS FLOAT64)")}`,
    rows: [[1.5]],
  }));
}

/** Decimals of literals in every place that takes them. */
export const writtenNumbers: readonly CaseTable[] = [
  { name: "NUMERIC of literals", cases: conversions("NUMERIC", NUMERICS) },
  { name: "BIGNUMERIC of literals", cases: conversions("BIGNUMERIC", BIGNUMERICS) },
  { name: "NUMERIC beside literals", cases: comparisons("NUMERIC", NUMERICS) },
  { name: "BIGNUMERIC beside literals", cases: comparisons("BIGNUMERIC", BIGNUMERICS) },
  { name: "typed NULLs beside decimals", cases: typedNulls() },
];
