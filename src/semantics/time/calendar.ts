/**
 * Dates and times of the proleptic Gregorian calendar as text, without `Date`: DuckDB's days and microseconds go
 * beyond what a JavaScript date can tell exactly. Source: the canonical formats of GoogleSQL's "Data types" page.
 */

const MICROS_PER_DAY = 86_400_000_000n;

export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The date that lies `days` days after 1970-01-01. Counts in eras of 400 years that begin on a 1st of March. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** Days from 1970-01-01 to the date; the inverse of `civilFromDays`. */
export function daysFromCivil({ year, month, day }: CivilDate): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

/** `YYYY-MM-DD`. */
export function formatDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** `HH:MM:SS`, with exactly six decimals when they are not all zero. */
export function formatTime(micros: bigint): string {
  const seconds = Number(micros / 1_000_000n);
  const fraction = Number(micros % 1_000_000n);
  const clock = `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`;
  return fraction === 0 ? clock : `${clock}.${pad(fraction, 6)}`;
}

/** `YYYY-MM-DD<separator>HH:MM:SS[.ffffff]` of microseconds since 1970-01-01. */
export function formatDatetime(micros: bigint, separator = "T"): string {
  let days = micros / MICROS_PER_DAY;
  let rest = micros % MICROS_PER_DAY;
  if (rest < 0n) {
    rest += MICROS_PER_DAY;
    days -= 1n;
  }
  return `${formatDate(Number(days))}${separator}${formatTime(rest)}`;
}

/** Days since 1970-01-01 of `YYYY-MM-DD`; undefined where the text is no date. */
export function parseDate(text: string): number | undefined {
  const match = /^(\d{4,5})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (match === null) return undefined;
  const civil = { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) };
  const days = daysFromCivil(civil);
  const back = civilFromDays(days);
  return back.month === civil.month && back.day === civil.day ? days : undefined;
}

/**
 * Microseconds since midnight of `HH:MM:SS[.f]`; undefined where the text is no time. Digits beyond microseconds are
 * cut.
 */
export function parseTime(text: string): bigint | undefined {
  const match = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const fraction = Number((match[4] ?? "").padEnd(6, "0").slice(0, 6));
  return BigInt((hour * 60 + minute) * 60 + second) * 1_000_000n + BigInt(fraction);
}

/** Microseconds since 1970-01-01 of `YYYY-MM-DD[(T| )HH:MM:SS[.f]]`; undefined where the text is no datetime. */
export function parseDatetime(text: string): bigint | undefined {
  const split = text.search(/[Tt ]/);
  const days = parseDate(split === -1 ? text : text.slice(0, split));
  const time = split === -1 ? 0n : parseTime(text.slice(split + 1));
  if (days === undefined || time === undefined) return undefined;
  return BigInt(days) * MICROS_PER_DAY + time;
}

export interface IntervalParts {
  readonly months: number;
  readonly days: number;
  readonly micros: bigint;
}

/** GoogleSQL's canonical `[-]Y-M [-]D [-]H:M:S[.F]`; F has three or six digits. */
export function formatInterval({ months, days, micros }: IntervalParts): string {
  const yearMonth = `${months < 0 ? "-" : ""}${Math.floor(Math.abs(months) / 12)}-${Math.abs(months) % 12}`;
  const time = micros < 0n ? -micros : micros;
  const seconds = time / 1_000_000n;
  const clock = `${seconds / 3600n}:${(seconds / 60n) % 60n}:${seconds % 60n}`;
  const digits = String(time % 1_000_000n).padStart(6, "0");
  const fraction = digits === "000000" ? "" : `.${digits.endsWith("000") ? digits.slice(0, 3) : digits}`;
  return `${yearMonth} ${days} ${micros < 0n ? "-" : ""}${clock}${fraction}`;
}

/** The parts of an interval's canonical text; undefined if the text is not an interval. */
export function parseInterval(text: string): IntervalParts | undefined {
  const match = /^(-?)(\d+)-(\d+) (-?\d+) (-?)(\d+):(\d+):(\d+)(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const months = Number(match[2]) * 12 + Number(match[3]);
  const seconds = (BigInt(match[6] ?? 0) * 60n + BigInt(match[7] ?? 0)) * 60n + BigInt(match[8] ?? 0);
  const micros = seconds * 1_000_000n + BigInt((match[9] ?? "").padEnd(6, "0").slice(0, 6));
  return {
    months: match[1] === "-" ? -months : months,
    days: Number(match[4]),
    micros: match[5] === "-" ? -micros : micros,
  };
}
