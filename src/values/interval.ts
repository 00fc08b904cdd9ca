/**
 * INTERVAL by its parts and as text: the canonical format, its shorter forms, and ISO 8601 durations. Source: the
 * "Interval type" section of GoogleSQL's data types page.
 */
import { formatFraction, microsOfFraction } from "./time-text.ts";

/** Parts that do not convert: a month has no fixed number of days, nor a day of hours. */
export interface IntervalParts {
  readonly months: number;
  readonly days: number;
  readonly micros: bigint;
}

/** The part that a date part counts in, and how many of them it is. */
interface IntervalUnit {
  readonly field: keyof IntervalParts;
  readonly factor: bigint;
}

/** The date parts that make intervals, from the longest to the shortest. */
export const INTERVAL_UNITS: ReadonlyMap<string, IntervalUnit> = new Map<string, IntervalUnit>([
  ["YEAR", { field: "months", factor: 12n }],
  ["QUARTER", { field: "months", factor: 3n }],
  ["MONTH", { field: "months", factor: 1n }],
  ["WEEK", { field: "days", factor: 7n }],
  ["DAY", { field: "days", factor: 1n }],
  ["HOUR", { field: "micros", factor: 3_600_000_000n }],
  ["MINUTE", { field: "micros", factor: 60_000_000n }],
  ["SECOND", { field: "micros", factor: 1_000_000n }],
  ["MILLISECOND", { field: "micros", factor: 1_000n }],
  ["MICROSECOND", { field: "micros", factor: 1n }],
]);

/** The most of each part, either way: 10,000 years. */
export const INTERVAL_LIMITS = { months: 120_000n, days: 3_660_000n, micros: 316_224_000_000_000_000n } as const;

/** The parts themselves; throws where one is out of the range of INTERVAL. */
export function checkInterval(months: bigint, days: bigint, micros: bigint): IntervalParts {
  for (const [name, value] of Object.entries({ months, days, micros })) {
    const limit = INTERVAL_LIMITS[name as keyof IntervalParts];
    if (value > limit || value < -limit) {
      throw new Error(`Interval field ${name} '${value}' is out of range -${limit} to ${limit}`);
    }
  }
  return { months: Number(months), days: Number(days), micros };
}

function invalid(text: string): Error {
  return new Error(`Invalid INTERVAL value '${text}'`);
}

/** So many of a date part. Throws out of the range of INTERVAL, and where the date part makes none. */
export function intervalOf(amount: bigint, part: string): IntervalParts {
  return sumOf([[amount, part]], `${amount} ${part}`);
}

function sumOf(terms: Iterable<readonly [amount: bigint, part: string]>, text: string): IntervalParts {
  const sums = { months: 0n, days: 0n, micros: 0n };
  for (const [amount, part] of terms) {
    const unit = INTERVAL_UNITS.get(part);
    if (unit === undefined) throw invalid(text);
    sums[unit.field] += amount * unit.factor;
  }
  return checkInterval(sums.months, sums.days, sums.micros);
}

/** The parts of texts of several parts, each with its pattern and what stands before it. */
const partPatterns = [
  ["YEAR", "", String.raw`(?<monthSign>[-+]?)(?<YEAR>\d+)`],
  ["MONTH", "-", String.raw`(?<MONTH>\d+)`],
  ["DAY", " ", String.raw`(?<DAY>[-+]?\d+)`],
  ["HOUR", " ", String.raw`(?<timeSign>[-+]?)(?<HOUR>\d+)`],
  ["MINUTE", ":", String.raw`(?<MINUTE>\d+)`],
  ["SECOND", ":", String.raw`(?<SECOND>\d+)(?:\.(?<fraction>\d{1,9}))?`],
] as const;

function patternOf(from: string, to: string): RegExp | undefined {
  const [first, last] = [from, to].map((part) => partPatterns.findIndex(([name]) => name === part));
  if (first === undefined || last === undefined || first === -1 || last <= first) return undefined;
  let pattern = from === "MONTH" ? "(?<monthSign>[-+]?)" : from === "MINUTE" ? "(?<timeSign>[-+]?)" : "";
  for (const [part, separator, digits] of partPatterns.slice(first, last + 1)) {
    pattern += (part === from ? "" : separator) + digits;
  }
  return new RegExp(`^${pattern}$`);
}

/**
 * A text whose parts go from one date part to another, such as `1-2 3` from YEAR to DAY, or the number of a single
 * one, which has a fraction for SECOND alone. Throws where the text has another form, or is out of range.
 */
export function parseIntervalParts(text: string, from: string, to?: string): IntervalParts {
  if (to === undefined) return parseAmount(text, from);
  const groups = patternOf(from, to)?.exec(text)?.groups;
  if (groups === undefined) throw invalid(text);
  const signs: Readonly<Record<string, string | undefined>> = { months: groups.monthSign, micros: groups.timeSign };
  const read = (part: string, digits = "0"): readonly [bigint, string] => {
    const magnitude = BigInt(digits.replace("+", ""));
    return [signs[INTERVAL_UNITS.get(part)?.field ?? ""] === "-" ? -magnitude : magnitude, part];
  };
  const terms = partPatterns.map(([part]) => read(part, groups[part]));
  return sumOf([...terms, read("MICROSECOND", String(microsOfFraction(groups.fraction)))], text);
}

function parseAmount(text: string, part: string): IntervalParts {
  const match = /^([-+]?)(\d+|(?=\.))(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null || (match[3] !== undefined && part !== "SECOND")) throw invalid(text);
  const sign = match[1] === "-" ? -1n : 1n;
  const fraction = sign * BigInt(microsOfFraction(match[3]));
  return sumOf(
    [
      [sign * BigInt(match[2] ?? ""), part],
      [fraction, "MICROSECOND"],
    ],
    text,
  );
}

/** How many spaces, colons and inner dashes the forms have that need no parts named. */
const formsByShape: ReadonlyMap<string, readonly [from: string, to: string]> = new Map([
  ["2 2 1", ["YEAR", "SECOND"]],
  ["2 1 1", ["YEAR", "MINUTE"]],
  ["2 0 1", ["YEAR", "HOUR"]],
  ["1 0 1", ["YEAR", "DAY"]],
  ["0 0 1", ["YEAR", "MONTH"]],
  ["2 0 0", ["MONTH", "HOUR"]],
  ["2 1 0", ["MONTH", "MINUTE"]],
  ["2 2 0", ["MONTH", "SECOND"]],
  ["1 1 0", ["DAY", "MINUTE"]],
  ["1 2 0", ["DAY", "SECOND"]],
  ["0 2 0", ["HOUR", "SECOND"]],
]);

const isoParts: Readonly<Record<string, string>> = {
  ...{ Y: "YEAR", M: "MONTH", W: "WEEK", D: "DAY" },
  ...{ TH: "HOUR", TM: "MINUTE", TS: "SECOND" },
};

/** An ISO 8601 duration, whose parts may be negative, repeated and in any order; only seconds have fractions. */
function parseIsoDuration(text: string): IntervalParts {
  if (!/^P(?:T|-?\d+(?:[.,]\d+)?[YMWDHS])+$/.test(text) || text.endsWith("T")) throw invalid(text);
  const terms: (readonly [bigint, string])[] = [];
  let prefix = "";
  for (const [token, minus, whole = "0", fraction, letter] of text.matchAll(
    /T|(-?)(\d+)(?:[.,](\d{1,9}))?([YMWDHS])/g,
  )) {
    if (token === "T") {
      if (prefix === "T") throw invalid(text);
      prefix = "T";
      continue;
    }
    if (fraction !== undefined && letter !== "S") throw invalid(text);
    const sign = minus === "-" ? -1n : 1n;
    terms.push([sign * BigInt(whole), isoParts[`${prefix}${letter}`] ?? ""]);
    terms.push([sign * BigInt(microsOfFraction(fraction)), "MICROSECOND"]);
  }
  return sumOf(terms, text);
}

/**
 * A text in the canonical format, in one of its unambiguous shorter forms, or in ISO 8601. Throws where it is none of
 * them, or out of range.
 */
export function parseInterval(text: string): IntervalParts {
  if (text.startsWith("P")) return parseIsoDuration(text);
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const form = formsByShape.get(`${count(/ /g)} ${count(/:/g)} ${count(/(?<=\d)-/g)}`);
  if (form === undefined) throw invalid(text);
  return parseIntervalParts(text, ...form);
}

/** The canonical `[-]Y-M [-]D [-]H:M:S[.F]`; F has three or six digits. */
export function formatInterval({ months, days, micros }: IntervalParts): string {
  const yearMonth = `${months < 0 ? "-" : ""}${Math.floor(Math.abs(months) / 12)}-${Math.abs(months) % 12}`;
  const time = micros < 0n ? -micros : micros;
  const seconds = time / 1_000_000n;
  const clock = `${seconds / 3600n}:${(seconds / 60n) % 60n}:${seconds % 60n}`;
  return `${yearMonth} ${days} ${micros < 0n ? "-" : ""}${clock}${formatFraction(Number(time % 1_000_000n))}`;
}
