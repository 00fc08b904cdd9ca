/**
 * SQL values of any type as JSON text, printed by type. The text is never NULL: a NULL is `null`.
 * Source: "JSON encodings" of the GoogleSQL JSON functions page.
 */

import type { SqlType, StructType } from "../../../../googlesql/types.ts";
import { FALSE, listSql, numberSql, textSql, variableSql } from "../../sql/atoms.ts";
import { castTo, lambda } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { VARCHAR } from "../../sql/types.ts";
import { computeOnce, writeStruct } from "../compute-once.ts";
import { DECIMALS } from "../number/decimal.ts";
import { printToString } from "../time/temporal-texts.ts";

/**
 * `text`: TO_JSON_STRING, where wide numbers are strings. `value`: TO_JSON and the functions that take values of any
 * type.
 */
export interface JsonEncoding {
  readonly target: "text" | "value";
  /** For `value`: a BOOL expression; true makes numbers strings that a double does not hold exactly. */
  readonly stringifyWide?: Sql;
}

const UTC = textSql("UTC");

const MAX_EXACT = numberSql(9007199254740992n);

function quote(text: Sql): Sql {
  return sql`('"' || ${text} || '"')`;
}

/** Wide integers are those that a double does not hold exactly. */
function int64Json(value: Sql, { target, stringifyWide }: JsonEncoding): Sql {
  if (target === "value" && stringifyWide === undefined) return castTo(value, VARCHAR);
  return computeOnce([value], "int", (v) => {
    const isNarrow = sql`${v} BETWEEN -${MAX_EXACT} AND ${MAX_EXACT}`;
    const isKept = target === "text" ? isNarrow : sql`${isNarrow} OR NOT ${stringifyWide ?? EMPTY}`;
    return sql`CASE WHEN ${isKept} THEN CAST(${v} AS VARCHAR) ELSE ${quote(castTo(v, VARCHAR))} END`;
  });
}

function float64Json(value: Sql, { target }: JsonEncoding): Sql {
  return computeOnce([value], "float", (v) => {
    if (target === "value") {
      // Between these bounds DuckDB writes a double as canonical JSON has it.
      return sql`
        CASE WHEN ${v} = 0 THEN '0.0' WHEN abs(${v}) BETWEEN 1e-4 AND 999999999999999
        THEN CAST(${v} AS VARCHAR) ELSE lw_json_double(${v}) END
      `;
    }
    return sql`CASE WHEN isfinite(${v}) THEN lw_float64_to_text(${v}) ELSE lw_json_double(${v}) END`;
  });
}

function decimalJson(text: Sql, { target, stringifyWide }: JsonEncoding): Sql {
  if (target === "value") return sql`lw_json_decimal(${text}, ${stringifyWide ?? FALSE})`;
  return computeOnce([text], "decimal", (v) => {
    const isNarrow = sql`regexp_full_match(${v}, '-?[0-9]{1,16}') AND abs(CAST(${v} AS BIGINT)) <= ${MAX_EXACT}`;
    return sql`CASE WHEN ${isNarrow} THEN ${v} ELSE ${quote(v)} END`;
  });
}

/** Control characters that JSON writes by their codes. */
const CODED = textSql("[\\x00-\\x07\\x0b\\x0e-\\x1f]");

/**
 * A JSON string. DuckDB writes the codes of control characters in upper case, JSON values here have them in lower
 * case. They are looked for in the value: its text would be bound by a lambda, and the time to plan these grows with
 * the square of their number.
 */
function stringJson(value: Sql): Sql {
  return computeOnce([value], "string", (v) => {
    return sql`
      CASE WHEN regexp_matches(${v}, ${CODED}) THEN lw_json_string_text(${v}) ELSE CAST(to_json(${v}) AS VARCHAR) END
    `;
  });
}

/** Escapes characters that end a line in JavaScript, though not in JSON. */
function withoutLineSeparators(json: Sql): Sql {
  return sql`replace(replace(${json}, '\u2028', '\\u2028'), '\u2029', '\\u2029')`;
}

function structJson(type: StructType, value: Sql, encoding: JsonEncoding, depth: number): Sql {
  return writeStruct(value, depth, textSql("null"), (fieldAt) => {
    const seen = new Set<string>();
    const members = type.fields.flatMap((field, index) => {
      const name = field.name ?? "";
      // A JSON value has one member of a name, a JSON text as many as the struct has.
      if (encoding.target === "value" && seen.has(name)) return [];
      seen.add(name);
      const member = nestedJson(field.type, fieldAt(index), encoding, depth + 1);
      return [sql`(${textSql(`${JSON.stringify(name)}:`)} || ${member})`];
    });
    return listSql("{", members, ",", "}");
  });
}

function scalarJson(type: SqlType, value: Sql, encoding: JsonEncoding): Sql {
  switch (type.kind) {
    case "BOOL":
      return castTo(value, VARCHAR);
    case "INT64":
      return int64Json(value, encoding);
    case "FLOAT64":
      return float64Json(value, encoding);
    case "NUMERIC":
    case "BIGNUMERIC":
      return decimalJson(DECIMALS[type.kind].toText(value), encoding);
    case "STRING":
      return encoding.target === "text" ? withoutLineSeparators(stringJson(value)) : stringJson(value);
    case "BYTES":
      return quote(sql`to_base64(${value})`);
    case "DATE":
    case "TIME":
      return quote(printToString(value, type, UTC));
    case "DATETIME":
      return quote(sql`replace(${printToString(value, type, UTC)}, ' ', 'T')`);
    case "TIMESTAMP":
      return quote(sql`replace(${printToString(value, { kind: "DATETIME" }, UTC)}, ' ', 'T') || 'Z'`);
    case "INTERVAL":
      return quote(sql`lw_interval_iso(${printToString(value, type, UTC)})`);
    default:
      return value;
  }
}

function nestedJson(type: SqlType, value: Sql, encoding: JsonEncoding, depth: number): Sql {
  switch (type.kind) {
    case "UNKNOWN":
      return textSql("null");
    case "STRUCT":
      return structJson(type, value, encoding, depth);
    case "RANGE":
      return computeOnce([value], `range${depth}`, (v) => {
        const bound = (name: string) =>
          nestedJson(type.element, sql`struct_extract(${v}, ${textSql(name)})`, encoding, depth + 1);
        const [start, end] = [sql`('"start":' || ${bound("start")})`, sql`('"end":' || ${bound("end")})`];
        const members = encoding.target === "value" ? [end, start] : [start, end];
        return sql`CASE WHEN ${v} IS NULL THEN 'null' ELSE ${listSql("{", members, ",", "}")} END`;
      });
    case "ARRAY": {
      if (type.element.kind === "RECORD") return sql`coalesce(${value}, 'null')`;
      const element = variableSql(`lw_item${depth}`);
      const item = nestedJson(type.element, element, encoding, depth + 1);
      return sql`
        coalesce('[' || array_to_string(list_transform(${value}, ${lambda(element, item)}), ',') || ']',
        'null')
      `;
    }
    case "MIXED":
      return sql`coalesce(${value}, 'null')`;
    default:
      return sql`coalesce(${scalarJson(type, value, encoding)}, 'null')`;
  }
}

/** Prints the JSON text of a printed expression of the type. */
export function jsonText(type: SqlType, value: Sql, encoding: JsonEncoding): Sql {
  return nestedJson(type, value, encoding, 0);
}
