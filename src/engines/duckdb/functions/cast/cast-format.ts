/** CAST(... FORMAT ...): the conversions of the "Format clause for CAST" page. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { nameSql } from "../../sql/atoms.ts";
import { fallible } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { CURRENT_INSTANT, wallFromUtc } from "../time/time-zone.ts";

type Kind = SqlType["kind"];

function formatTo(value: Sql, from: Kind, format: Sql, zone: Sql): Sql | undefined {
  switch (from) {
    case "DATE":
    case "TIME":
    case "DATETIME":
    case "INT64":
    case "FLOAT64":
    case "NUMERIC":
    case "BIGNUMERIC":
    case "BYTES":
      return sql`${nameSql(`lw_${from.toLowerCase()}_as_text`)}(${value}, ${format})`;
    case "TIMESTAMP":
      return sql`lw_timestamp_as_text(${value}, ${format}, ${zone})`;
    default:
      return undefined;
  }
}

function parseFrom(value: Sql, to: Kind, format: Sql, zone: Sql): Sql | undefined {
  switch (to) {
    case "DATE":
    case "DATETIME":
      // The year and the month that the text leaves out are the current ones.
      return sql`${nameSql(`lw_text_as_${to.toLowerCase()}`)}(${value}, ${format}, ${wallFromUtc(CURRENT_INSTANT, zone)})`;
    case "TIME":
    case "BYTES":
      return sql`${nameSql(`lw_text_as_${to.toLowerCase()}`)}(${value}, ${format})`;
    case "TIMESTAMP":
      return sql`lw_text_as_timestamp(${value}, ${format}, ${CURRENT_INSTANT}, ${zone})`;
    default:
      return undefined;
  }
}

/** Prints the conversion by a format (SQL, as are the value and the zone); undefined where GoogleSQL has none. */
export function printFormatCast(value: Sql, from: Kind, to: Kind, format: Sql, zone: Sql): Sql | undefined {
  const sql =
    to === "STRING"
      ? formatTo(value, from, format, zone)
      : from === "STRING"
        ? parseFrom(value, to, format, zone)
        : undefined;
  return sql === undefined ? undefined : fallible(sql);
}
