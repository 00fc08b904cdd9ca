/**
 * Time zones: names of the IANA database, and offsets written `[UTC](+|-)H[H][[:]M[M]]`, as the "Time zones" section of
 * GoogleSQL's data types page has them. Offsets of named zones come from Intl, which is too slow to be asked for each
 * row: the changes of a zone's offset are found once for each year that is asked for, and kept.
 */
import { readOffset } from "../../googlesql/typing/temporal-text.ts";
import { daysFromCivil } from "./calendar.ts";
import { floorDivide, MICROS_PER_SECOND } from "./civil.ts";

/** The clocks of a place, or of a fixed offset. */
export interface TimeZone {
  /** Seconds that the zone's clocks are ahead of UTC at an instant, in seconds since 1970-01-01 UTC. */
  offsetAt(utcSeconds: number): number;
}

/** Finds a zone by its name. Throws `Invalid time zone: ...`. */
export type FindTimeZone = (name: string) => TimeZone;

const SECONDS_PER_DAY = 86_400;
const DAYS_PER_YEAR = 365.2425;
/** No zone has changed its offset and changed it back within as few days. */
const SAMPLE_SECONDS = 5 * SECONDS_PER_DAY;
const MAX_KEPT_ZONES = 1_000;

interface OffsetPeriod {
  readonly fromSeconds: number;
  /** Exclusive. */
  readonly toSeconds: number;
  readonly offset: number;
}

function yearStartSeconds(year: number): number {
  return daysFromCivil({ year, month: 1, day: 1 }) * SECONDS_PER_DAY;
}

function createNamedZone(name: string): TimeZone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const periodsByYear = new Map<number, readonly OffsetPeriod[]>();

  function askIntl(utcSeconds: number): number {
    const fields = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, isBeforeChrist: false };
    for (const { type, value } of format.formatToParts(utcSeconds * 1000)) {
      if (type === "era") fields.isBeforeChrist = value.startsWith("B");
      else if (type in fields) fields[type as "year" | "month" | "day" | "hour" | "minute" | "second"] = Number(value);
    }
    const year = fields.isBeforeChrist ? 1 - fields.year : fields.year;
    const days = daysFromCivil({ year, month: fields.month, day: fields.day });
    return days * SECONDS_PER_DAY + (fields.hour * 60 + fields.minute) * 60 + fields.second - utcSeconds;
  }

  function findPeriods(year: number): readonly OffsetPeriod[] {
    const end = yearStartSeconds(year + 1);
    let from = yearStartSeconds(year);
    let offset = askIntl(from);
    let periodStart = from;
    const periods: OffsetPeriod[] = [];
    while (from < end) {
      const to = Math.min(from + SAMPLE_SECONDS, end);
      const next = askIntl(to);
      if (next !== offset) {
        let before = from;
        let after = to;
        while (after - before > 1) {
          const middle = Math.floor((before + after) / 2);
          if (askIntl(middle) === offset) before = middle;
          else after = middle;
        }
        periods.push({ fromSeconds: periodStart, toSeconds: after, offset });
        periodStart = after;
        offset = next;
      }
      from = to;
    }
    return [...periods, { fromSeconds: periodStart, toSeconds: end, offset }];
  }

  function periodsOf(utcSeconds: number): readonly OffsetPeriod[] {
    let year = 1970 + Math.floor(utcSeconds / SECONDS_PER_DAY / DAYS_PER_YEAR);
    if (utcSeconds >= yearStartSeconds(year + 1)) year += 1;
    else if (utcSeconds < yearStartSeconds(year)) year -= 1;
    const known = periodsByYear.get(year);
    if (known !== undefined) return known;
    const periods = findPeriods(year);
    periodsByYear.set(year, periods);
    return periods;
  }

  // Most instants lie in the same period as the one before.
  let last: OffsetPeriod = { fromSeconds: 0, toSeconds: 0, offset: 0 };
  return {
    offsetAt(utcSeconds) {
      if (utcSeconds < last.fromSeconds || utcSeconds >= last.toSeconds) {
        last = periodsOf(utcSeconds).findLast(({ fromSeconds }) => fromSeconds <= utcSeconds) ?? last;
      }
      return last.offset;
    },
  };
}

/** A zone that is always as far ahead of UTC. */
export function fixedZone(offsetSeconds: number): TimeZone {
  return { offsetAt: () => offsetSeconds };
}

function createZone(name: string): TimeZone {
  if (name === "") throw new Error("Invalid empty time zone");
  const offset = readOffset(name);
  if (offset !== undefined) {
    if (Number.isNaN(offset)) throw new Error(`Invalid time zone: ${name}`);
    return fixedZone(offset);
  }
  if (name === "UTC") return fixedZone(0);
  try {
    return createNamedZone(name);
  } catch {
    throw new Error(`Invalid time zone: ${name}`);
  }
}

/** A finder that keeps what it has learnt about zones. */
export function createZoneFinder(): FindTimeZone {
  const zones = new Map<string, TimeZone>();
  return (name) => {
    const known = zones.get(name);
    if (known !== undefined) return known;
    const zone = createZone(name);
    if (zones.size >= MAX_KEPT_ZONES) zones.clear();
    zones.set(name, zone);
    return zone;
  };
}

/** What the zone's clocks show at an instant; both in microseconds since 1970-01-01. */
export function wallFromUtc(utc: bigint, zone: TimeZone): bigint {
  const [seconds] = floorDivide(utc, MICROS_PER_SECOND);
  return utc + BigInt(zone.offsetAt(Number(seconds))) * MICROS_PER_SECOND;
}

/**
 * The instant at which the zone's clocks show this. A time that they show twice is the earlier one, and one that they
 * skip is read with the offset before the change, as GoogleSQL does.
 */
export function utcFromWall(wall: bigint, zone: TimeZone): bigint {
  const seconds = Number(floorDivide(wall, MICROS_PER_SECOND)[0]);
  const before = zone.offsetAt(seconds - SECONDS_PER_DAY);
  const after = zone.offsetAt(seconds + SECONDS_PER_DAY);
  const isAfterChange = zone.offsetAt(seconds - before) !== before && zone.offsetAt(seconds - after) === after;
  return wall - BigInt(isAfterChange ? after : before) * MICROS_PER_SECOND;
}
