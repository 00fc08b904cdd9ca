/**
 * CAST and SAFE_CAST between all types of GoogleSQL, as its "Conversion rules" and "Conversion functions" pages have
 * them.
 */
import { GoogleSqlError } from "../../../../googlesql/diagnostic.ts";
import type { CastExpr } from "../../../../googlesql/resolved.ts";
import { formatType, type SqlType, type StructType } from "../../../../googlesql/types.ts";
import { isSameType } from "../../../../googlesql/typing/same-type.ts";
import { physicalTypeSql } from "../../compile/expression/literals.ts";
import { quoteString, raiseError, structFieldName } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import { jsonText } from "../json/json-encode.ts";
import { convertElements, convertMixed } from "../mixed.ts";
import { makeRange } from "../time/range.ts";
import { printBetween, printToString } from "../time/temporal-casts.ts";
import { printFormatCast } from "./cast-format.ts";
import { printNumberCast } from "./cast-number.ts";
import { fallible, infallible, type PrintedCast } from "./cast-result.ts";

/** One cast, as far as printing needs to know it. */
export interface CastContext {
  /** The printed operand. */
  readonly operand: string;
  readonly from: SqlType;
  readonly to: SqlType;
  /** SAFE_CAST: what cannot be converted is NULL. Errors of the operand are errors all the same. */
  readonly isSafe: boolean;
  /** IANA name of the session's time zone. */
  readonly timeZone: string;
  /** FORMAT, as SQL. */
  readonly format?: string | undefined;
  /** AT TIME ZONE, as SQL. */
  readonly timeZoneSql?: string | undefined;
  /** For the position of an error. */
  readonly cast?: CastExpr;
}

/** A conversion by two functions of ours: `lw_<name>` fails, `lw_try_<name>` answers NULL. */
function byParser(name: string, args: string, isSafe: boolean): PrintedCast {
  return isSafe ? infallible(`lw_try_${name}(${args})`) : fallible(`lw_${name}(${args})`);
}

function isRecord(type: SqlType): boolean {
  return type.kind === "RECORD" || (type.kind === "ARRAY" && type.element.kind === "RECORD");
}

interface Conversion {
  readonly zone: string;
  readonly isSafe: boolean;
  /** Nesting of arrays, which names lambda variables. */
  readonly depth: number;
}

function fromString(value: string, to: SqlType, { zone, isSafe, depth }: Conversion): PrintedCast | undefined {
  switch (to.kind) {
    case "BYTES":
      return infallible(`encode(${value})`);
    case "DATE":
    case "TIME":
    case "DATETIME":
      return byParser(`${to.kind.toLowerCase()}_from_text`, value, isSafe);
    case "TIMESTAMP":
      return byParser("timestamp_from_text", `${value}, ${zone}`, isSafe);
    case "INTERVAL":
      return fallible(`CAST(lw_interval_from_text(${value}) AS INTERVAL)`);
    case "RANGE":
      return fallible(
        computeOnce([`lw_range_from_text(${value})`], "bounds", (bounds) => {
          const [start, end] = [1, 2].map((index) => {
            const bound = convert(`${bounds}[${index}]`, { kind: "STRING" }, to.element, {
              zone,
              isSafe: false,
              depth,
            });
            return bound?.sql ?? "NULL";
          });
          return `CASE WHEN ${bounds} IS NOT NULL THEN ${makeRange(start ?? "", end ?? "")} END`;
        }),
      );
    default:
      return undefined;
  }
}

/** With a message of ours: DuckDB's tells how to write DuckDB. */
function decodeBytes(value: string): string {
  return computeOnce([value], "decode", (v) => {
    const failure = raiseError(quoteString("Invalid cast of BYTES to STRING: they are not valid UTF-8"));
    return `coalesce(TRY(decode(${v})), CASE WHEN ${v} IS NOT NULL THEN ${failure} END)`;
  });
}

function toText(value: string, from: SqlType, conversion: Conversion): PrintedCast | undefined {
  switch (from.kind) {
    case "BYTES":
      return fallible(conversion.isSafe ? `decode(${value})` : decodeBytes(value));
    case "DATE":
    case "TIME":
    case "DATETIME":
    case "TIMESTAMP":
    case "INTERVAL":
      return infallible(printToString(value, from, conversion.zone));
    case "RANGE": {
      const bound = (name: string) => {
        const text = printToString(`struct_extract(lw_bounds, '${name}')`, from.element, conversion.zone);
        return `coalesce(${text}, 'UNBOUNDED')`;
      };
      const body = `CASE WHEN lw_bounds IS NOT NULL THEN concat('[', ${bound("start")}, ', ', ${bound("end")}, ')') END`;
      return infallible(`list_transform([${value}], lambda lw_bounds: ${body})[1]`);
    }
    default:
      return undefined;
  }
}

function convertStruct(
  value: string,
  from: StructType,
  to: StructType,
  conversion: Conversion,
): PrintedCast | undefined {
  if (from.fields.length !== to.fields.length) return undefined;
  const variable = `lw_struct${conversion.depth}`;
  const fields: PrintedCast[] = [];
  for (const [index, field] of from.fields.entries()) {
    const target = to.fields[index]?.type ?? field.type;
    const source = `struct_extract(${variable}, '${structFieldName(index)}')`;
    const printed = convert(source, field.type, target, { ...conversion, isSafe: false, depth: conversion.depth + 1 });
    if (printed === undefined) return undefined;
    fields.push(printed);
  }
  if (fields.length === 0) return infallible(value);
  const packed = fields.map(({ sql }, index) => `${structFieldName(index)} := ${sql}`).join(", ");
  const body = `CASE WHEN ${variable} IS NULL THEN NULL ELSE struct_pack(${packed}) END`;
  return {
    sql: `list_transform([${value}], lambda ${variable}: ${body})[1]`,
    canFail: fields.some(({ canFail }) => canFail),
  };
}

function convertArray(value: string, from: SqlType, to: SqlType, conversion: Conversion): PrintedCast | undefined {
  const variable = `lw_element${conversion.depth}`;
  const element = convert(variable, from, to, { ...conversion, isSafe: false, depth: conversion.depth + 1 });
  if (element === undefined || element.sql === variable) return element && infallible(value);
  return { sql: `list_transform(${value}, lambda ${variable}: ${element.sql})`, canFail: element.canFail };
}

/** Prints a conversion; undefined where GoogleSQL has none. */
function convert(value: string, from: SqlType, to: SqlType, conversion: Conversion): PrintedCast | undefined {
  if (from.kind === "UNKNOWN") return infallible(`CAST(${value} AS ${physicalTypeSql(to)})`);
  if (isSameType(from, to)) return infallible(value);
  const fromText = (text: string, type: SqlType) => convert(text, { kind: "STRING" }, type, conversion);
  if (from.kind === "MIXED") return convertMixed(value, to, conversion.isSafe, fromText);
  if (to.kind === "MIXED") return infallible(toMixed(value, from));
  if (from.kind === "ARRAY" && from.element.kind === "MIXED" && to.kind === "ARRAY")
    return convertElements(value, to.element, conversion.isSafe, fromText);
  if (isRecord(from) && (to.kind === "STRING" || to.kind === "JSON" || isRecord(to))) return infallible(value);
  if (from.kind === "ARRAY" && to.kind === "ARRAY") return convertArray(value, from.element, to.element, conversion);
  if (from.kind === "STRUCT" && to.kind === "STRUCT") return convertStruct(value, from, to, conversion);
  return (
    printNumberCast(value, from.kind, to.kind, conversion.isSafe) ??
    (from.kind === "STRING" ? fromString(value, to, conversion) : undefined) ??
    (to.kind === "STRING" ? toText(value, from, conversion) : undefined) ??
    convertTemporal(value, from, to, conversion)
  );
}

/** The value as one of several shapes. Whole numbers have no point there. */
function toMixed(value: string, from: SqlType): string {
  if (isRecord(from)) return value;
  return computeOnce([value], "to_mixed", (v) => {
    const text = jsonText(from, v, { target: "value" });
    const isFloat = from.kind === "FLOAT64" || (from.kind === "ARRAY" && from.element.kind === "FLOAT64");
    const canonical = isFloat ? `regexp_replace(${text}, '\\.0([],]|$)', '\\1', 'g')` : text;
    return `CASE WHEN ${v} IS NOT NULL THEN ${canonical} END`;
  });
}

function convertTemporal(value: string, from: SqlType, to: SqlType, { zone }: Conversion): PrintedCast | undefined {
  const sql = printBetween(value, from, to, zone);
  return sql === undefined ? undefined : sql.startsWith("lw_") ? fallible(sql) : infallible(sql);
}

/** Prints the cast of a value. Throws `GoogleSqlError` where the types have no such conversion. */
export function printCast(context: CastContext): string {
  const { operand, from, to, isSafe, timeZone, format, timeZoneSql, cast } = context;
  const zone = timeZoneSql ?? quoteString(timeZone);
  const build = (value: string): PrintedCast => {
    const printed =
      format === undefined
        ? convert(value, from, to, { zone, isSafe, depth: 0 })
        : printFormatCast(value, from.kind, to.kind, format, zone);
    if (printed !== undefined) return printed;
    const message = `Invalid cast from ${formatType(from)} to ${formatType(to)}${format === undefined ? "" : " with FORMAT"}`;
    throw new GoogleSqlError("", [{ code: "type_mismatch", message, span: cast?.span ?? { start: 0, end: 0 } }]);
  };
  const printed = build(operand);
  if (!isSafe || !printed.canFail) return printed.sql;
  // What fails inside TRY must be the conversion, not its operand.
  return computeOnce([operand], "cast", (value) => `TRY(${build(value).sql})`);
}
