/** The first microsecond of year 1 and the first after year 9999, the range of a GoogleSQL TIMESTAMP. */
const firstUs = -62_135_596_800_000_000n;
const endUs = 253_402_300_800_000_000n;

const dateTimePattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?(?:\s*([Zz]|[+-]\d{2}(?::?\d{2})?)| (\d{2}:\d{2}))?$/;
const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;

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
  const date = datePattern.exec(text);
  if (date !== null) {
    const us = dayStartUs(date[1], date[2], date[3]);
    return us === undefined ? undefined : { us, hasZone: false, isDateOnly: true };
  }
  const match = dateTimePattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "", zone, spacedOffset] = match;
  const midnightUs = dayStartUs(year, month, day);
  // A leap second counts as the first second of the next minute, as POSIX time does.
  if (midnightUs === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const offset = zone ?? (spacedOffset === undefined ? undefined : `+${spacedOffset}`);
  const offsetMinutes = parseOffset(offset ?? "Z");
  if (offsetMinutes === undefined) return undefined;
  const seconds = Number(hour) * 3600 + (Number(minute) - offsetMinutes) * 60 + Number(second);
  const us = midnightUs + BigInt(seconds) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, "0"));
  return isTimestampInRange(us) ? { us, hasZone: offset !== undefined, isDateOnly: false } : undefined;
}

/** Whether a GoogleSQL TIMESTAMP can be this many microseconds after 1970: years 1 to 9999. */
export function isTimestampInRange(us: bigint): boolean {
  return us >= firstUs && us < endUs;
}

/** ISO 8601 in UTC with six decimals, e.g. `2026-08-20T09:00:00.000001Z`. */
export function formatIsoTimestamp(us: bigint): string {
  const seconds = us >= 0n ? us / 1_000_000n : -((-us + 999_999n) / 1_000_000n);
  const micros = us - seconds * 1_000_000n;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${whole}.${micros.toString().padStart(6, "0")}Z`;
}

function dayStartUs(year = "", month = "", day = ""): bigint | undefined {
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day) || year === "0000")
    return undefined;
  return BigInt(date.getTime()) * 1000n;
}

function parseOffset(zone: string): number | undefined {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
