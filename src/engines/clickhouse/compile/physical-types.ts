/**
 * How values of GoogleSQL's types lie in ClickHouse. Times are 64-bit integers: microseconds (TIMESTAMP, DATETIME,
 * TIME) or days (DATE). ClickHouse knows no NULL array and no NULL tuple, so an array and a struct are an array of at
 * most one: empty for NULL.
 */
import { formatType, type SqlType } from "../../../googlesql/types.ts";
import { parseDate, parseDatetime, parseTime } from "../../../values/time-text.ts";
import { quoteText } from "../driver/quote.ts";
import { floatText } from "../parameters.ts";
import { NotPushed } from "./not-pushed.ts";

const scalarTypes: Readonly<Partial<Record<SqlType["kind"], string>>> = {
  INT64: "Nullable(Int64)",
  FLOAT64: "Nullable(Float64)",
  NUMERIC: "Nullable(Decimal(38, 9))",
  BOOL: "Nullable(Bool)",
  STRING: "Nullable(String)",
  BYTES: "Nullable(String)",
  DATE: "Nullable(Int64)",
  TIME: "Nullable(Int64)",
  DATETIME: "Nullable(Int64)",
  TIMESTAMP: "Nullable(Int64)",
  JSON: "Nullable(String)",
  RECORD: "Nullable(String)",
  MIXED: "Nullable(String)",
  UNKNOWN: "Nullable(Int64)",
};

/** Is the value an array of at most one on the server? */
export function isWrapped(type: SqlType): boolean {
  return type.kind === "STRUCT" || (type.kind === "ARRAY" && type.element.kind !== "RECORD");
}

/** The name of the type that holds the values. Throws `NotPushed` where there is none. */
export function physicalType(type: SqlType): string {
  if (type.kind === "ARRAY") {
    if (type.element.kind === "RECORD") return "Nullable(String)";
    return `Array(Array(${physicalType(type.element)}))`;
  }
  if (type.kind === "STRUCT") {
    if (type.fields.length === 0) throw new NotPushed("a STRUCT without fields");
    return `Array(Tuple(${type.fields.map((field) => physicalType(field.type)).join(", ")}))`;
  }
  const name = scalarTypes[type.kind];
  if (name === undefined) throw new NotPushed(`values of the type ${formatType(type)}`);
  return name;
}

/** A NULL of the type. */
export function printNull(type: SqlType): string {
  return isWrapped(type) ? `CAST([], '${physicalType(type)}')` : `CAST(NULL, '${physicalType(type)}')`;
}

function printInt64(value: bigint | number | string): string {
  // A minus before a cast would be cast too, or not.
  return String(value).startsWith("-") ? `toInt64(${value})` : `${value}::Int64`;
}

function printFloat64(text: string): string {
  return `CAST('${floatText(Number(text))}', 'Float64')`;
}

function printTime(value: bigint | number | undefined, text: string): string {
  if (value === undefined) throw new NotPushed(`the literal ${text}`);
  return printInt64(value);
}

/** A literal of the resolved query (see `LiteralExpr` for the texts). */
export function printLiteral(type: SqlType, value: string | null): string {
  if (value === null) return printNull(type);
  switch (type.kind) {
    case "INT64":
      return printInt64(value);
    case "FLOAT64":
      return printFloat64(value);
    case "NUMERIC":
      return `toDecimal128(${quoteText(value)}, 9)`;
    case "BOOL":
      return value === "true" ? "true" : "false";
    case "BYTES":
      return `base64Decode(${quoteText(value)})`;
    case "DATE":
      return printTime(parseDate(value), value);
    case "TIME":
      return printTime(parseTime(value), value);
    case "DATETIME":
      return printTime(parseDatetime(value), value);
    case "TIMESTAMP":
      return printInt64(BigInt(value));
    case "STRING":
    case "JSON":
      return quoteText(value);
    default:
      throw new NotPushed(`literals of the type ${formatType(type)}`);
  }
}
