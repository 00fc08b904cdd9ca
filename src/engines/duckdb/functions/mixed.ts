/**
 * Values of several shapes (MIXED). Each is JSON text: `5`, `"text"`, `true`, `[1,2]`, `[{"a":1}]` for a record,
 * `{"a":1}` for an element of an array of records. Its first character shows the shape. Numbers are as the JSON of
 * records has them, so that equal values are equal texts.
 */

import type { SqlType } from "../../../googlesql/types.ts";
import { NULL, textSql, variableSql } from "../sql/atoms.ts";
import { infallible, lambda, mapList, raiseError, tried } from "../sql/forms.ts";
import { joinSql, type Sql, sql } from "../sql/sql.ts";
import { printNumberCast } from "./cast/cast-number.ts";
import { computeOnce } from "./compute-once.ts";

/** Prints a text's conversion; undefined if no text becomes a value of the type. */
export type ConvertText = (text: Sql, to: SqlType) => Sql | undefined;

/**
 * Conditions on the first character of the value; a digit and the minus come before the colon, and the quote before
 * them.
 */
const isMixedText = (value: Sql) => sql`starts_with(${value}, '"')`;
const isNumber = (value: Sql) => sql`(${value} >= '-' AND ${value} < ':')`;
const isBool = (value: Sql) => sql`(${value} = 'true' OR ${value} = 'false')`;
const isList = (value: Sql) => sql`starts_with(${value}, '[')`;
const isRecord = (value: Sql) => sql`(starts_with(${value}, '[{') OR starts_with(${value}, '{'))`;

const content = (value: Sql) => sql`json_extract_string(${value}, '$')`;

/** A number's FLOAT64; an infinity beyond them, as a column of such numbers has it. */
function numberAsDouble(value: Sql): Sql {
  return sql`coalesce(TRY_CAST(${value} AS DOUBLE), ${infinity(value)})`;
}

/** Prints the infinity of a number beyond FLOAT64. */
function infinity(value: Sql): Sql {
  return sql`CASE WHEN starts_with(${value}, '-') THEN CAST('-Infinity' AS DOUBLE) ELSE CAST('Infinity' AS DOUBLE) END`;
}

/** The text's content, and every other value's JSON text. */
export function mixedText(value: Sql): Sql {
  return computeOnce([value], "mixed", (v) => sql`CASE WHEN ${isMixedText(v)} THEN ${content(v)} ELSE ${v} END`);
}

/**
 * Prints the sort key of values: numbers, texts, booleans, lists, records. Its member `v` is the value. NULL for NULL.
 */
export function mixedKey(value: Sql): Sql {
  return computeOnce([value], "mixed_key", (v) => {
    const rank = sql`
      CASE WHEN ${isNumber(v)} THEN 0 WHEN ${isMixedText(v)} THEN 1 WHEN ${isBool(v)} THEN 2
      WHEN ${isRecord(v)} THEN 4 ELSE 3 END
    `;
    const number = sql`CASE WHEN ${isNumber(v)} THEN ${numberAsDouble(v)} ELSE CAST(0 AS DOUBLE) END`;
    const text = sql`CASE WHEN ${isMixedText(v)} THEN ${content(v)} ELSE '' END`;
    return sql`CASE WHEN ${v} IS NOT NULL THEN {'r': ${rank}, 'n': ${number}, 't': ${text}, 'v': ${v}} END`;
  });
}

/** The value that the key was made of. */
export function valueOfKey(key: Sql): Sql {
  return sql`struct_extract(${key}, 'v')`;
}

/** The value as a list of values of several shapes: any other than a list is a list of one. */
function mixedList(value: Sql): Sql {
  return computeOnce([value], "mixed_list", (v) => {
    const items = sql`CAST(json_extract(${v}, '$[*]') AS VARCHAR[])`;
    const elements = mapList(items, "lw_item", sql`nullif(lw_item, 'null')`);
    return sql`CASE WHEN ${v} IS NULL THEN NULL WHEN ${isList(v)} THEN ${elements} ELSE [${v}] END`;
  });
}

/** Numbers lose their form, and take that of a FLOAT64, only where it has an exponent and they are one. */
function numberAsText(value: Sql): Sql {
  const text = sql`coalesce(lw_float64_to_text(TRY_CAST(${value} AS DOUBLE)), ${value})`;
  return sql`CASE WHEN contains(${value}, 'e') THEN ${text} ELSE ${value} END`;
}

const never = infallible(NULL);

function numberTo(value: Sql, to: SqlType, isSafe: boolean, convertText: ConvertText): Sql | undefined {
  switch (to.kind) {
    case "FLOAT64":
      return infallible(numberAsDouble(value));
    case "INT64": {
      const rounded = printNumberCast(numberAsDouble(value), "FLOAT64", "INT64", isSafe) ?? never;
      const wide = convertText(value, to) ?? never;
      const whole = sql`WHEN regexp_full_match(${value}, '-?[0-9]+') THEN ${wide}`;
      return sql`CASE ${whole} ELSE ${rounded} END`;
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

/** DuckDB reads a plain number, and recognises what is not one, much faster than JavaScript. */
function textTo(text: Sql, to: SqlType, convertText: ConvertText): Sql | undefined {
  const converted = convertText(text, to);
  if (to.kind !== "FLOAT64" || converted === undefined || converted.canFail) return converted;
  const plain = String.raw`[+-]?[0-9]{1,15}(\.[0-9]{1,15})?`;
  return infallible(
    computeOnce([text], "mixed_number", (v) => {
      const other = convertText(v, to) ?? NULL;
      return sql`
        CASE WHEN regexp_full_match(${v}, ${textSql(plain)}) THEN TRY_CAST(${v} AS DOUBLE)
        WHEN regexp_matches(${v}, '[0-9nN]') THEN ${other} END
      `;
    }),
  );
}

/** A column of texts alone, as texts among values of several shapes convert. */
export function plainTextTo(text: Sql, to: SqlType, convertText: ConvertText): Sql | undefined {
  const converted = textTo(text, to, convertText);
  return converted?.canFail === false ? converted : undefined;
}

/**
 * The conversion to a scalar type. A shape that has none is NULL where it is safe, an error otherwise; STRING takes
 * all, and a list or record has none.
 */
function toScalar(value: Sql, to: SqlType, isSafe: boolean, convertText: ConvertText): Sql {
  return computeOnce([value], "mixed", (v) => {
    const failure = raiseError(sql`concat(${textSql(`Bad value for a cast to ${to.kind}: `)}, ${v})`);
    const isQuiet = isSafe || to.kind === "STRING";
    const otherwise = isQuiet ? NULL : failure;
    const number = numberTo(v, to, isSafe, convertText);
    const text = textTo(content(v), to, convertText);
    const bool = to.kind === "BOOL" ? sql`${v} = 'true'` : to.kind === "STRING" ? v : undefined;
    const branches = [
      sql`WHEN ${v} IS NULL THEN NULL`,
      sql`WHEN ${isMixedText(v)} THEN ${text ?? otherwise}`,
      sql`WHEN ${isNumber(v)} THEN ${number ?? otherwise}`,
      ...(bool === undefined ? [] : [sql`WHEN ${isBool(v)} THEN ${bool}`]),
    ];
    return sql`CASE ${joinSql(branches, " ")} ELSE ${otherwise} END`;
  });
}

/** A value of several shapes as a value of the type. */
export function convertMixed(value: Sql, to: SqlType, isSafe: boolean, convertText: ConvertText): Sql {
  if (to.kind === "MIXED") return infallible(value);
  if (to.kind === "ARRAY") return convertElements(mixedList(value), to.element, isSafe, convertText);
  if (to.kind === "JSON") return infallible(sql`lw_parse_json(${value}, 'round')`);
  if (to.kind === "RECORD")
    return infallible(computeOnce([value], "mixed", (v) => sql`CASE WHEN ${isRecord(v)} THEN ${v} END`));
  return toScalar(value, to, isSafe, convertText);
}

/** A list of values of several shapes as one of the type: safely, element by element. */
export function convertElements(list: Sql, to: SqlType, isSafe: boolean, convertText: ConvertText): Sql {
  if (to.kind === "MIXED") return infallible(list);
  const item = variableSql("lw_mixed_item");
  const converted = convertMixed(item, to, isSafe, convertText);
  return sql`list_transform(${list}, ${lambda(item, isSafe && converted.canFail ? tried(converted) : converted)})`;
}
