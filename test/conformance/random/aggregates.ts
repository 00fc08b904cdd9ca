/** Aggregates by the type of what they read: `X` stands for the column, `ID` for a number that no two rows share. */
import type { Column } from "./expressions.ts";
import type { Random } from "./random.ts";
import { ORDERED } from "./values.ts";

export const AGGREGATES: Readonly<Record<string, readonly string[]>> = {
  INT64: [
    "SUM(X)",
    "AVG(X)",
    "BIT_XOR(X)",
    "BIT_AND(X)",
    "BIT_OR(X)",
    "VAR_SAMP(X)",
    "STDDEV_POP(X)",
    "SUM(DISTINCT X)",
  ],
  FLOAT64: ["SUM(X)", "AVG(X)", "VAR_POP(X)", "STDDEV(X)", "AVG(DISTINCT X)", "COVAR_SAMP(X, X)", "CORR(X, -X)"],
  NUMERIC: ["SUM(X)", "AVG(X)", "STDDEV(X)", "AVG(DISTINCT X)", "VAR_POP(X)", "CORR(X, X)"],
  BIGNUMERIC: ["SUM(X)", "AVG(X)", "SUM(DISTINCT X)", "VAR_SAMP(X)"],
  STRING: ["STRING_AGG(X, '|' ORDER BY X, ID)", "STRING_AGG(DISTINCT X ORDER BY X DESC LIMIT 2)"],
  BYTES: ["STRING_AGG(X, b'-' ORDER BY X)"],
  BOOL: ["LOGICAL_AND(X)", "LOGICAL_OR(X)", "COUNTIF(X)", "COUNTIF(DISTINCT X)"],
  INTERVAL: ["SUM(X)", "AVG(X)"],
};
const ANY_AGGREGATES = ["COUNT(X)", "ARRAY_AGG(X ORDER BY ID)", "ANY_VALUE(X HAVING MAX ID)", "COUNT(X HAVING MIN ID)"];
const ORDERED_AGGREGATES = [
  ...["MIN(X)", "MAX(X)", "COUNT(DISTINCT X)", "ARRAY_AGG(X ORDER BY X DESC, ID)", "ARRAY_AGG(DISTINCT X ORDER BY X)"],
  ...["ARRAY_AGG(X IGNORE NULLS ORDER BY X, ID LIMIT 2)", "COUNT(* HAVING MAX X)", "SUM(ID HAVING MIN X)"],
  ...["ARRAY_AGG(ID ORDER BY X NULLS LAST, ID DESC)", "SUM(ID HAVING MAX X)", "MAX(X HAVING MIN ID)"],
  ...[
    "ARRAY_AGG(ID HAVING MAX X ORDER BY ID)",
    "COUNT(ID HAVING MIN X)",
    "ARRAY_AGG(X RESPECT NULLS ORDER BY X DESC NULLS FIRST)",
  ],
];

/** A random aggregate of a column; `id` tells its rows apart. */
export function writeAggregate(random: Random, column: Column, id: Column): string {
  const forms = [
    ...(AGGREGATES[column.type] ?? []),
    ...(AGGREGATES[column.type] ?? []),
    ...ANY_AGGREGATES,
    ...(ORDERED.includes(column.type) ? ORDERED_AGGREGATES : []),
  ];
  const text = random
    .pick(forms)
    .replace(/\bX\b/g, column.name)
    .replace(/\bID\b/g, id.name);
  return column.type.startsWith("ARRAY") && text.startsWith("ARRAY_AGG") ? `COUNT(${column.name})` : text;
}
