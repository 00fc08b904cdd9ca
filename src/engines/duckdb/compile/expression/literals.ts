/** DuckDB's names of the physical types, and values of GoogleSQL types as DuckDB expressions. */
import type { ScalarKind, SqlType } from "../../../../googlesql/types.ts";
import { parseInterval } from "../../../../semantics/time/calendar.ts";
import { BIGNUMERIC_TYPE, bignumericLiteral } from "../../functions/number/bignumeric.ts";
import { NUMERIC_TYPE, numericLiteral } from "../../functions/number/numeric.ts";
import { quoteString, structFieldName } from "../../sql-text.ts";

const scalarTypes: Readonly<Record<ScalarKind, string>> = {
  INT64: "BIGINT",
  FLOAT64: "DOUBLE",
  NUMERIC: NUMERIC_TYPE,
  BIGNUMERIC: BIGNUMERIC_TYPE,
  BOOL: "BOOLEAN",
  STRING: "VARCHAR",
  BYTES: "BLOB",
  DATE: "DATE",
  TIME: "TIME",
  DATETIME: "TIMESTAMP",
  TIMESTAMP: "TIMESTAMP",
  INTERVAL: "INTERVAL",
  JSON: "VARCHAR",
  UNKNOWN: "BIGINT",
};

/** The DuckDB type that holds values of a GoogleSQL type, as SQL writes it. */
export function physicalTypeSql(type: SqlType): string {
  switch (type.kind) {
    case "ARRAY":
      return type.element.kind === "RECORD" ? "VARCHAR" : `${physicalTypeSql(type.element)}[]`;
    case "STRUCT": {
      const fields = type.fields.map((field, index) => `${structFieldName(index)} ${physicalTypeSql(field.type)}`);
      return `STRUCT(${fields.length === 0 ? `${structFieldName(0)} BOOLEAN` : fields.join(", ")})`;
    }
    case "RANGE": {
      const bound = physicalTypeSql(type.element);
      return `STRUCT("start" ${bound}, "end" ${bound})`;
    }
    case "RECORD":
    case "MIXED":
      return "VARCHAR";
    default:
      return scalarTypes[type.kind];
  }
}

/** A NULL of the type. */
export function printNull(type: SqlType): string {
  return type.kind === "UNKNOWN" ? "NULL" : `CAST(NULL AS ${physicalTypeSql(type)})`;
}

function printInt64(text: string): string {
  if (!text.startsWith("-")) return `${text}::BIGINT`;
  // In parentheses, so that a minus before it makes no comment; the smallest value has no positive twin.
  return text === "-9223372036854775808" ? `CAST('${text}' AS BIGINT)` : `(${text})::BIGINT`;
}

function printFloat64(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return `CAST('${Number.isNaN(value) ? "NaN" : text}' AS DOUBLE)`;
  // By way of text: DuckDB reads a bare `0.1` as a DECIMAL.
  return `CAST('${Object.is(value, -0) ? "-0" : String(value)}' AS DOUBLE)`;
}

function printInterval(text: string): string {
  const parts = parseInterval(text);
  if (parts === undefined) throw new Error(`Invalid INTERVAL literal: ${text}`);
  return (
    `(to_months(CAST(${parts.months} AS INTEGER)) + to_days(CAST(${parts.days} AS INTEGER)) + ` +
    `to_microseconds(CAST('${parts.micros}' AS BIGINT)))`
  );
}

/** A literal of the resolved query (see `LiteralExpr` for the texts), safe to place anywhere. */
export function printLiteral(type: SqlType, value: string | null): string {
  if (value === null) return printNull(type);
  switch (type.kind) {
    case "INT64":
      return printInt64(value);
    case "FLOAT64":
      return printFloat64(value);
    case "NUMERIC":
      return numericLiteral(value);
    case "BIGNUMERIC":
      return bignumericLiteral(value);
    case "BOOL":
      return value === "true" ? "true" : "false";
    case "BYTES":
      return `from_base64(${quoteString(value)})`;
    case "DATE":
      return `CAST(${quoteString(value)} AS DATE)`;
    case "TIME":
      return `CAST(${quoteString(value)} AS TIME)`;
    case "DATETIME":
      return `CAST(${quoteString(value)} AS TIMESTAMP)`;
    case "TIMESTAMP":
      return `make_timestamp(CAST('${BigInt(value)}' AS BIGINT))`;
    case "INTERVAL":
      return printInterval(value);
    default:
      return quoteString(value);
  }
}
