/**
 * FORMAT_DATE, FORMAT_DATETIME, FORMAT_TIME and FORMAT_TIMESTAMP: the format elements of GoogleSQL's "Format elements
 * for date and time parts" page.
 */

import { dayOfWeek, dayOfYear, isoWeek, isoYearStart, MICROS_PER_DAY } from "../../values/calendar.ts";
import { type FindTimeZone, formatOffset } from "../../values/time-zone.ts";
import { trimEnd } from "../../values/trim-end.ts";
import { memoize } from "../memoize.ts";
import { type DatetimeFields, fieldsOfInstant, fieldsOfWall, MONTH_NAMES, WEEKDAY_NAMES } from "./datetime-fields.ts";

/** The types that formats are for. */
export type FormattedType = "DATE" | "DATETIME" | "TIME" | "TIMESTAMP";

/** Elements that a type has no value for. They are printed unchanged, and not parsed. */
export const foreignElements: Readonly<Record<FormattedType, string>> = {
  DATE: "cHIklMPpRrSsTXZz",
  DATETIME: "Zz",
  TIME: "AaBbhCcDdeFGgJjmQsUuVWwxYyZz",
  TIMESTAMP: "",
};

type Element = (fields: DatetimeFields) => string;

export function pad(value: number, width: number, fill = "0"): string {
  return String(value).padStart(width, fill);
}

function hour12(fields: DatetimeFields): number {
  return fields.hour % 12 === 0 ? 12 : fields.hour % 12;
}

function weekdayName(fields: DatetimeFields): string {
  return WEEKDAY_NAMES[dayOfWeek(fields.days)] ?? "";
}

function monthName(fields: DatetimeFields): string {
  return MONTH_NAMES[fields.month - 1] ?? "";
}

/**
 * Weeks of the year that began by this day, where weeks begin on `firstDay`; days before the first of them are week
 * 0.
 */
function weekOfYear(fields: DatetimeFields, firstDay: number): number {
  const daysIntoWeek = (dayOfWeek(fields.days) - firstDay + 7) % 7;
  return Math.floor((dayOfYear(fields.year, fields.month, fields.day) + 6 - daysIntoWeek) / 7);
}

function zoneName({ offsetSeconds }: DatetimeFields): string {
  if (offsetSeconds === 0) return "UTC";
  const minutes = Math.abs(offsetSeconds) / 60;
  const hours = Math.floor(minutes / 60);
  const offset = minutes % 60 === 0 ? `${hours}` : `${pad(hours, 2)}${pad(minutes % 60, 2)}`;
  return `UTC${offsetSeconds < 0 ? "-" : "+"}${offset}`;
}

const clock: Element = (f) => `${pad(f.hour, 2)}:${pad(f.minute, 2)}:${pad(f.second, 2)}`;
const shortDate: Element = (f) => `${pad(f.month, 2)}/${pad(f.day, 2)}/${pad(f.year % 100, 2)}`;

const elements: Readonly<Record<string, Element>> = {
  A: weekdayName,
  a: (f) => weekdayName(f).slice(0, 3),
  B: monthName,
  b: (f) => monthName(f).slice(0, 3),
  h: (f) => monthName(f).slice(0, 3),
  C: (f) => pad(Math.floor(f.year / 100), 2),
  c: (f) => `${weekdayName(f).slice(0, 3)} ${monthName(f).slice(0, 3)} ${pad(f.day, 2, " ")} ${clock(f)} ${f.year}`,
  D: shortDate,
  d: (f) => pad(f.day, 2),
  e: (f) => pad(f.day, 2, " "),
  F: (f) => `${f.year}-${pad(f.month, 2)}-${pad(f.day, 2)}`,
  G: (f) => String(isoWeek(f.days).year),
  g: (f) => pad(isoWeek(f.days).year % 100, 2),
  H: (f) => pad(f.hour, 2),
  I: (f) => pad(hour12(f), 2),
  J: (f) => pad(f.days - isoYearStart(isoWeek(f.days).year) + 1, 3),
  j: (f) => pad(dayOfYear(f.year, f.month, f.day), 3),
  k: (f) => pad(f.hour, 2, " "),
  l: (f) => pad(hour12(f), 2, " "),
  M: (f) => pad(f.minute, 2),
  m: (f) => pad(f.month, 2),
  n: () => "\n",
  P: (f) => (f.hour < 12 ? "am" : "pm"),
  p: (f) => (f.hour < 12 ? "AM" : "PM"),
  Q: (f) => String(Math.floor((f.month + 2) / 3)),
  R: (f) => `${pad(f.hour, 2)}:${pad(f.minute, 2)}`,
  r: (f) => `${pad(hour12(f), 2)}:${pad(f.minute, 2)}:${pad(f.second, 2)} ${f.hour < 12 ? "AM" : "PM"}`,
  S: (f) => pad(f.second, 2),
  s: (f) => String(f.unixSeconds),
  T: clock,
  t: () => "\t",
  U: (f) => pad(weekOfYear(f, 0), 2),
  u: (f) => String(dayOfWeek(f.days) === 0 ? 7 : dayOfWeek(f.days)),
  V: (f) => pad(isoWeek(f.days).week, 2),
  W: (f) => pad(weekOfYear(f, 1), 2),
  w: (f) => String(dayOfWeek(f.days)),
  X: clock,
  x: shortDate,
  Y: (f) => String(f.year),
  y: (f) => pad(f.year % 100, 2),
  Z: zoneName,
  z: (f) => formatOffset(f.offsetSeconds, ""),
  "%": () => "%",
};

/** Digits of the second's fraction, at most `count` of them; cut, not rounded. */
function fraction(fields: DatetimeFields, count: number): string {
  return pad(fields.micros, 6).padEnd(count, "0").slice(0, count);
}

function fractionAsNeeded(fields: DatetimeFields): string {
  return trimEnd(pad(fields.micros, 6), "0");
}

/** `%E` elements: their text after the E, and what they print. */
function findExtendedElement(
  rest: string,
): { readonly length: number; readonly basis: string; readonly print: Element } | undefined {
  const seconds = /^(\d{1,2}|\*)([Sf])/.exec(rest);
  if (seconds !== null) {
    const [{ length }, digits, letter] = seconds;
    const count = Number(digits);
    const print: Element = (f) => {
      const decimals = digits === "*" ? fractionAsNeeded(f) : fraction(f, count);
      if (letter === "f") return decimals === "" ? "0" : decimals;
      return decimals === "" ? pad(f.second, 2) : `${pad(f.second, 2)}.${decimals}`;
    };
    return { length, basis: "S", print };
  }
  if (rest.startsWith("4Y")) return { length: 2, basis: "Y", print: (f) => pad(f.year, 4) };
  if (rest.startsWith("*z")) return { length: 2, basis: "z", print: (f) => `${formatOffset(f.offsetSeconds, ":")}:00` };
  if (rest.startsWith("z")) return { length: 1, basis: "z", print: (f) => formatOffset(f.offsetSeconds, ":") };
  const letter = rest.charAt(0);
  const print = "cCxXyY".includes(letter) ? elements[letter] : undefined;
  return print === undefined ? undefined : { length: 1, basis: letter, print };
}

/** Applies the flags between `%` and an element to its text. */
function applyFlag(flag: string, print: Element): Element {
  switch (flag) {
    case "-":
      return (f) => print(f).replace(/^[0 ]+(?=.)/, "");
    case "_":
      return (f) => print(f).replace(/^0+(?=.)/, (zeros) => " ".repeat(zeros.length));
    case "0":
      return (f) => print(f).replace(/^ +/, (spaces) => "0".repeat(spaces.length));
    default:
      return (f) => print(f).toUpperCase();
  }
}

interface ReadElement {
  /** Characters of the format that the element takes, with its `%`. */
  readonly length: number;
  readonly print: Element;
}

function readElement(format: string, at: number, foreign: string): ReadElement | undefined {
  const next = format.charAt(at + 1);
  if (next === "E") {
    const found = findExtendedElement(format.slice(at + 2, at + 6));
    if (found === undefined || foreign.includes(found.basis)) return undefined;
    return { length: 2 + found.length, print: found.print };
  }
  if (next === ":" && format.charAt(at + 2) === "z" && !foreign.includes("z")) {
    return { length: 3, print: (f) => formatOffset(f.offsetSeconds, ":") };
  }
  const isFlag = next !== "" && "-_0^#".includes(next);
  const start = isFlag || next === "O" ? at + 2 : at + 1;
  const letter = format.charAt(start);
  const print = elements[letter];
  if (print === undefined || foreign.includes(letter)) return undefined;
  return { length: start - at + 1, print: isFlag ? applyFlag(next, print) : print };
}

/**
 * A printer of values by the format. Elements that the type has no value for, or that nobody knows, come out as they
 * are written.
 */
export function compileDatetimeFormat(format: string, type: FormattedType): (fields: DatetimeFields) => string {
  const foreign = foreignElements[type];
  const pieces: (string | Element)[] = [];
  let literal = "";
  for (let at = 0; at < format.length; ) {
    const element = format.charAt(at) === "%" ? readElement(format, at, foreign) : undefined;
    if (element === undefined) {
      literal += format.charAt(at);
      at += 1;
      continue;
    }
    if (literal !== "") pieces.push(literal);
    literal = "";
    pieces.push(element.print);
    at += element.length;
  }
  if (literal !== "") pieces.push(literal);
  return (fields) => {
    let text = "";
    for (const piece of pieces) text += typeof piece === "string" ? piece : piece(fields);
    return text;
  };
}

/** Prints values of each type by formats, each of which is compiled once. */
export function createPrinters(
  compile: (format: string, type: FormattedType) => (fields: DatetimeFields) => string,
  findZone: FindTimeZone,
) {
  const printerOf = (type: FormattedType) => memoize((format) => compile(format, type));
  const ofWall = (type: FormattedType) => {
    const printer = printerOf(type);
    return (format: string, wall: bigint) => printer(format)(fieldsOfWall(wall));
  };
  const [date, timestamp] = [ofWall("DATE"), printerOf("TIMESTAMP")];
  return {
    date: (format: string, days: number) => date(format, BigInt(days) * MICROS_PER_DAY),
    datetime: ofWall("DATETIME"),
    time: ofWall("TIME"),
    timestamp: (format: string, utc: bigint, zone: string) => timestamp(format)(fieldsOfInstant(utc, findZone(zone))),
  };
}
