/** Dates, times and intervals as text, and between one another. Every function takes and gives SQL expressions. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { textSql } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { DATE, TIME, TIMESTAMP } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import { intervalToText } from "./interval.ts";
import { isUtc, utcFromWall, wallFromUtc } from "./time-zone.ts";

/** A DuckDB TIMESTAMP by strftime, with no, three or six digits of the second's fraction. */
function withFraction(value: Sql, format: string, suffix = ""): Sql {
  return computeOnce([value], "fraction", (v) => {
    const micros = sql`datepart('microsecond', ${v})`;
    return sql`
      CASE WHEN ${micros} % 1000000 = 0 THEN strftime(${v}, ${textSql(`${format}${suffix}`)})
      WHEN ${micros} % 1000 = 0 THEN strftime(${v}, ${textSql(`${format}.%g${suffix}`)})
      ELSE strftime(${v}, ${textSql(`${format}.%f${suffix}`)}) END
    `;
  });
}

const DATETIME_FORMAT = "%Y-%m-%d %H:%M:%S";

/** CAST(DATE, TIME, DATETIME, TIMESTAMP or INTERVAL AS STRING); `zone` is for a TIMESTAMP. */
export function printToString(value: Sql, type: SqlType, zone: Sql): Sql {
  switch (type.kind) {
    case "DATE":
      return sql`strftime(${value}, '%Y-%m-%d')`;
    case "TIME":
      return withFraction(sql`(DATE '1970-01-01' + ${value})`, "%H:%M:%S");
    case "DATETIME":
      return withFraction(value, DATETIME_FORMAT);
    case "TIMESTAMP":
      return isUtc(zone) ? withFraction(value, DATETIME_FORMAT, "+00") : sql`lw_timestamp_to_text(${value}, ${zone})`;
    case "INTERVAL":
      return intervalToText(value);
    default:
      throw new Error(`${type.kind} is no type of dates and times`);
  }
}

/** Casts among DATE, TIME, DATETIME and TIMESTAMP; undefined where there is none. */
export function printBetween(value: Sql, from: SqlType, to: SqlType, zone: Sql): Sql | undefined {
  switch (`${from.kind} ${to.kind}`) {
    case "DATE DATETIME":
      return castTo(value, TIMESTAMP);
    case "DATE TIMESTAMP":
      return utcFromWall(castTo(value, TIMESTAMP), zone);
    case "DATETIME DATE":
      return castTo(value, DATE);
    case "DATETIME TIME":
      return castTo(value, TIME);
    case "DATETIME TIMESTAMP":
      return utcFromWall(value, zone);
    case "TIMESTAMP DATE":
      return castTo(wallFromUtc(value, zone), DATE);
    case "TIMESTAMP TIME":
      return castTo(wallFromUtc(value, zone, true), TIME);
    case "TIMESTAMP DATETIME":
      return wallFromUtc(value, zone);
    default:
      return undefined;
  }
}
