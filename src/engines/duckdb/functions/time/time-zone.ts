/**
 * Wall clocks and instants. A TIMESTAMP is stored as its UTC wall clock, so that in UTC a conversion from or to
 * DATETIME prints nothing at all, and an offset prints an addition. Named zones that are literals are DuckDB's own,
 * but where clocks show a time twice: DuckDB takes the later instant and GoogleSQL the earlier, so that is a function
 * of ours, as are zones that are known only when the query runs.
 */

import { readOffset } from "../../../../googlesql/typing/temporal-text.ts";
import { quoteString } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import { checkTimestamp } from "./temporal-bounds.ts";

/** The text of a printed STRING literal; undefined where the expression is something else. */
export function literalText(sql: string): string | undefined {
  return /^'(?:[^']|'')*'$/.test(sql) ? sql.slice(1, -1).replaceAll("''", "'") : undefined;
}

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

function move(timestamp: string, offsetSeconds: number): string {
  if (offsetSeconds === 0) return timestamp;
  return `(${timestamp} ${offsetSeconds < 0 ? "-" : "+"} to_seconds(${Math.abs(offsetSeconds)}))`;
}

function shift(timestamp: string, offsetSeconds: number): string {
  return offsetSeconds === 0 ? timestamp : checkTimestamp(move(timestamp, offsetSeconds), OUT_OF_RANGE);
}

/** Whether clocks of the zone, printed as SQL, always show UTC. */
export function isUtc(zoneSql: string): boolean {
  const zone = literalText(zoneSql);
  return zone !== undefined && fixedOffset(zone) === 0;
}

/**
 * What clocks in the zone (an SQL expression) show at an instant. It may be told to leave the calendar where only a
 * part is asked for.
 */
export function wallFromUtc(utc: string, zoneSql: string, mayLeaveCalendar = false): string {
  const zone = literalText(zoneSql);
  const offset = zone === undefined ? undefined : fixedOffset(zone);
  if (offset !== undefined) return mayLeaveCalendar ? move(utc, offset) : shift(utc, offset);
  if (zone !== undefined && isKnownZone(zone)) {
    const wall = `timezone(${zoneSql}, timezone('UTC', ${utc}))`;
    return mayLeaveCalendar ? wall : checkTimestamp(wall, OUT_OF_RANGE);
  }
  return `lw_wall_from_utc(${utc}, ${zoneSql})`;
}

/** Longer than any zone has ever set its clocks back. */
const LONGEST_REPEAT = "to_hours(25)";

/**
 * The instant at which clocks in the zone (an SQL expression) show this. DuckDB finds it where the zone's offset did
 * not change shortly before.
 */
export function utcFromWall(wall: string, zoneSql: string): string {
  const zone = literalText(zoneSql);
  const offset = zone === undefined ? undefined : fixedOffset(zone);
  if (offset !== undefined) return shift(wall, -offset);
  if (zone === undefined || !isKnownZone(zone)) return `lw_utc_from_wall(${wall}, ${zoneSql})`;
  const inZone = (utc: string) => `timezone(${zoneSql}, timezone('UTC', ${utc}))`;
  const instant = computeOnce([wall], "wall", (w) => {
    const later = computeOnce([`timezone('UTC', timezone(${zoneSql}, ${w}))`], "instant", (u) => {
      const isSteady = `${inZone(`${u} - ${LONGEST_REPEAT}`)} = ${w} - ${LONGEST_REPEAT}`;
      return `CASE WHEN ${isSteady} THEN ${u} ELSE lw_utc_from_wall(${w}, ${zoneSql}) END`;
    });
    return `CASE WHEN ${w} IS NOT NULL THEN ${later} END`;
  });
  return checkTimestamp(instant, OUT_OF_RANGE);
}

/** The zone of a call: its argument where it has one, else the session's. */
export function zoneOf(argument: string | undefined, sessionZone: string): string {
  return argument ?? quoteString(sessionZone);
}

/** The instant at which the query began, as the same value in all of its parts. */
export const CURRENT_INSTANT = "timezone('UTC', get_current_timestamp())";
