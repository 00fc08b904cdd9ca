import { microsOfFraction } from "../../values/time-text.ts";
import type { FindTimeZone } from "../../values/time-zone.ts";
import { isSpace, skipSpaces, takeCharacter, takeDigits, takeName, takeNumber } from "./datetime-cursor.ts";
import { MONTH_NAMES, WEEKDAY_NAMES } from "./datetime-fields.ts";
import type { ParseState } from "./datetime-parse-state.ts";

/** Seconds since 1970 of the years 1 to 9999 have at most 12 digits. */
const MAX_UNIX_DIGITS = 12;

type NumberField = "year" | "month" | "day" | "hour" | "minute" | "second";

function readInto(state: ParseState, field: NumberField, maxDigits: number, min: number, max: number): boolean {
  const value = takeNumber(state.cursor, maxDigits, min, max);
  if (value === undefined) return false;
  state[field] = value;
  return true;
}

function markDate(state: ParseState, ...parts: readonly ("year" | "month" | "day")[]): void {
  state.hasCalendarDate = true;
  for (const part of parts) state[`${part}Position`] = state.position;
}

function readYear(state: ParseState, maxDigits: number): boolean {
  if (!readInto(state, "year", maxDigits, 0, maxDigits === 5 ? 10_000 : 9_999)) return false;
  state.century = undefined;
  state.isCenturyExplicit = false;
  markDate(state, "year");
  return true;
}

function readCentury(state: ParseState, maxDigits: number): boolean {
  const value = takeNumber(state.cursor, maxDigits, 0, maxDigits === 3 ? 100 : 99);
  if (value === undefined) return false;
  if (state.century === undefined) state.year = 0;
  state.century = value;
  state.isCenturyExplicit = true;
  markDate(state, "year");
  return true;
}

function readShortYear(state: ParseState): boolean {
  if (!readInto(state, "year", 2, 0, 99)) return false;
  if (!state.isCenturyExplicit) state.century = state.year < 69 ? 20 : 19;
  markDate(state, "year");
  return true;
}

function readHour12(state: ParseState): boolean {
  if (!readInto(state, "hour", 2, 1, 12)) return false;
  state.hour %= 12;
  state.isTwelveHour = true;
  return true;
}

function readMeridian(state: ParseState): boolean {
  const { cursor } = state;
  const text = cursor.text.slice(cursor.at, cursor.at + 2).toLowerCase();
  if (text !== "am" && text !== "pm") return false;
  state.isAfternoon = text === "pm";
  cursor.at += 2;
  return true;
}

function readFraction(state: ParseState, maxDigits: number): boolean {
  if (!takeCharacter(state.cursor, ".")) return true;
  const digits = takeDigits(state.cursor, maxDigits);
  state.micros = microsOfFraction(digits);
  return digits !== "";
}

function readMonthName(state: ParseState): boolean {
  const index = takeName(state.cursor, MONTH_NAMES);
  if (index === undefined) return false;
  state.month = index + 1;
  markDate(state, "month");
  return true;
}

type WeekField = "weekday" | "week" | "dayOfYear" | "isoYear" | "isoWeek" | "isoDayOfYear";

function readWeekField(
  state: ParseState,
  field: WeekField,
  [maxDigits, min, max]: readonly [number, number, number],
  convert: (value: number) => number = (value) => value,
  firstDay?: number,
): boolean {
  const value = takeNumber(state.cursor, maxDigits, min, max);
  if (value === undefined) return false;
  const element = { value: convert(value), position: state.position };
  state[field] = firstDay === undefined ? element : { ...element, firstDay };
  if (field === "week" || field === "dayOfYear") state.hasCalendarDate = true;
  return true;
}

function readWeekdayName(state: ParseState): boolean {
  const value = takeName(state.cursor, WEEKDAY_NAMES);
  if (value === undefined) return false;
  state.weekday = { value, position: state.position };
  return true;
}

function readOffset(state: ParseState, separator: string): boolean {
  const { cursor } = state;
  const match = /^([+-])(\d\d)(:?)(\d\d)?/.exec(cursor.text.slice(cursor.at, cursor.at + 6));
  if (match === null || Number(match[2]) > 23 || Number(match[4] ?? 0) > 59) return false;
  const [, sign, hours, colon, minutes] = match;
  const hasMinutes = minutes !== undefined && (colon === "" || separator === ":");
  const total = Number(hours) * 60 + (hasMinutes ? Number(minutes) : 0);
  if (total > 14 * 60) {
    const shown = `${sign}${hours}:${hasMinutes ? minutes : "00"}`;
    throw new Error(`Timezone offset out of valid range -14:00 to +14:00: ${shown}`);
  }
  state.offsetSeconds = (sign === "-" ? -total : total) * 60;
  const colonLength = colon !== "" && separator === ":" ? 1 : 0;
  cursor.at += hasMinutes ? 5 + colonLength : 3 + colonLength;
  return true;
}

function readZoneName(state: ParseState, find: FindTimeZone): boolean {
  const { cursor } = state;
  let end = cursor.at;
  while (end < cursor.text.length && !isSpace(cursor.text.charAt(end))) end += 1;
  if (end === cursor.at) return false;
  state.zone = find(cursor.text.slice(cursor.at, end));
  state.offsetSeconds = undefined;
  cursor.at = end;
  return true;
}

function readUnixSeconds(state: ParseState): boolean {
  const isNegative = takeCharacter(state.cursor, "-");
  const digits = takeDigits(state.cursor, isNegative ? MAX_UNIX_DIGITS - 1 : MAX_UNIX_DIGITS);
  if (digits === "") return false;
  state.unixSeconds = isNegative ? -BigInt(digits) : BigInt(digits);
  return true;
}

function readQuarter(state: ParseState): boolean {
  const value = takeNumber(state.cursor, 1, 1, 4);
  if (value === undefined) return false;
  state.month = (value - 1) * 3 + 1;
  state.day = 1;
  markDate(state, "month", "day");
  return true;
}

/** Composite elements, written with others. Their numbers may follow spaces. */
function readComposite(state: ParseState, format: string): boolean {
  for (let at = 0; at < format.length; at++) {
    const character = format.charAt(at);
    if (character === " ") {
      skipSpaces(state.cursor);
    } else if (character === "%") {
      at += 1;
      skipSpaces(state.cursor);
      const read = simpleElements[format.charAt(at)];
      if (read === undefined || !read(state, false)) return false;
    } else if (!takeCharacter(state.cursor, character)) {
      return false;
    }
  }
  return true;
}

function readHour24(state: ParseState): boolean {
  state.isTwelveHour = false;
  return readInto(state, "hour", 2, 0, 23);
}

function readAndMark(part: "month" | "day", max: number): Read {
  return (state) => {
    markDate(state, part);
    return readInto(state, part, 2, 1, max);
  };
}

function readAfterSpaces(read: Read): Read {
  return (state, isOpen) => {
    skipSpaces(state.cursor);
    return read(state, isOpen);
  };
}

/**
 * Reads one element; false where the text does not fit. `isOpen` is false where another element follows at once: a
 * year then has no fifth digit.
 */
type Read = (state: ParseState, isOpen: boolean) => boolean;

const readDay = readAndMark("day", 31);
const readMinute: Read = (state) => readInto(state, "minute", 2, 0, 59);
const readSecond: Read = (state) => readInto(state, "second", 2, 0, 60);

const simpleElements: Readonly<Record<string, Read>> = {
  Y: (state, isOpen) => readYear(state, isOpen ? 5 : 4),
  C: (state, isOpen) => readCentury(state, isOpen ? 3 : 2),
  y: readShortYear,
  m: readAndMark("month", 12),
  d: readDay,
  e: readAfterSpaces(readDay),
  H: readHour24,
  k: readAfterSpaces(readHour24),
  I: readAfterSpaces(readHour12),
  l: readAfterSpaces(readHour12),
  M: readMinute,
  S: readSecond,
  p: readMeridian,
  P: readMeridian,
  B: readAfterSpaces(readMonthName),
  b: readAfterSpaces(readMonthName),
  h: readAfterSpaces(readMonthName),
  A: readAfterSpaces(readWeekdayName),
  a: readAfterSpaces(readWeekdayName),
  u: (state) => readWeekField(state, "weekday", [1, 1, 7], (value) => value % 7),
  w: (state) => readWeekField(state, "weekday", [1, 0, 6]),
  U: (state) => readWeekField(state, "week", [2, 0, 53], undefined, 0),
  W: (state) => readWeekField(state, "week", [2, 0, 53], undefined, 1),
  V: (state) => readWeekField(state, "isoWeek", [2, 1, 53]),
  G: (state) => readWeekField(state, "isoYear", [5, 0, 99_999]),
  g: (state) => readWeekField(state, "isoYear", [2, 0, 99], (value) => value + (value < 69 ? 2000 : 1900)),
  J: (state) => readWeekField(state, "isoDayOfYear", [3, 1, 371]),
  j: (state) => readWeekField(state, "dayOfYear", [3, 1, 366]),
  Q: readQuarter,
  s: readUnixSeconds,
  z: (state) => readOffset(state, ""),
  n: readAfterSpaces(() => true),
  t: readAfterSpaces(() => true),
  "%": (state) => takeCharacter(state.cursor, "%"),
};

const compositeElements: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  x: "%m/%d/%y",
  F: "%Y-%m-%d",
  R: "%H:%M",
  T: "%H:%M:%S",
  X: "%H:%M:%S",
  r: "%I:%M:%S %p",
};

/**
 * Parses the element after `%E` and returns its length; undefined if the text does not fit or the element is unknown.
 */
function parseExtendedElement(state: ParseState, format: string, at: number): number | undefined {
  const rest = format.slice(at, at + 2);
  const letter = format.charAt(at);
  if (letter === "z") return takeCharacter(state.cursor, "Z") ? setUtc(state) : readOffset(state, ":") ? 1 : undefined;
  if (rest === "4Y") {
    const start = state.cursor.at;
    return readYear(state, 4) && state.cursor.at - start === 4 ? 2 : undefined;
  }
  if (rest === "*S" || /^[0-6]S$/.test(rest)) {
    if (!readSecond(state, false)) return undefined;
    const digits = rest === "*S" ? Number.POSITIVE_INFINITY : Number(letter);
    return digits === 0 || readFraction(state, digits) ? 2 : undefined;
  }
  return "cCxXyY".includes(letter) ? parsePlainElement(state, format, at) : undefined;
}

function setUtc(state: ParseState): 1 {
  state.offsetSeconds = 0;
  return 1;
}

function parsePlainElement(state: ParseState, format: string, at: number): 1 | undefined {
  const letter = format.charAt(at);
  const composite = compositeElements[letter];
  if (composite !== undefined) return readComposite(state, composite) ? 1 : undefined;
  const isOpen = format.charAt(at + 1) !== "%";
  return simpleElements[letter]?.(state, isOpen) ? 1 : undefined;
}

/**
 * Reads the element whose letter stands at `at` in the format. The length of the element without its `%`; undefined
 * where the text does not fit it.
 */
export function parseElement(state: ParseState, format: string, at: number, find: FindTimeZone): number | undefined {
  const letter = format.charAt(at);
  const extended = letter === "E" ? parseExtendedElement(state, format, at + 1) : undefined;
  if (letter === "E") return extended === undefined ? undefined : extended + 1;
  if (letter === "O") return parsePlainElement(state, format, at + 1) === undefined ? undefined : 2;
  if (letter === "Z") return readZoneName(state, find) ? 1 : undefined;
  return parsePlainElement(state, format, at);
}
