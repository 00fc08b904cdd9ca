/** Calls of the catalogue's functions in their own operands, for tests of what such queries cost. */
import { CATALOGUE } from "../../../src/googlesql/catalogue/index.ts";
import type { Place, Signature } from "../../../src/googlesql/catalogue/signature.ts";
import { formatType } from "../../../src/googlesql/types.ts";

/** A form that puts a value in a call that gives another of its type. */
export interface NestedCall {
  readonly name: string;
  readonly innermost: string;
  readonly form: (inner: string) => string;
}

/** The columns of a row by their types. */
const columns: Readonly<Record<string, readonly [name: string, value: string]>> = {
  STRING: ["s", "'a'"],
  INT64: ["n", "1"],
  FLOAT64: ["f", "1.5"],
  BOOL: ["b", "TRUE"],
  BYTES: ["y", "b'a'"],
  NUMERIC: ["nu", "NUMERIC '1'"],
  BIGNUMERIC: ["bi", "BIGNUMERIC '1'"],
  DATE: ["d", "DATE '2026-01-01'"],
  DATETIME: ["dt", "DATETIME '2026-01-01'"],
  TIME: ["ti", "TIME '10:00:00'"],
  TIMESTAMP: ["t", "TIMESTAMP '2026-01-01'"],
  JSON: ["j", "JSON '{}'"],
  "ARRAY<INT64>": ["an", "[1]"],
  "ARRAY<STRING>": ["ast", "['a']"],
  "ARRAY<FLOAT64>": ["af", "[1.5]"],
  "RANGE<DATE>": ["r", "RANGE(DATE '2026-01-01', NULL)"],
};

const values = Object.values(columns).map(([name, value]) => `${value} AS ${name}`);

/** The table that the calls read. */
export const nestedRow = `UNNEST([STRUCT(${values.join(", ")})])`;

function typeOf(place: Place): string {
  switch (place.kind) {
    case "type":
      return formatType(place.type);
    case "template":
      return "INT64";
    case "any":
      return "STRING";
    case "array":
      return `ARRAY<${typeOf(place.element)}>`;
    case "range":
      return "RANGE<DATE>";
    default:
      return place.kind;
  }
}

function operandOf(place: Place): string | undefined {
  const type = typeOf(place);
  return type === "datepart" ? "DAY" : type === "INTERVAL" ? "INTERVAL n DAY" : columns[type]?.[0];
}

/** The form over each operand that has the type of the signature's result. */
function formsOf(name: string, { parameters, result, text }: Signature): readonly NestedCall[] {
  return parameters.flatMap(({ place }, nested): NestedCall[] => {
    const innermost = columns[typeOf(place)]?.[0];
    const given = parameters.filter(({ isOptional }, index) => !isOptional || index <= nested);
    const operands = given.map((each) => ({ label: each.name, operand: operandOf(each.place) }));
    const isNested = typeOf(place) === typeOf(result) || place.kind === "any";
    if (!isNested || innermost === undefined || operands.some(({ operand }) => operand === undefined)) return [];
    const form = (inner: string) => {
      const written = operands.map(({ label, operand }, index) => {
        const value = index === nested ? inner : operand;
        return label === undefined ? value : `${label} => ${value}`;
      });
      return `${name}(${written.join(", ")})`;
    };
    return [{ name: `${name}${text} at ${nested + 1}`, innermost, form }];
  });
}

/** Operators and other syntax: a column, and a form in which `#` stands for what is in it. */
const SYNTAX: readonly (readonly [columns: string, ...forms: string[]])[] = [
  ["n f nu bi", "(# + $)", "(# - $)", "(# * $)", "-(#)", "ABS(#)", "IF(# = $, $, $)", "IF(# < $, $, $)"],
  ["n f nu bi", "IF(# IS DISTINCT FROM $, $, $)", "IF(# IN ($, $ + 1), $, $)", "IF($ BETWEEN # AND $, $, $)"],
  ["f nu bi", "(# / $)", "IF(# BETWEEN $ AND $, $, $)", "CAST(CAST(# AS STRING) AS FLOAT64)"],
  ["n", "(n << #)", "(# | n)", "~(#)", "CASE # WHEN 1 THEN 2 WHEN n THEN 3 END", "[#][OFFSET(0)]", "[n][ORDINAL(#)]"],
  ["n", "STRUCT(# AS q).q", "WITH(q AS #, q + q)", "SAFE.DIV(#, n)", "IF((#, 1) = (n, 1), 1, 2)", "IF([#] = an, 1, 2)"],
  ["s", "(# || s)", "IF(# LIKE s, s, 'b')", "IF(s LIKE ANY (#, 'x'), s, 'b')", "IF(# IN UNNEST(ast), s, 'b')"],
  ["s", "CAST(SAFE_CAST(# AS INT64) AS STRING)", "TO_JSON_STRING(STRUCT(# AS a))", "FORMAT('%s %T', #, s)"],
  ["s", "CAST(CAST(# AS DATE FORMAT 'YYYY') AS STRING FORMAT 'YYYY')", "CAST(CAST(# AS DATE) AS STRING)"],
  ["j", "#.a", "#['a'][0]", "JSON_ARRAY(#)", "TO_JSON(STRUCT(# AS a))"],
  [
    "d",
    "(# + n)",
    "DATE_ADD(#, INTERVAL n MONTH)",
    "CAST(CAST(# AS TIMESTAMP) AS DATE)",
    "DATE(EXTRACT(YEAR FROM #), 1, 1)",
  ],
  ["t dt", "($ + ($ - #))", "CAST(CAST(# AS STRING) AS DATETIME)", "TIMESTAMP_TRUNC(#, DAY)"],
  ["t", "TIMESTAMP_TRUNC(#, DAY, 'Europe/Berlin')", "TIMESTAMP(STRING(#))", "TIMESTAMP_SECONDS(UNIX_SECONDS(#))"],
];

const syntaxForms = SYNTAX.flatMap(([columns, ...forms]) =>
  columns.split(" ").flatMap((column) =>
    forms.map((form): NestedCall => {
      const written = form.replaceAll("$", column);
      return { name: written, innermost: column, form: (inner) => written.replace("#", () => inner) };
    }),
  ),
);

const functionForms = CATALOGUE.definitions.flatMap(({ name, kind, refused }) => {
  if (kind !== "scalar" || refused !== undefined || name.startsWith("$")) return [];
  return (CATALOGUE.find(name)?.signatures ?? []).flatMap((signature) => formsOf(name, signature));
});

/** Forms of all functions, and of syntax. */
export const nestedCalls: readonly NestedCall[] = [...functionForms, ...syntaxForms];
