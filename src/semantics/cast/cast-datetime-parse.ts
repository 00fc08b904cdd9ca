/** CAST(STRING AS date or time FORMAT ...). */

import { civilFromMicros, isValidDay, MAX_MICROS, MIN_MICROS, microsFromCivil } from "../time/civil.ts";
import { type TextCursor, takeDigits, takeName, takeNumber } from "../time/datetime-cursor.ts";
import { MONTH_NAMES } from "../time/datetime-fields.ts";
import type { FormattedType } from "../time/datetime-format.ts";
import { type FindTimeZone, fixedZone, utcFromWall, wallFromUtc } from "../time/time-zone.ts";
import { type CastElement, type ElementCategory, readCastFormat } from "./cast-datetime-elements.ts";

const readable =
  "text space YYYY YYY YY Y RRRR RR Y,YYY MM MON MONTH DD HH HH12 HH24 MI SS SSSSS A.M. P.M. TZH TZM FF1 FF2 FF3 FF4 FF5 FF6 FF7 FF8 FF9".split(
    " ",
  );
const digitNames = readable.filter((name) => !["text", "space", "MON", "MONTH", "A.M.", "P.M.", "TZH"].includes(name));

const foreignCategories: Readonly<Record<FormattedType, readonly ElementCategory[]>> = {
  DATE: ["HOUR", "MINUTE", "SECOND", "MERIDIAN_INDICATOR", "TIME_ZONE"],
  TIME: ["YEAR", "MONTH", "DAY", "TIME_ZONE"],
  DATETIME: ["TIME_ZONE"],
  TIMESTAMP: [],
};

interface ReadableElement extends CastElement {
  /** True where digits follow at once: then the element takes all of its digits. */
  readonly isBeforeDigits: boolean;
}

function checkElements(elements: readonly CastElement[], type: FormattedType): void {
  const names = new Set<string>();
  const byCategory = new Map<ElementCategory, string>();
  for (const { name, category } of elements) {
    if (!readable.includes(name)) throw new Error(`Format element '${name}' is not supported for parsing`);
    if (category === "LITERAL") continue;
    if (foreignCategories[type].includes(category)) {
      throw new Error(`Format element in category ${category} ('${name}') is not allowed for output type ${type}`);
    }
    if (names.has(name)) throw new Error(`Format element '${name}' appears more than once in the format string`);
    const earlier = byCategory.get(category);
    if (earlier !== undefined && category !== "SECOND" && category !== "TIME_ZONE") {
      throw new Error(`More than one format element in category ${category} exist: '${earlier}' and '${name}'`);
    }
    names.add(name);
    byCategory.set(category, name);
  }
  checkTogether(names, byCategory);
}

function checkTogether(names: ReadonlySet<string>, byCategory: ReadonlyMap<ElementCategory, string>): void {
  const exclude = (name: string, other: string | undefined) => {
    if (names.has(name) && other !== undefined) {
      throw new Error(`Format elements '${name}' and '${other}' cannot exist simultaneously`);
    }
  };
  const meridian = byCategory.get("MERIDIAN_INDICATOR");
  exclude("HH24", meridian);
  exclude("SSSSS", byCategory.get("HOUR"));
  exclude("SSSSS", byCategory.get("MINUTE"));
  exclude("SSSSS", names.has("SS") ? "SS" : undefined);
  const hour12 = names.has("HH") ? "HH" : names.has("HH12") ? "HH12" : undefined;
  if (hour12 !== undefined && meridian === undefined) {
    throw new Error(`Format element in category MERIDIAN_INDICATOR is required when format element '${hour12}' exists`);
  }
  if (meridian !== undefined && hour12 === undefined) {
    throw new Error(
      `Format element of type HH/HH12 is required when format element in category MERIDIAN_INDICATOR ('${meridian}') exists`,
    );
  }
}

function markDigits(elements: readonly CastElement[]): readonly ReadableElement[] {
  const marked: ReadableElement[] = [];
  let isBeforeDigits = false;
  for (const element of [...elements].reverse()) {
    marked.push({ ...element, isBeforeDigits });
    if (element.name === "text" && element.text === "") continue;
    isBeforeDigits = element.name === "text" ? /^\d/.test(element.text) : digitNames.includes(element.name);
  }
  return marked.reverse();
}

/** The elements of a format by which a text can be read. Throws for combinations that make no sense. */
export function compileCastParse(format: string, type: FormattedType): readonly ReadableElement[] {
  const elements = readCastFormat(format);
  checkElements(elements, type);
  return markDigits(elements);
}

interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  hour12: number;
  isAfternoon: boolean;
  minute: number;
  second: number;
  micros: number;
  isWest: boolean;
  offsetHours: number | undefined;
  offsetMinutes: number | undefined;
}

function skipUnicodeSpaces(cursor: TextCursor): number {
  const length = /^\s*/u.exec(cursor.text.slice(cursor.at))?.[0].length ?? 0;
  cursor.at += length;
  return length;
}

/** Reads one element; false where the text does not fit. */
function readElement(cursor: TextCursor, fields: Fields, { name, text, isBeforeDigits }: ReadableElement): boolean {
  const number = (digits: number, min: number, max: number): number | undefined => {
    const start = cursor.at;
    const value = takeNumber(cursor, digits, min, max);
    return isBeforeDigits && cursor.at - start < digits ? undefined : value;
  };
  const set = (
    field: "month" | "day" | "hour" | "hour12" | "minute" | "second" | "offsetMinutes",
    min: number,
    max: number,
  ) => {
    const value = number(2, min, max);
    if (value !== undefined) fields[field] = value;
    return value !== undefined;
  };
  switch (name) {
    case "text":
      if (!cursor.text.startsWith(text, cursor.at)) return false;
      cursor.at += text.length;
      return true;
    case "space":
      return skipUnicodeSpaces(cursor) > 0;
    case "YYYY":
    case "RRRR": {
      const value = number(isBeforeDigits ? 4 : 5, 0, 10_000);
      fields.year = value ?? fields.year;
      return value !== undefined;
    }
    case "YYY":
    case "YY":
    case "Y": {
      const unit = 10 ** name.length;
      const value = number(name.length, 0, unit - 1);
      fields.year = fields.year - (fields.year % unit) + (value ?? 0);
      return value !== undefined;
    }
    case "RR": {
      const value = number(2, 0, 99);
      fields.year = nearestYear(fields.year, value ?? 0);
      return value !== undefined;
    }
    case "Y,YYY": {
      const match = /^(10|\d),(\d{3})/.exec(cursor.text.slice(cursor.at, cursor.at + 6));
      if (match === null) return false;
      fields.year = Number(match[1]) * 1000 + Number(match[2]);
      cursor.at += match[0].length;
      return true;
    }
    case "MM":
      return set("month", 1, 12);
    case "MON":
    case "MONTH": {
      const index = takeName(cursor, MONTH_NAMES, name === "MON" ? "short" : "full");
      fields.month = (index ?? 0) + 1;
      return index !== undefined;
    }
    case "DD":
      return set("day", 1, 31);
    case "HH":
    case "HH12":
      return set("hour12", 1, 12);
    case "HH24":
      return set("hour", 0, 23);
    case "MI":
      return set("minute", 0, 59);
    case "SS":
      return set("second", 0, 59);
    case "SSSSS": {
      const value = number(5, 0, 86_399) ?? -1;
      fields.hour = Math.floor(value / 3600);
      fields.minute = Math.floor(value / 60) % 60;
      fields.second = value % 60;
      return value >= 0;
    }
    case "A.M.":
    case "P.M.": {
      const found = cursor.text.slice(cursor.at, cursor.at + 4).toUpperCase();
      fields.isAfternoon = found === "P.M.";
      cursor.at += 4;
      return found === "A.M." || found === "P.M.";
    }
    case "TZH": {
      const sign = cursor.text.charAt(cursor.at);
      if (sign === "" || !"+- ".includes(sign)) return false;
      cursor.at += 1;
      fields.isWest = sign === "-";
      fields.offsetHours = number(2, 0, 14);
      return fields.offsetHours !== undefined;
    }
    case "TZM":
      return set("offsetMinutes", 0, 59);
    default:
      return readFraction(cursor, fields, Number(name.slice(2)), isBeforeDigits);
  }
}

function readFraction(cursor: TextCursor, fields: Fields, maxDigits: number, isBeforeDigits: boolean): boolean {
  const digits = takeDigits(cursor, maxDigits);
  fields.micros = Number(digits.slice(0, 6).padEnd(6, "0"));
  return digits.length >= (isBeforeDigits ? maxDigits : 1);
}

/** The year with these last two digits in the half century before or after the current one. */
function nearestYear(currentYear: number, lastDigits: number): number {
  const century = Math.floor(currentYear / 100);
  const isCurrentLate = currentYear % 100 >= 50;
  if (lastDigits < 50 && isCurrentLate) return (century + 1) * 100 + lastDigits;
  if (lastDigits >= 50 && !isCurrentLate) return (century - 1) * 100 + lastDigits;
  return century * 100 + lastDigits;
}

function readAll(text: string, elements: readonly ReadableElement[], fields: Fields): void {
  const cursor: TextCursor = { text, at: 0 };
  let count = 0;
  skipUnicodeSpaces(cursor);
  for (const element of elements) {
    if (cursor.at >= text.length) break;
    const start = cursor.at;
    if (!readElement(cursor, fields, element)) {
      throw new Error(`Failed to parse input timestamp string at ${start} with format element '${element.text}'`);
    }
    count += 1;
  }
  skipUnicodeSpaces(cursor);
  if (cursor.at < text.length) {
    throw new Error(`Illegal non-space trailing data '${text.slice(cursor.at)}' in timestamp string`);
  }
  const missing = elements.slice(count).find((element) => element.name !== "text" || element.text !== "");
  if (missing !== undefined) {
    throw new Error(`Entire timestamp string has been parsed before dealing with format element '${missing.text}'`);
  }
}

/**
 * Reads a text by a format: microseconds since 1970-01-01, of the instant for a TIMESTAMP and of the wall clock otherwise.
 * The year and month that the format leaves out are those of `now`, an instant; the day is the first, the time midnight.
 */
export function parseCastDatetime(
  text: string,
  elements: readonly ReadableElement[],
  now: bigint,
  zoneName: string,
  find: FindTimeZone,
): bigint {
  const defaultZone = find(zoneName);
  const current = civilFromMicros(wallFromUtc(now, defaultZone));
  const fields: Fields = {
    year: current.year,
    month: current.month,
    day: 1,
    hour: 0,
    hour12: 0,
    isAfternoon: false,
    minute: 0,
    second: 0,
    micros: 0,
    isWest: false,
    offsetHours: undefined,
    offsetMinutes: undefined,
  };
  readAll(text, elements, fields);
  if (!isValidDay(fields.year, fields.month, fields.day)) {
    throw new Error("Invalid result from year, month, day values after parsing");
  }
  const hour = fields.hour12 === 0 ? fields.hour : (fields.hour12 % 12) + (fields.isAfternoon ? 12 : 0);
  const wall = microsFromCivil({ ...fields, hour });
  const hasOffset = fields.offsetHours !== undefined || fields.offsetMinutes !== undefined;
  const offset = ((fields.offsetHours ?? 0) * 60 + (fields.offsetMinutes ?? 0)) * 60;
  const result = utcFromWall(wall, hasOffset ? fixedZone(fields.isWest ? -offset : offset) : defaultZone);
  if (result < MIN_MICROS || result > MAX_MICROS) throw new Error("The parsing result is out of valid time range");
  return result;
}
