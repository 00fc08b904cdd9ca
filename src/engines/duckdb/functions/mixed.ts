/**
 * Values of several shapes (MIXED). Each is JSON text: `5`, `"text"`, `true`, `[1,2]`, `[{"a":1}]` for a record,
 * `{"a":1}` for an element of an array of records. Its first character tells the shape. Numbers are as the JSON of
 * records has them, so that equal values are equal texts.
 */
import type { SqlType } from "../../../googlesql/types.ts";
import { quoteString, raiseError } from "../sql-text.ts";
import { printNumberCast } from "./cast/cast-number.ts";
import { fallible, infallible, type PrintedCast } from "./cast/cast-result.ts";
import { computeOnce } from "./compute-once.ts";

/** What a text converts to; undefined where no text becomes a value of the type. */
export type ConvertText = (text: string, to: SqlType) => PrintedCast | undefined;

/**
 * Conditions on the first character of the value; a digit and the minus come before the colon, and the quote before
 * them.
 */
const isMixedText = (value: string) => `starts_with(${value}, '"')`;
const isNumber = (value: string) => `(${value} >= '-' AND ${value} < ':')`;
const isBool = (value: string) => `(${value} = 'true' OR ${value} = 'false')`;
const isList = (value: string) => `starts_with(${value}, '[')`;
const isRecord = (value: string) => `(starts_with(${value}, '[{') OR starts_with(${value}, '{'))`;

const content = (value: string) => `json_extract_string(${value}, '$')`;

/** A number's FLOAT64; an infinity beyond them, as a column of such numbers has it. */
function numberAsDouble(value: string): string {
  return `coalesce(TRY_CAST(${value} AS DOUBLE), ${infinity(value)})`;
}

/** What a number beyond FLOAT64 is. */
function infinity(value: string): string {
  return `CASE WHEN starts_with(${value}, '-') THEN CAST('-Infinity' AS DOUBLE) ELSE CAST('Infinity' AS DOUBLE) END`;
}

/** The text's content, and every other value's JSON text. */
export function mixedText(value: string): string {
  return computeOnce([value], "mixed", (v) => `CASE WHEN ${isMixedText(v)} THEN ${content(v)} ELSE ${v} END`);
}

/** What values sort by: numbers, texts, booleans, lists, records. Its member `v` is the value. NULL for NULL. */
export function mixedKey(value: string): string {
  return computeOnce([value], "mixed_key", (v) => {
    const rank =
      `CASE WHEN ${isNumber(v)} THEN 0 WHEN ${isMixedText(v)} THEN 1 WHEN ${isBool(v)} THEN 2 ` +
      `WHEN ${isRecord(v)} THEN 4 ELSE 3 END`;
    const number = `CASE WHEN ${isNumber(v)} THEN ${numberAsDouble(v)} ELSE CAST(0 AS DOUBLE) END`;
    const text = `CASE WHEN ${isMixedText(v)} THEN ${content(v)} ELSE '' END`;
    return `CASE WHEN ${v} IS NOT NULL THEN {'r': ${rank}, 'n': ${number}, 't': ${text}, 'v': ${v}} END`;
  });
}

/** The value that the key was made of. */
export function valueOfKey(key: string): string {
  return `struct_extract(${key}, 'v')`;
}

/** The value as a list of values of several shapes: any other than a list is a list of one. */
function mixedList(value: string): string {
  return computeOnce([value], "mixed_list", (v) => {
    const elements = `list_transform(CAST(json_extract(${v}, '$[*]') AS VARCHAR[]), lambda lw_item: nullif(lw_item, 'null'))`;
    return `CASE WHEN ${v} IS NULL THEN NULL WHEN ${isList(v)} THEN ${elements} ELSE [${v}] END`;
  });
}

/** Numbers lose their form, and take that of a FLOAT64, only where it has an exponent and they are one. */
function numberAsText(value: string): string {
  const text = `coalesce(lw_float64_to_text(TRY_CAST(${value} AS DOUBLE)), ${value})`;
  return `CASE WHEN contains(${value}, 'e') THEN ${text} ELSE ${value} END`;
}

const never = infallible("NULL");

function numberTo(value: string, to: SqlType, isSafe: boolean, convertText: ConvertText): PrintedCast | undefined {
  switch (to.kind) {
    case "FLOAT64":
      return infallible(numberAsDouble(value));
    case "INT64": {
      const rounded = printNumberCast(numberAsDouble(value), "FLOAT64", "INT64", isSafe) ?? never;
      const wide = convertText(value, to) ?? never;
      const whole = `WHEN regexp_full_match(${value}, '-?[0-9]+') THEN ${wide.sql}`;
      return { sql: `CASE ${whole} ELSE ${rounded.sql} END`, canFail: wide.canFail || rounded.canFail };
    }
    case "NUMERIC":
    case "BIGNUMERIC":
      return convertText(value, to);
    case "STRING":
      return infallible(numberAsText(value));
    default:
      return undefined;
  }
}

/** DuckDB reads a plain number, and sees what is none, much faster than JavaScript. */
function textTo(text: string, to: SqlType, convertText: ConvertText): PrintedCast | undefined {
  const converted = convertText(text, to);
  if (to.kind !== "FLOAT64" || converted === undefined || converted.canFail) return converted;
  const plain = String.raw`[+-]?[0-9]{1,15}(\.[0-9]{1,15})?`;
  return infallible(
    computeOnce([text], "mixed_number", (v) => {
      const other = convertText(v, to)?.sql ?? "NULL";
      return (
        `CASE WHEN regexp_full_match(${v}, '${plain}') THEN TRY_CAST(${v} AS DOUBLE) ` +
        `WHEN regexp_matches(${v}, '[0-9nN]') THEN ${other} END`
      );
    }),
  );
}

/** A column of texts alone, as texts among values of several shapes convert. */
export function plainTextTo(text: string, to: SqlType, convertText: ConvertText): string | undefined {
  const converted = textTo(text, to, convertText);
  return converted?.canFail === false ? converted.sql : undefined;
}

/**
 * The conversion to a scalar type. A shape that has none is NULL where it is safe, an error otherwise; STRING takes
 * all, and a list or record has none.
 */
function toScalar(value: string, to: SqlType, isSafe: boolean, convertText: ConvertText): PrintedCast {
  let canFail = false;
  const sql = computeOnce([value], "mixed", (v) => {
    const failure = raiseError(`concat(${quoteString(`Bad value for a cast to ${to.kind}: `)}, ${v})`);
    const isQuiet = isSafe || to.kind === "STRING";
    const otherwise = isQuiet ? "NULL" : failure;
    const number = numberTo(v, to, isSafe, convertText);
    const text = textTo(content(v), to, convertText);
    const bool = to.kind === "BOOL" ? `${v} = 'true'` : to.kind === "STRING" ? v : undefined;
    canFail = !isQuiet || number?.canFail === true || text?.canFail === true;
    const branches = [
      `WHEN ${v} IS NULL THEN NULL`,
      `WHEN ${isMixedText(v)} THEN ${text?.sql ?? otherwise}`,
      `WHEN ${isNumber(v)} THEN ${number?.sql ?? otherwise}`,
      ...(bool === undefined ? [] : [`WHEN ${isBool(v)} THEN ${bool}`]),
    ];
    return `CASE ${branches.join(" ")} ELSE ${otherwise} END`;
  });
  return canFail ? fallible(sql) : infallible(sql);
}

/** A value of several shapes as a value of the type. */
export function convertMixed(value: string, to: SqlType, isSafe: boolean, convertText: ConvertText): PrintedCast {
  if (to.kind === "MIXED") return infallible(value);
  if (to.kind === "ARRAY") return convertElements(mixedList(value), to.element, isSafe, convertText);
  if (to.kind === "JSON") return infallible(`lw_parse_json(${value}, 'round')`);
  if (to.kind === "RECORD")
    return infallible(computeOnce([value], "mixed", (v) => `CASE WHEN ${isRecord(v)} THEN ${v} END`));
  return toScalar(value, to, isSafe, convertText);
}

/** A list of values of several shapes as one of the type: safely, element by element. */
export function convertElements(list: string, to: SqlType, isSafe: boolean, convertText: ConvertText): PrintedCast {
  if (to.kind === "MIXED") return infallible(list);
  const { sql, canFail } = convertMixed("lw_mixed_item", to, isSafe, convertText);
  const element = isSafe && canFail ? `TRY(${sql})` : sql;
  return { sql: `list_transform(${list}, lambda lw_mixed_item: ${element})`, canFail: canFail && !isSafe };
}
