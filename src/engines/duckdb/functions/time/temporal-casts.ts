/** Dates, times and intervals as text, and between one another. Every function takes and gives SQL expressions. */
import type { SqlType } from "../../../../googlesql/types.ts";
import { computeOnce } from "../compute-once.ts";
import { intervalToText } from "./interval.ts";
import { isUtc, utcFromWall, wallFromUtc } from "./time-zone.ts";

/** A DuckDB TIMESTAMP by strftime, with no, three or six digits of the second's fraction. */
function withFraction(value: string, format: string, suffix = ""): string {
  return computeOnce([value], "fraction", (v) => {
    const micros = `datepart('microsecond', ${v})`;
    return (
      `CASE WHEN ${micros} % 1000000 = 0 THEN strftime(${v}, '${format}${suffix}') ` +
      `WHEN ${micros} % 1000 = 0 THEN strftime(${v}, '${format}.%g${suffix}') ` +
      `ELSE strftime(${v}, '${format}.%f${suffix}') END`
    );
  });
}

const DATETIME_FORMAT = "%Y-%m-%d %H:%M:%S";

/** CAST(DATE, TIME, DATETIME, TIMESTAMP or INTERVAL AS STRING); `zone` is for a TIMESTAMP. */
export function printToString(value: string, type: SqlType, zone: string): string {
  switch (type.kind) {
    case "DATE":
      return `strftime(${value}, '%Y-%m-%d')`;
    case "TIME":
      return withFraction(`(DATE '1970-01-01' + ${value})`, "%H:%M:%S");
    case "DATETIME":
      return withFraction(value, DATETIME_FORMAT);
    case "TIMESTAMP":
      return isUtc(zone) ? withFraction(value, DATETIME_FORMAT, "+00") : `lw_timestamp_to_text(${value}, ${zone})`;
    case "INTERVAL":
      return intervalToText(value);
    default:
      throw new Error(`${type.kind} is no type of dates and times`);
  }
}

/** Casts among DATE, TIME, DATETIME and TIMESTAMP; undefined where there is none. */
export function printBetween(value: string, from: SqlType, to: SqlType, zone: string): string | undefined {
  switch (`${from.kind} ${to.kind}`) {
    case "DATE DATETIME":
      return `CAST(${value} AS TIMESTAMP)`;
    case "DATE TIMESTAMP":
      return utcFromWall(`CAST(${value} AS TIMESTAMP)`, zone);
    case "DATETIME DATE":
      return `CAST(${value} AS DATE)`;
    case "DATETIME TIME":
      return `CAST(${value} AS TIME)`;
    case "DATETIME TIMESTAMP":
      return utcFromWall(value, zone);
    case "TIMESTAMP DATE":
      return `CAST(${wallFromUtc(value, zone)} AS DATE)`;
    case "TIMESTAMP TIME":
      return `CAST(${wallFromUtc(value, zone)} AS TIME)`;
    case "TIMESTAMP DATETIME":
      return wallFromUtc(value, zone);
    default:
      return undefined;
  }
}
