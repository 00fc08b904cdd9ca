/**
 * Dates and times in text, read into their fields: the canonical formats of the "Data types" page of the GoogleSQL
 * reference. Literals, coerced strings and the casts of engines all read by these rules.
 */

/** A date and a time of day. A leap second is second 60, of no microseconds. */
export interface TemporalFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly micros: number;
}

const TIME_PATTERN = String.raw`(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?`;
const DATE_PATTERN = String.raw`(\d{4})-(\d{1,2})-(\d{1,2})`;
const datePattern = new RegExp(`^${DATE_PATTERN}$`);
const timePattern = new RegExp(`^${TIME_PATTERN}$`);
const datetimePattern = new RegExp(`^${DATE_PATTERN}(?:[ Tt]${TIME_PATTERN})?$`);
const timestampPattern = new RegExp(
  String.raw`^(\d{4,5})-(\d{1,2})-(\d{1,2})(?:[ Tt](?:${TIME_PATTERN}(?<zone>[+-].*|[Zz]| [^+-].*)?|(?<offset>[+-].*)))?$`,
);

const MAX_ZONE_LENGTH = 64;

/** Has the month of the year such a day? */
function isDayOfMonth(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  if (month !== 2) return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
  return day <= ((year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28);
}

function readFields(parts: readonly (string | undefined)[]): TemporalFields | undefined {
  const numbers = parts.slice(0, 6).map((part) => Number(part ?? 0));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers;
  if (year < 1 || !isDayOfMonth(year, month, day) || hour > 23 || minute > 59 || second > 60) return undefined;
  const micros = second === 60 ? 0 : Number((parts[6] ?? "").padEnd(6, "0"));
  return { year, month, day, hour, minute, second, micros };
}

/** `YYYY-[M]M-[D]D`; undefined where the text is no date of the years 1 to 9999. */
export function readDate(text: string): TemporalFields | undefined {
  const match = datePattern.exec(text);
  return match === null ? undefined : readFields(match.slice(1));
}

/** `[H]H:[M]M:[S]S[.DDDDDD]`, on the first day of 1970. */
export function readTime(text: string): TemporalFields | undefined {
  const match = timePattern.exec(text);
  return match === null ? undefined : readFields(["1970", "1", "1", ...match.slice(1)]);
}

/** `YYYY-[M]M-[D]D[( |T)[H]H:[M]M:[S]S[.DDDDDD]]`. */
export function readDatetime(text: string): TemporalFields | undefined {
  const match = datetimePattern.exec(text);
  return match === null ? undefined : readFields(match.slice(1));
}

/**
 * A datetime of five digits of a year at most, and the zone that the text names: `UTC`, an offset, or a name that may
 * not exist.
 */
export function readTimestamp(
  text: string,
): { readonly fields: TemporalFields; readonly zone: string | undefined } | undefined {
  const match = timestampPattern.exec(text);
  const fields = match === null ? undefined : readFields(match.slice(1, 8));
  if (fields === undefined) return undefined;
  const suffix = match?.groups?.zone ?? match?.groups?.offset;
  if (suffix === undefined) return { fields, zone: undefined };
  if (suffix === "Z" || suffix === "z") return { fields, zone: "UTC" };
  const zone = suffix.startsWith(" UTC") && suffix.length > 4 ? suffix.slice(4) : suffix.trimStart();
  return zone.length > MAX_ZONE_LENGTH || suffix.startsWith("  ") ? undefined : { fields, zone };
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
