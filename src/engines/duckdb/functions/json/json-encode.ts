/**
 * SQL values of any type as JSON text, printed by type. The text is never NULL: a NULL is `null`.
 * Source: "JSON encodings" of the GoogleSQL JSON functions page.
 */
import type { SqlType, StructType } from "../../../../googlesql/types.ts";
import { quoteString, structFieldName } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import { bignumericToString } from "../number/bignumeric.ts";
import { numericToString } from "../number/numeric.ts";
import { printToString } from "../time/temporal-casts.ts";

/**
 * `text`: TO_JSON_STRING, where wide numbers are strings. `value`: TO_JSON and the functions that take values of any
 * type.
 */
export interface JsonEncoding {
  readonly target: "text" | "value";
  /** For `value`: a BOOL expression; true makes numbers strings that a double does not hold exactly. */
  readonly stringifyWide?: string;
}

const UTC = "'UTC'";

const MAX_EXACT = "9007199254740992";

function quote(text: string): string {
  return `('"' || ${text} || '"')`;
}

/** Wide integers are those that a double does not hold exactly. */
function int64Json(value: string, { target, stringifyWide }: JsonEncoding): string {
  if (target === "value" && stringifyWide === undefined) return `CAST(${value} AS VARCHAR)`;
  return computeOnce([value], "int", (v) => {
    const isNarrow = `${v} BETWEEN -${MAX_EXACT} AND ${MAX_EXACT}`;
    const isKept = target === "text" ? isNarrow : `${isNarrow} OR NOT ${stringifyWide}`;
    return `CASE WHEN ${isKept} THEN CAST(${v} AS VARCHAR) ELSE ${quote(`CAST(${v} AS VARCHAR)`)} END`;
  });
}

function float64Json(value: string, { target }: JsonEncoding): string {
  return computeOnce([value], "float", (v) => {
    if (target === "value") {
      // Between these bounds DuckDB writes a double as canonical JSON has it.
      return (
        `CASE WHEN ${v} = 0 THEN '0.0' WHEN abs(${v}) BETWEEN 1e-4 AND 999999999999999 ` +
        `THEN CAST(${v} AS VARCHAR) ELSE lw_json_double(${v}) END`
      );
    }
    return `CASE WHEN isfinite(${v}) THEN lw_float64_to_text(${v}) ELSE lw_json_double(${v}) END`;
  });
}

function decimalJson(text: string, { target, stringifyWide }: JsonEncoding): string {
  if (target === "value") return `lw_json_decimal(${text}, ${stringifyWide ?? "false"})`;
  return computeOnce([text], "decimal", (v) => {
    const isNarrow = `regexp_full_match(${v}, '-?[0-9]{1,16}') AND abs(CAST(${v} AS BIGINT)) <= ${MAX_EXACT}`;
    return `CASE WHEN ${isNarrow} THEN ${v} ELSE ${quote(v)} END`;
  });
}

/**
 * A JSON string. DuckDB writes the codes of control characters in upper case, JSON values here have them in lower
 * case.
 */
function stringJson(value: string): string {
  return computeOnce([value], "string", (v) =>
    computeOnce(
      [`CAST(to_json(${v}) AS VARCHAR)`],
      "escaped",
      (text) => `CASE WHEN contains(${text}, '\\u00') THEN lw_json_string_text(${v}) ELSE ${text} END`,
    ),
  );
}

/** What ends a line in JavaScript, though not in JSON. */
function withoutLineSeparators(json: string): string {
  return `replace(replace(${json}, '\u2028', '\\u2028'), '\u2029', '\\u2029')`;
}

function structJson(type: StructType, value: string, encoding: JsonEncoding, depth: number): string {
  return computeOnce([value], `struct${depth}`, (v) => {
    const seen = new Set<string>();
    const members = type.fields.flatMap((field, index) => {
      const name = field.name ?? "";
      // A JSON value has one member of a name, a JSON text as many as the struct has.
      if (encoding.target === "value" && seen.has(name)) return [];
      seen.add(name);
      const member = nestedJson(field.type, `struct_extract(${v}, '${structFieldName(index)}')`, encoding, depth + 1);
      return [`${quoteString(`${JSON.stringify(name)}:`)} || ${member}`];
    });
    const text = members.length === 0 ? "'{}'" : `'{' || ${members.join(" || ',' || ")} || '}'`;
    return `CASE WHEN ${v} IS NULL THEN 'null' ELSE ${text} END`;
  });
}

function scalarJson(type: SqlType, value: string, encoding: JsonEncoding): string {
  switch (type.kind) {
    case "BOOL":
      return `CAST(${value} AS VARCHAR)`;
    case "INT64":
      return int64Json(value, encoding);
    case "FLOAT64":
      return float64Json(value, encoding);
    case "NUMERIC":
      return decimalJson(numericToString(value), encoding);
    case "BIGNUMERIC":
      return decimalJson(bignumericToString(value), encoding);
    case "STRING":
      return encoding.target === "text" ? withoutLineSeparators(stringJson(value)) : stringJson(value);
    case "BYTES":
      return quote(`to_base64(${value})`);
    case "DATE":
    case "TIME":
      return quote(printToString(value, type, UTC));
    case "DATETIME":
      return quote(`replace(${printToString(value, type, UTC)}, ' ', 'T')`);
    case "TIMESTAMP":
      return quote(`replace(${printToString(value, { kind: "DATETIME" }, UTC)}, ' ', 'T') || 'Z'`);
    case "INTERVAL":
      return quote(`lw_interval_iso(${printToString(value, type, UTC)})`);
    default:
      return value;
  }
}

function nestedJson(type: SqlType, value: string, encoding: JsonEncoding, depth: number): string {
  switch (type.kind) {
    case "UNKNOWN":
      return "'null'";
    case "STRUCT":
      return structJson(type, value, encoding, depth);
    case "RANGE":
      return computeOnce([value], `range${depth}`, (v) => {
        const bound = (name: string) =>
          nestedJson(type.element, `struct_extract(${v}, '${name}')`, encoding, depth + 1);
        const [start, end] = [`'"start":' || ${bound("start")}`, `'"end":' || ${bound("end")}`];
        const members = encoding.target === "value" ? [end, start] : [start, end];
        return `CASE WHEN ${v} IS NULL THEN 'null' ELSE '{' || ${members.join(" || ',' || ")} || '}' END`;
      });
    case "ARRAY": {
      if (type.element.kind === "RECORD") return `coalesce(${value}, 'null')`;
      const element = `lw_item${depth}`;
      const item = nestedJson(type.element, element, encoding, depth + 1);
      return (
        `coalesce('[' || array_to_string(list_transform(${value}, lambda ${element}: ${item}), ',') || ']', ` +
        "'null')"
      );
    }
    case "MIXED":
      return `coalesce(${value}, 'null')`;
    default:
      return `coalesce(${scalarJson(type, value, encoding)}, 'null')`;
  }
}

/** Prints the JSON text of a printed expression of the type. */
export function jsonText(type: SqlType, value: string, encoding: JsonEncoding): string {
  return nestedJson(type, value, encoding, 0);
}
