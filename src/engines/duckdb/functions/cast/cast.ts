/**
 * CAST and SAFE_CAST between all types of GoogleSQL, as its "Conversion rules", "Conversion functions" and "Format
 * clause for CAST" pages have them.
 */

import { GoogleSqlError } from "../../../../googlesql/diagnostic.ts";
import type { CastExpr } from "../../../../googlesql/resolved.ts";
import { formatType, isRecordType, type SqlType, type StructType } from "../../../../googlesql/types.ts";
import { isSameType } from "../../../../googlesql/typing/same-type.ts";
import { physicalTypeSql } from "../../compile/expression/literals.ts";
import { NULL, nameSql, numberSql, textSql, variableSql } from "../../sql/atoms.ts";
import {
  callSql,
  castTo,
  fallible,
  fieldOf,
  infallible,
  lambda,
  raiseText,
  structFieldSql,
  tried,
} from "../../sql/forms.ts";
import { EMPTY, joinMapped, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import { jsonText } from "../json/json-encode.ts";
import { convertElements, convertMixed } from "../mixed.ts";
import { makeRange } from "../time/range.ts";
import { printBetween, printToString } from "../time/temporal-texts.ts";
import { CURRENT_INSTANT, wallFromUtc } from "../time/time-zone.ts";
import { printNumberCast } from "./cast-number.ts";

type Kind = SqlType["kind"];

const FORMATTED: ReadonlySet<Kind> = new Set([
  ...("DATE TIME DATETIME TIMESTAMP INT64 FLOAT64 NUMERIC BIGNUMERIC BYTES".split(" ") as Kind[]),
]);

function formatTo(value: Sql, from: Kind, format: Sql, zone: Sql): Sql | undefined {
  if (!FORMATTED.has(from)) return undefined;
  return callSql(`lw_${from.toLowerCase()}_as_text`, [value, format, ...(from === "TIMESTAMP" ? [zone] : [])]);
}

/** Further arguments of the readers by a format: the year and the month that a text leaves out are the current ones. */
const readerArguments: Readonly<Partial<Record<Kind, (zone: Sql) => readonly Sql[]>>> = {
  DATE: (zone) => [wallFromUtc(CURRENT_INSTANT, zone)],
  DATETIME: (zone) => [wallFromUtc(CURRENT_INSTANT, zone)],
  TIMESTAMP: (zone) => [CURRENT_INSTANT, zone],
  TIME: () => [],
  BYTES: () => [],
};

function parseFrom(value: Sql, to: Kind, format: Sql, zone: Sql): Sql | undefined {
  const others = readerArguments[to]?.(zone);
  return others && callSql(`lw_text_as_${to.toLowerCase()}`, [value, format, ...others]);
}

/** Prints the conversion by a format (SQL, as are the value and the zone); undefined where GoogleSQL has none. */
function printFormatCast(value: Sql, from: Kind, to: Kind, format: Sql, zone: Sql): Sql | undefined {
  const sql =
    to === "STRING"
      ? formatTo(value, from, format, zone)
      : from === "STRING"
        ? parseFrom(value, to, format, zone)
        : undefined;
  return sql === undefined ? undefined : fallible(sql);
}

/** One cast, as far as printing needs to know it. */
interface CastContext {
  /** The printed operand. */
  readonly operand: Sql;
  readonly from: SqlType;
  readonly to: SqlType;
  /** SAFE_CAST: what cannot be converted is NULL. Errors of the operand are errors all the same. */
  readonly isSafe: boolean;
  /** IANA name of the session's time zone. */
  readonly timeZone: string;
  /** FORMAT, as SQL. */
  readonly format?: Sql | undefined;
  /** AT TIME ZONE, as SQL. */
  readonly timeZoneSql?: Sql | undefined;
  /** For the position of an error. */
  readonly cast?: CastExpr;
}

/** A conversion by two JavaScript functions: `lw_<name>` fails, `lw_try_<name>` returns NULL. */
function byParser(name: string, args: Sql, isSafe: boolean): Sql {
  return isSafe
    ? infallible(sql`${nameSql(`lw_try_${name}`)}(${args})`)
    : fallible(sql`${nameSql(`lw_${name}`)}(${args})`);
}

interface Conversion {
  readonly zone: Sql;
  readonly isSafe: boolean;
  /** Nesting of arrays, which names lambda variables. */
  readonly depth: number;
}

function fromString(value: Sql, to: SqlType, { zone, isSafe, depth }: Conversion): Sql | undefined {
  switch (to.kind) {
    case "BYTES":
      return infallible(sql`encode(${value})`);
    case "DATE":
    case "TIME":
    case "DATETIME":
      return byParser(`${to.kind.toLowerCase()}_from_text`, value, isSafe);
    case "TIMESTAMP":
      return byParser("timestamp_from_text", sql`${value}, ${zone}`, isSafe);
    case "INTERVAL":
      return fallible(sql`CAST(lw_interval_from_text(${value}) AS INTERVAL)`);
    case "RANGE":
      return fallible(
        computeOnce([sql`lw_range_from_text(${value})`], "bounds", (bounds) => {
          const [start, end] = [1, 2].map((index) => {
            const bound = convert(sql`${bounds}[${numberSql(index)}]`, { kind: "STRING" }, to.element, {
              zone,
              isSafe: false,
              depth,
            });
            return bound ?? NULL;
          });
          return sql`CASE WHEN ${bounds} IS NOT NULL THEN ${makeRange(start ?? EMPTY, end ?? EMPTY)} END`;
        }),
      );
    default:
      return undefined;
  }
}

/** With our own message: DuckDB's gives advice on DuckDB's SQL. */
function decodeBytes(value: Sql): Sql {
  return computeOnce([value], "decode", (v) => {
    const failure = raiseText("Invalid cast of BYTES to STRING: they are not valid UTF-8");
    return sql`coalesce(${tried(sql`decode(${v})`)}, CASE WHEN ${v} IS NOT NULL THEN ${failure} END)`;
  });
}

function toText(value: Sql, from: SqlType, conversion: Conversion): Sql | undefined {
  switch (from.kind) {
    case "BYTES":
      return fallible(conversion.isSafe ? sql`decode(${value})` : decodeBytes(value));
    case "DATE":
    case "TIME":
    case "DATETIME":
    case "TIMESTAMP":
    case "INTERVAL":
      return infallible(printToString(value, from, conversion.zone));
    case "RANGE": {
      const bound = (name: string) => {
        const text = printToString(sql`struct_extract(lw_bounds, ${textSql(name)})`, from.element, conversion.zone);
        return sql`coalesce(${text}, 'UNBOUNDED')`;
      };
      const body = sql`CASE WHEN lw_bounds IS NOT NULL THEN concat('[', ${bound("start")}, ', ', ${bound("end")}, ')') END`;
      return infallible(sql`list_transform([${value}], ${lambda(variableSql("lw_bounds"), body)})[1]`);
    }
    default:
      return undefined;
  }
}

function convertStruct(value: Sql, from: StructType, to: StructType, conversion: Conversion): Sql | undefined {
  if (from.fields.length !== to.fields.length) return undefined;
  const variable = variableSql(`lw_struct${conversion.depth}`);
  const fields: Sql[] = [];
  for (const [index, field] of from.fields.entries()) {
    const target = to.fields[index]?.type ?? field.type;
    const source = fieldOf(variable, index);
    const printed = convert(source, field.type, target, { ...conversion, isSafe: false, depth: conversion.depth + 1 });
    if (printed === undefined) return undefined;
    fields.push(printed);
  }
  if (fields.length === 0) return infallible(value);
  const packed = joinMapped(fields, ", ", (field, index) => sql`${structFieldSql(index)} := ${field}`);
  const body = sql`CASE WHEN ${variable} IS NULL THEN NULL ELSE struct_pack(${packed}) END`;
  return sql`list_transform([${value}], ${lambda(variable, body)})[1]`;
}

function convertArray(value: Sql, from: SqlType, to: SqlType, conversion: Conversion): Sql | undefined {
  const variable = variableSql(`lw_element${conversion.depth}`);
  const element = convert(variable, from, to, { ...conversion, isSafe: false, depth: conversion.depth + 1 });
  if (element === undefined || element === variable) return element && infallible(value);
  return sql`list_transform(${value}, ${lambda(variable, element)})`;
}

/** Prints a conversion; undefined where GoogleSQL has none. */
function convert(value: Sql, from: SqlType, to: SqlType, conversion: Conversion): Sql | undefined {
  if (from.kind === "UNKNOWN") return infallible(castTo(value, physicalTypeSql(to)));
  if (isSameType(from, to)) return infallible(value);
  const fromText = (text: Sql, type: SqlType) => convert(text, { kind: "STRING" }, type, conversion);
  if (from.kind === "MIXED") return convertMixed(value, to, conversion.isSafe, fromText);
  if (to.kind === "MIXED") return infallible(toMixed(value, from));
  if (from.kind === "ARRAY" && from.element.kind === "MIXED" && to.kind === "ARRAY")
    return convertElements(value, to.element, conversion.isSafe, fromText);
  if (isRecordType(from) && (to.kind === "STRING" || to.kind === "JSON" || isRecordType(to))) return infallible(value);
  if (from.kind === "ARRAY" && to.kind === "ARRAY") return convertArray(value, from.element, to.element, conversion);
  if (from.kind === "STRUCT" && to.kind === "STRUCT") return convertStruct(value, from, to, conversion);
  return (
    printNumberCast(value, from.kind, to.kind, conversion.isSafe) ??
    (from.kind === "STRING" ? fromString(value, to, conversion) : undefined) ??
    (to.kind === "STRING" ? toText(value, from, conversion) : undefined) ??
    printBetween(value, from, to, conversion.zone)
  );
}

/** The value as one of several shapes. Whole numbers have no point there. */
function toMixed(value: Sql, from: SqlType): Sql {
  if (isRecordType(from)) return value;
  return computeOnce([value], "to_mixed", (v) => {
    const text = jsonText(from, v, { target: "value" });
    const isFloat = from.kind === "FLOAT64" || (from.kind === "ARRAY" && from.element.kind === "FLOAT64");
    const canonical = isFloat ? sql`regexp_replace(${text}, '\\.0([],]|$)', '\\1', 'g')` : text;
    return sql`CASE WHEN ${v} IS NOT NULL THEN ${canonical} END`;
  });
}

/** Prints the cast of a value. Throws `GoogleSqlError` where the types have no such conversion. */
export function printCast(context: CastContext): Sql {
  const { operand, from, to, isSafe, timeZone, format, timeZoneSql, cast } = context;
  const operands = [operand, timeZoneSql ?? textSql(timeZone), ...(format === undefined ? [] : [format])];
  const build = ([value = EMPTY, zone = EMPTY, pattern]: readonly Sql[]): Sql => {
    const printed =
      pattern === undefined
        ? convert(value, from, to, { zone, isSafe, depth: 0 })
        : printFormatCast(value, from.kind, to.kind, pattern, zone);
    if (printed !== undefined) return printed;
    const message = `Invalid cast from ${formatType(from)} to ${formatType(to)}${format === undefined ? "" : " with FORMAT"}`;
    throw new GoogleSqlError("", [{ code: "type_mismatch", message, span: cast?.span ?? { start: 0, end: 0 } }]);
  };
  // That the operand can fail is nothing of the conversion's.
  const printed = build([infallible(operand), ...operands.slice(1)]);
  if (!isSafe || !printed.canFail) return printed;
  // What fails inside TRY must be the conversion, not its operands.
  return computeOnce(operands, "cast", (...values) => tried(build(values)));
}
