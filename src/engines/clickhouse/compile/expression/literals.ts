/**
 * How values of GoogleSQL's types lie in ClickHouse. Times are 64-bit integers: microseconds (TIMESTAMP, DATETIME,
 * TIME) or days (DATE). ClickHouse knows no NULL array and no NULL tuple, so an array and a struct are an array of at
 * most one: empty for NULL.
 */
import { formatType, type SqlType } from "../../../../googlesql/types.ts";
import { parseDate, parseDatetime, parseTime } from "../../../../values/time-text.ts";
import { floatText } from "../../parameters.ts";
import { boolSql, int64Sql, NULL, textSql } from "../../sql/atoms.ts";
import { Refusal } from "../../sql/refusal.ts";
import { type Sql, sql } from "../../sql/sql.ts";

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

/** Why ClickHouse has no type that holds the values; undefined where it has one. */
export function refusedType(type: SqlType): Refusal | undefined {
  if (type.kind === "ARRAY") return type.element.kind === "RECORD" ? undefined : refusedType(type.element);
  if (type.kind !== "STRUCT") {
    return scalarTypes[type.kind] === undefined ? new Refusal(`values of the type ${formatType(type)}`) : undefined;
  }
  if (type.fields.length === 0) return new Refusal("a STRUCT without fields");
  for (const field of type.fields) {
    const refused = refusedType(field.type);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** The name of the type that holds the values, which is not one of those that are refused. */
export function physicalType(type: SqlType): string {
  if (type.kind === "ARRAY") {
    if (type.element.kind === "RECORD") return "Nullable(String)";
    return `Array(Array(${physicalType(type.element)}))`;
  }
  if (type.kind === "STRUCT") {
    return `Array(Tuple(${type.fields.map((field) => physicalType(field.type)).join(", ")}))`;
  }
  const name = scalarTypes[type.kind];
  if (name === undefined) throw new Error(`ClickHouse has no type for ${formatType(type)}`);
  return name;
}

/** The value as one of the type. */
export function castTo(value: Sql, type: SqlType): Sql {
  if (value.isRefused) return value;
  return refusedType(type) ?? sql`CAST(${value}, ${textSql(physicalType(type))})`;
}

/** A NULL of the type. */
export function printNull(type: SqlType): Sql {
  return castTo(isWrapped(type) ? sql`[]` : NULL, type);
}

function printTime(value: bigint | number | undefined, text: string): Sql {
  return value === undefined ? new Refusal(`the literal ${text}`) : int64Sql(value);
}

/** A literal of the resolved query (see `LiteralExpr` for the texts). */
export function printLiteral(type: SqlType, value: string | null): Sql {
  if (value === null) return printNull(type);
  switch (type.kind) {
    case "INT64":
      return int64Sql(value);
    case "FLOAT64":
      return sql`CAST(${textSql(floatText(Number(value)))}, 'Float64')`;
    case "NUMERIC":
      return sql`toDecimal128(${textSql(value)}, 9)`;
    case "BOOL":
      return boolSql(value === "true");
    case "BYTES":
      return sql`base64Decode(${textSql(value)})`;
    case "DATE":
      return printTime(parseDate(value), value);
    case "TIME":
      return printTime(parseTime(value), value);
    case "DATETIME":
      return printTime(parseDatetime(value), value);
    case "TIMESTAMP":
      return int64Sql(value);
    case "STRING":
    case "JSON":
      return textSql(value);
    default:
      return new Refusal(`literals of the type ${formatType(type)}`);
  }
}
