/** ISO 8601, as events, callers and answers have times. GoogleSQL's own formats, which are stricter, are in time-text. */
import { isTimestampInRange, isValidDay, MICROS_PER_SECOND, microsFromCivil } from "./calendar.ts";
import { formatDatetime, microsOfFraction } from "./time-text.ts";

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?(?:\s*([Zz]|[+-]\d{2}(?::?\d{2})?)| (\d{2}:\d{2}))?)?$/;

/** The result of reading a text that names an instant. */
export interface IsoTimestamp {
  /** Microseconds since 1970-01-01 UTC; a time without zone, and a date alone, count as UTC. */
  readonly us: bigint;
  readonly hasZone: boolean;
  readonly isDateOnly: boolean;
}

/**
 * Reads an ISO 8601 date or date-time (RFC 3339 and its usual relaxations); digits beyond the microsecond are dropped.
 * A space before an offset counts as a `+` that was not encoded in a URL. Undefined for anything else, including days
 * that do not exist.
 */
export function parseIsoTimestamp(text: string): IsoTimestamp | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  const offset = match[8] ?? (match[9] === undefined ? undefined : `+${match[9]}`);
  const offsetMinutes = parseOffset(offset ?? "Z");
  // A leap second counts as the first second of the next minute, as POSIX time does.
  if (!isValidDay(year, month, day) || hour > 23 || minute > 59 || second > 60 || offsetMinutes === undefined)
    return undefined;
  const micros = microsOfFraction(match[7]);
  const us = microsFromCivil({ year, month, day, hour, minute: minute - offsetMinutes, second, micros });
  if (!isTimestampInRange(us)) return undefined;
  return { us, hasZone: offset !== undefined, isDateOnly: match[4] === undefined };
}

/** ISO 8601 in UTC with six decimals, e.g. `2026-08-20T09:00:00.000001Z`. */
export function formatIsoTimestamp(us: bigint): string {
  const text = formatDatetime(us);
  return us % MICROS_PER_SECOND === 0n ? `${text}.000000Z` : `${text}Z`;
}

function parseOffset(zone: string): number | undefined {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
