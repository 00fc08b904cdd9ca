/**
 * INTERVAL as text: the canonical format, its parts, and ISO 8601 durations. Source: the "Interval type" section of
 * GoogleSQL's data types page.
 */
import type { IntervalParts } from "./calendar.ts";

const MAX_MONTHS = 120_000;
const MAX_DAYS = 3_660_000;
const MAX_MICROS = 316_224_000_000_000_000n;

const MICROS_PER_HOUR = 3_600_000_000n;
const MICROS_PER_MINUTE = 60_000_000n;
const MICROS_PER_SECOND = 1_000_000n;

/** The parts themselves; throws where one lies outside the range of INTERVAL (10,000 years either way). */
export function checkInterval(months: bigint, days: bigint, micros: bigint): IntervalParts {
  const check = (name: string, value: bigint, max: bigint) => {
    if (value > max || value < -max) {
      throw new Error(`Interval field ${name} '${value}' is out of range -${max} to ${max}`);
    }
  };
  check("months", months, BigInt(MAX_MONTHS));
  check("days", days, BigInt(MAX_DAYS));
  check("micros", micros, MAX_MICROS);
  return { months: Number(months), days: Number(days), micros };
}

/** Parts that a text of several parts is made of, from the longest to the shortest. */
export type IntervalPart = "YEAR" | "MONTH" | "DAY" | "HOUR" | "MINUTE" | "SECOND";

const parts: readonly IntervalPart[] = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"];

/** The pattern of each part, and the separator before it. */
const partPatterns: Readonly<Record<IntervalPart, { readonly separator: string; readonly pattern: string }>> = {
  YEAR: { separator: "", pattern: String.raw`(?<monthSign>[-+]?)(?<YEAR>\d+)` },
  MONTH: { separator: "-", pattern: String.raw`(?<MONTH>\d+)` },
  DAY: { separator: " ", pattern: String.raw`(?<DAY>[-+]?\d+)` },
  HOUR: { separator: " ", pattern: String.raw`(?<timeSign>[-+]?)(?<HOUR>\d+)` },
  MINUTE: { separator: ":", pattern: String.raw`(?<MINUTE>\d+)` },
  SECOND: { separator: ":", pattern: String.raw`(?<SECOND>\d+)(?:\.(?<fraction>\d{1,9}))?` },
};

function invalid(text: string): Error {
  return new Error(`Invalid INTERVAL value '${text}'`);
}

function patternOf(from: IntervalPart, to: IntervalPart): RegExp {
  let pattern = "";
  for (const part of parts.slice(parts.indexOf(from), parts.indexOf(to) + 1)) {
    const isFirst = part === from;
    if (!isFirst) pattern += partPatterns[part].separator;
    if (isFirst && part === "MONTH") pattern += "(?<monthSign>[-+]?)";
    if (isFirst && (part === "MINUTE" || part === "SECOND")) pattern += "(?<timeSign>[-+]?)";
    pattern += partPatterns[part].pattern;
  }
  return new RegExp(`^${pattern}$`);
}

/** A text whose parts go from one part to another, e.g. `1-2 3` from YEAR to DAY. Throws where it does not. */
export function parseIntervalParts(text: string, from: IntervalPart, to: IntervalPart): IntervalParts {
  const groups = patternOf(from, to).exec(text)?.groups;
  if (groups === undefined) throw invalid(text);
  const read = (part: IntervalPart) => BigInt((groups[part] ?? "0").replace("+", ""));
  const months = read("YEAR") * 12n + read("MONTH");
  const fraction = BigInt((groups.fraction ?? "").padEnd(6, "0").slice(0, 6));
  const time = read("HOUR") * MICROS_PER_HOUR + read("MINUTE") * MICROS_PER_MINUTE + read("SECOND") * MICROS_PER_SECOND;
  const micros = time + fraction;
  return checkInterval(
    groups.monthSign === "-" ? -months : months,
    read("DAY"),
    groups.timeSign === "-" ? -micros : micros,
  );
}

/** How many spaces, colons and inner dashes the forms have that need no parts named. */
const formsByShape: ReadonlyMap<string, readonly [IntervalPart, IntervalPart]> = new Map([
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

const isoUnits: Readonly<Record<string, { readonly field: "months" | "days" | "micros"; readonly factor: bigint }>> = {
  Y: { field: "months", factor: 12n },
  M: { field: "months", factor: 1n },
  W: { field: "days", factor: 7n },
  D: { field: "days", factor: 1n },
  TH: { field: "micros", factor: MICROS_PER_HOUR },
  TM: { field: "micros", factor: MICROS_PER_MINUTE },
  TS: { field: "micros", factor: MICROS_PER_SECOND },
};

/** An ISO 8601 duration, whose parts may be negative, repeated and in any order; only seconds have fractions. */
function parseIsoDuration(text: string): IntervalParts {
  if (!/^P(?:T|-?\d+(?:[.,]\d+)?[YMWDHS])+$/.test(text) || text.endsWith("T")) throw invalid(text);
  const sums = { months: 0n, days: 0n, micros: 0n };
  let prefix = "";
  for (const [token, sign, whole = "0", fraction, letter = ""] of text.matchAll(
    /T|(-?)(\d+)(?:[.,](\d{1,9}))?([YMWDHS])/g,
  )) {
    if (token === "T") {
      if (prefix === "T") throw invalid(text);
      prefix = "T";
      continue;
    }
    const unit = isoUnits[prefix + letter];
    if (unit === undefined || (fraction !== undefined && letter !== "S")) throw invalid(text);
    const micros = BigInt((fraction ?? "").padEnd(6, "0").slice(0, 6));
    const value = BigInt(whole) * unit.factor + micros;
    sums[unit.field] += sign === "-" ? -value : value;
  }
  return checkInterval(sums.months, sums.days, sums.micros);
}

/**
 * A text in the canonical format, in one of its unambiguous shorter forms, or in ISO 8601. Throws where it is none of
 * them.
 */
export function parseIntervalText(text: string): IntervalParts {
  if (text.startsWith("P")) return parseIsoDuration(text);
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const form = formsByShape.get(`${count(/ /g)} ${count(/:/g)} ${count(/(?<=\d)-/g)}`);
  if (form === undefined) throw invalid(text);
  return parseIntervalParts(text, ...form);
}

const singleUnits: Readonly<Record<string, { readonly field: "months" | "days" | "micros"; readonly factor: bigint }>> =
  {
    YEAR: { field: "months", factor: 12n },
    QUARTER: { field: "months", factor: 3n },
    MONTH: { field: "months", factor: 1n },
    WEEK: { field: "days", factor: 7n },
    DAY: { field: "days", factor: 1n },
    HOUR: { field: "micros", factor: MICROS_PER_HOUR },
    MINUTE: { field: "micros", factor: MICROS_PER_MINUTE },
    SECOND: { field: "micros", factor: MICROS_PER_SECOND },
  };

/** `INTERVAL 'text' PART`: a whole number, for SECOND also a fraction. Throws otherwise. */
export function parseSingleInterval(text: string, part: string): IntervalParts {
  const match = /^([-+]?)(\d*)(?:\.(\d{1,9}))?$/.exec(text);
  const unit = singleUnits[part];
  if (match === null || unit === undefined) throw invalid(text);
  const [, sign, whole = "", fraction] = match;
  if ((fraction !== undefined && part !== "SECOND") || (whole === "" && fraction === undefined)) throw invalid(text);
  const micros = BigInt((fraction ?? "").padEnd(6, "0").slice(0, 6));
  const magnitude = BigInt(whole === "" ? "0" : whole) * unit.factor + micros;
  const value = sign === "-" ? -magnitude : magnitude;
  const fields = { months: 0n, days: 0n, micros: 0n, [unit.field]: value };
  return checkInterval(fields.months, fields.days, fields.micros);
}
