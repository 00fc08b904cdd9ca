/**
 * Time zones: names of the IANA database, and offsets written `[UTC](+|-)H[H][[:]M[M]]`, as the "Time zones" section of
 * GoogleSQL's data types page has them. Offsets of named zones come from Intl, which is too slow to be asked for each
 * row: the changes of a zone's offset are found once for each year that is asked for, and cached.
 */
import { daysFromCivil, floorDivide, MICROS_PER_SECOND } from "./calendar.ts";

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

/** Asks Intl about a zone: slow, and right for every instant. */
class IntlZone implements TimeZone {
  readonly #format: Intl.DateTimeFormat;

  /** Throws a RangeError for a name that is not a time zone. */
  constructor(timeZone: string) {
    const numeric = "numeric";
    const fields = {
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    } as const;
    this.#format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", era: "short", ...fields });
  }

  offsetAt(utcSeconds: number): number {
    const fields = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, isBeforeChrist: false };
    for (const { type, value } of this.#format.formatToParts(utcSeconds * 1000)) {
      if (type === "era") fields.isBeforeChrist = value.startsWith("B");
      else if (type in fields) fields[type as "year" | "month" | "day" | "hour" | "minute" | "second"] = Number(value);
    }
    const year = fields.isBeforeChrist ? 1 - fields.year : fields.year;
    const days = daysFromCivil({ year, month: fields.month, day: fields.day });
    return days * SECONDS_PER_DAY + (fields.hour * 60 + fields.minute) * 60 + fields.second - utcSeconds;
  }
}

/** A zone of the database, whose changes are found once for each year that is asked for. */
class NamedZone implements TimeZone {
  readonly #source: TimeZone;
  readonly #periodsByYear = new Map<number, readonly OffsetPeriod[]>();
  /** Most instants lie in the same period as the one before. */
  #last: OffsetPeriod = { fromSeconds: 0, toSeconds: 0, offset: 0 };

  constructor(source: TimeZone) {
    this.#source = source;
  }

  offsetAt(utcSeconds: number): number {
    if (utcSeconds < this.#last.fromSeconds || utcSeconds >= this.#last.toSeconds) {
      const periods = this.#periodsOf(yearOf(utcSeconds));
      this.#last = periods.findLast(({ fromSeconds }) => fromSeconds <= utcSeconds) ?? this.#last;
    }
    return this.#last.offset;
  }

  #periodsOf(year: number): readonly OffsetPeriod[] {
    const known = this.#periodsByYear.get(year);
    if (known !== undefined) return known;
    const periods = findPeriods(this.#source, year);
    this.#periodsByYear.set(year, periods);
    return periods;
  }
}

/** The year that an instant lies in, in UTC. */
function yearOf(utcSeconds: number): number {
  const year = 1970 + Math.floor(utcSeconds / SECONDS_PER_DAY / DAYS_PER_YEAR);
  if (utcSeconds >= yearStartSeconds(year + 1)) return year + 1;
  return utcSeconds < yearStartSeconds(year) ? year - 1 : year;
}

/** The periods of one offset that a year has. */
function findPeriods(zone: TimeZone, year: number): readonly OffsetPeriod[] {
  const end = yearStartSeconds(year + 1);
  let fromSeconds = yearStartSeconds(year);
  let offset = zone.offsetAt(fromSeconds);
  const periods: OffsetPeriod[] = [];
  for (let from = fromSeconds; from < end; from += SAMPLE_SECONDS) {
    const to = Math.min(from + SAMPLE_SECONDS, end);
    const next = zone.offsetAt(to);
    if (next === offset) continue;
    const toSeconds = findChange(zone, from, to);
    periods.push({ fromSeconds, toSeconds, offset });
    fromSeconds = toSeconds;
    offset = next;
  }
  return [...periods, { fromSeconds, toSeconds: end, offset }];
}

/** The first second with another offset than that at `from`, up to `to`, which has one. */
function findChange(zone: TimeZone, from: number, to: number): number {
  const offset = zone.offsetAt(from);
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (zone.offsetAt(middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** Offset in seconds of `[UTC](+|-)H[H][[:]M[M]]`; undefined where the text has another form, NaN beyond 14 hours. */
export function readOffset(text: string): number | undefined {
  const match = /^(?:UTC)?([+-])(\d{1,2})(?::?(\d{1,2}))?$/.exec(text);
  if (match === null) return undefined;
  const minutes = Number(match[3] ?? 0);
  const total = Number(match[2]) * 60 + minutes;
  if (minutes > 59 || total > 14 * 60) return Number.NaN;
  return (match[1] === "-" ? -total : total) * 60;
}

/** `+HH<separator>MM`. */
export function formatOffset(offsetSeconds: number, separator: string): string {
  const minutes = Math.abs(offsetSeconds) / 60;
  const hh = String(Math.floor(minutes / 60)).padStart(2, "0");
  return `${offsetSeconds < 0 ? "-" : "+"}${hh}${separator}${String(minutes % 60).padStart(2, "0")}`;
}

/** A zone that is always as far ahead of UTC. */
export function fixedZone(offsetSeconds: number): TimeZone {
  return { offsetAt: () => offsetSeconds };
}

/** Finds a zone for a few instants: each is asked of Intl. */
export const findZone: FindTimeZone = (name) => {
  if (name === "") throw new Error("Invalid empty time zone");
  const offset = name === "UTC" ? 0 : readOffset(name);
  try {
    if (offset === undefined) return new IntlZone(name);
  } catch {
    throw new Error(`Invalid time zone: ${name}`);
  }
  if (Number.isNaN(offset)) throw new Error(`Invalid time zone: ${name}`);
  return fixedZone(offset);
};

/** A finder for the instants of many rows, which caches what it has learnt about zones. */
export function createZoneFinder(): FindTimeZone {
  const zones = new Map<string, TimeZone>();
  return (name) => {
    const known = zones.get(name);
    if (known !== undefined) return known;
    const found = findZone(name);
    const zone = found instanceof IntlZone ? new NamedZone(found) : found;
    if (zones.size >= MAX_KEPT_ZONES) zones.clear();
    zones.set(name, zone);
    return zone;
  };
}

/** How far the zone's clocks are ahead of UTC, in seconds, cut to whole minutes: local mean times have seconds. */
export function wholeMinutesOffset(utc: bigint, zone: TimeZone): number {
  return Math.trunc(zone.offsetAt(Number(floorDivide(utc, MICROS_PER_SECOND)[0])) / 60) * 60;
}

/** Reports what the zone's clocks show at an instant; both in microseconds since 1970-01-01. */
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
