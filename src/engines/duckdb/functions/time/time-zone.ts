/**
 * Wall clocks and instants. A TIMESTAMP is stored as its UTC wall clock, so that in UTC a conversion from or to
 * DATETIME prints nothing at all, and an offset prints an addition. Named zones that are literals are DuckDB's own,
 * but where clocks show a time twice: DuckDB takes the later instant and GoogleSQL the earlier, so that is a function
 * of ours, as are zones that are known only when the query runs.
 */

import { readOffset } from "../../../../values/time-zone.ts";
import { clock } from "../../../sql/node.ts";
import { numberSql, signSql, textSql } from "../../sql/atoms.ts";
import { callSql, fallible } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import { checkTimestamp } from "./temporal-bounds.ts";

function fixedOffset(zone: string): number | undefined {
  const offset = zone === "UTC" ? 0 : readOffset(zone);
  return offset === undefined || Number.isNaN(offset) ? undefined : offset;
}

function isKnownZone(zone: string): boolean {
  // Offsets in names such as `GMT+8` mean different things to different libraries.
  if (!/^[A-Za-z]+(?:[/_-][A-Za-z]+)*$/.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const OUT_OF_RANGE = "The time zone takes a date or time out of the range of its type";

function move(timestamp: Sql, offsetSeconds: number): Sql {
  if (offsetSeconds === 0) return timestamp;
  return sql`(${timestamp} ${signSql(offsetSeconds < 0 ? "-" : "+")} to_seconds(${numberSql(Math.abs(offsetSeconds))}))`;
}

function shift(timestamp: Sql, offsetSeconds: number): Sql {
  return offsetSeconds === 0 ? timestamp : checkTimestamp(move(timestamp, offsetSeconds), OUT_OF_RANGE);
}

/** Whether clocks of the zone, printed as SQL, always show UTC. */
export function isUtc(zoneSql: Sql): boolean {
  const zone = zoneSql.literalText;
  return zone !== undefined && fixedOffset(zone) === 0;
}

/** Whether the zone, printed as SQL, is a literal that is always as far from UTC. */
export function isOffset(zoneSql: Sql): boolean {
  const zone = zoneSql.literalText;
  return zone !== undefined && fixedOffset(zone) !== undefined;
}

/**
 * Prints the local time in the zone (an SQL expression) at an instant. It may leave the calendar if only a part is
 * needed.
 */
export function wallFromUtc(utc: Sql, zoneSql: Sql, mayLeaveCalendar = false): Sql {
  const zone = zoneSql.literalText;
  const offset = zone === undefined ? undefined : fixedOffset(zone);
  if (offset !== undefined) return mayLeaveCalendar ? move(utc, offset) : shift(utc, offset);
  if (zone !== undefined && isKnownZone(zone)) {
    const wall = sql`timezone(${zoneSql}, timezone('UTC', ${utc}))`;
    return mayLeaveCalendar ? wall : checkTimestamp(wall, OUT_OF_RANGE);
  }
  return fallible(callSql(mayLeaveCalendar ? "lw_part_of_wall" : "lw_wall_from_utc", [utc, zoneSql]));
}

/** Longer than any zone has ever set its clocks back. */
const LONGEST_REPEAT = sql`to_hours(25)`;

/**
 * The instant at which clocks in the zone (an SQL expression) show this. DuckDB finds it where the zone's offset did
 * not change shortly before.
 */
export function utcFromWall(wall: Sql, zoneSql: Sql): Sql {
  const zone = zoneSql.literalText;
  const offset = zone === undefined ? undefined : fixedOffset(zone);
  if (offset !== undefined) return shift(wall, -offset);
  if (zone === undefined || !isKnownZone(zone)) return fallible(sql`lw_utc_from_wall(${wall}, ${zoneSql})`);
  const inZone = (utc: Sql) => sql`timezone(${zoneSql}, timezone('UTC', ${utc}))`;
  const instant = computeOnce([wall], "wall", (w) => {
    const later = computeOnce([sql`timezone('UTC', timezone(${zoneSql}, ${w}))`], "instant", (u) => {
      const isSteady = sql`${inZone(sql`${u} - ${LONGEST_REPEAT}`)} = ${w} - ${LONGEST_REPEAT}`;
      return sql`CASE WHEN ${isSteady} THEN ${u} ELSE lw_utc_from_wall(${w}, ${zoneSql}) END`;
    });
    return sql`CASE WHEN ${w} IS NOT NULL THEN ${later} END`;
  });
  return checkTimestamp(instant, OUT_OF_RANGE);
}

/** The zone of a call: its argument where it has one, else the session's. */
export function zoneOf(argument: Sql | undefined, sessionZone: string): Sql {
  return argument ?? textSql(sessionZone);
}

/** The instant at which the query began, as the same value in all of its parts. */
export const CURRENT_INSTANT = clock(sql`timezone('UTC', get_current_timestamp())`);
