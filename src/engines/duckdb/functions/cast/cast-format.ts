/** CAST(... FORMAT ...): the conversions of the "Format clause for CAST" page. */
import type { SqlType } from "../../../../googlesql/types.ts";
import { CURRENT_INSTANT, wallFromUtc } from "../time/time-zone.ts";
import { fallible, type PrintedCast } from "./cast-result.ts";

type Kind = SqlType["kind"];

function formatTo(value: string, from: Kind, format: string, zone: string): string | undefined {
  switch (from) {
    case "DATE":
    case "TIME":
    case "DATETIME":
    case "INT64":
    case "FLOAT64":
    case "NUMERIC":
    case "BIGNUMERIC":
    case "BYTES":
      return `lw_${from.toLowerCase()}_as_text(${value}, ${format})`;
    case "TIMESTAMP":
      return `lw_timestamp_as_text(${value}, ${format}, ${zone})`;
    default:
      return undefined;
  }
}

function parseFrom(value: string, to: Kind, format: string, zone: string): string | undefined {
  switch (to) {
    case "DATE":
    case "DATETIME":
      // The year and the month that the text leaves out are the current ones.
      return `lw_text_as_${to.toLowerCase()}(${value}, ${format}, ${wallFromUtc(CURRENT_INSTANT, zone)})`;
    case "TIME":
    case "BYTES":
      return `lw_text_as_${to.toLowerCase()}(${value}, ${format})`;
    case "TIMESTAMP":
      return `lw_text_as_timestamp(${value}, ${format}, ${CURRENT_INSTANT}, ${zone})`;
    default:
      return undefined;
  }
}

/** Prints the conversion by a format (SQL, as are the value and the zone); undefined where GoogleSQL has none. */
export function printFormatCast(
  value: string,
  from: Kind,
  to: Kind,
  format: string,
  zone: string,
): PrintedCast | undefined {
  const sql =
    to === "STRING"
      ? formatTo(value, from, format, zone)
      : from === "STRING"
        ? parseFrom(value, to, format, zone)
        : undefined;
  return sql === undefined ? undefined : fallible(sql);
}
