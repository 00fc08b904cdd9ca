/** The first microsecond of year 1 and the first after year 9999, the range of a GoogleSQL TIMESTAMP. */
const firstUs = -62_135_596_800_000_000n;
const endUs = 253_402_300_800_000_000n;

const isoPattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?\s*([Zz]|[+-]\d{2}(?::?\d{2})?)$/;

/**
 * Microseconds since 1970 of an ISO 8601 date-time with zone (RFC 3339 and its usual relaxations); digits beyond the
 * microsecond are dropped. Undefined for anything else, also for days that no calendar has.
 */
export function parseIsoTimestamp(text: string): bigint | undefined {
  const match = isoPattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "", zone = "Z"] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  // A leap second counts as the first second of the next minute, as POSIX time does.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const offsetMinutes = parseOffset(zone);
  if (offsetMinutes === undefined) return undefined;
  const seconds = Number(hour) * 3600 + (Number(minute) - offsetMinutes) * 60 + Number(second);
  const micros = BigInt(fraction.slice(0, 6).padEnd(6, "0"));
  return inRange(BigInt(date.getTime()) * 1000n + BigInt(seconds) * 1_000_000n + micros);
}

function parseOffset(zone: string): number | undefined {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Microseconds since 1970 of a Unix time, whose unit its digits tell: 10 seconds, 13 milliseconds, 16 microseconds,
 * 19 nanoseconds; any other count is taken as microseconds. A fraction is rounded away first. Undefined for a negative one.
 */
export function parseUnixTimestamp(value: number | bigint): bigint | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  const integer = typeof value === "bigint" ? value : BigInt(Math.round(value));
  if (integer < 0n) return undefined;
  switch (integer.toString().length) {
    case 10:
      return inRange(integer * 1_000_000n);
    case 13:
      return inRange(integer * 1_000n);
    case 19:
      return inRange(integer / 1_000n);
    default:
      return inRange(integer);
  }
}

function inRange(us: bigint): bigint | undefined {
  return us >= firstUs && us < endUs ? us : undefined;
}
