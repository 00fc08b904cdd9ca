/** How each element of a FORMAT reads a text, for CAST(STRING AS date or time FORMAT ...). */

import type { CivilDate } from "../../values/calendar.ts";
import { microsOfFraction } from "../../values/time-text.ts";
import { type TextCursor, takeDigits, takeName, takeNumber } from "../time/datetime-cursor.ts";
import { MONTH_NAMES } from "../time/datetime-fields.ts";
import type { CastElement } from "./cast-datetime-elements.ts";

export interface ReadableElement extends CastElement {
  /** True where digits follow at once: then the element takes all of its digits. */
  readonly isBeforeDigits: boolean;
}

/** The fields before the first element: midnight of the first day of a month. */
export function createFields({ year, month }: CivilDate) {
  return {
    year,
    month,
    day: 1,
    hour: 0,
    hour12: 0,
    isAfternoon: false,
    minute: 0,
    second: 0,
    micros: 0,
    isWest: false,
    offsetHours: undefined as number | undefined,
    offsetMinutes: undefined as number | undefined,
  };
}

/** The fields read of a text so far. */
export type ParsedFields = ReturnType<typeof createFields>;

/** Reads one element; false where the text does not fit. */
type ReadElement = (cursor: TextCursor, fields: ParsedFields, element: ReadableElement) => boolean;

type TwoDigitField = "month" | "day" | "hour" | "hour12" | "minute" | "second" | "offsetMinutes";

/** Passes white space over; answers how much there was. */
export function skipUnicodeSpaces(cursor: TextCursor): number {
  const length = /^\s*/u.exec(cursor.text.slice(cursor.at))?.[0].length ?? 0;
  cursor.at += length;
  return length;
}

function readNumber(
  cursor: TextCursor,
  { isBeforeDigits }: ReadableElement,
  digits: number,
  min: number,
  max: number,
): number | undefined {
  const start = cursor.at;
  const value = takeNumber(cursor, digits, min, max);
  return isBeforeDigits && cursor.at - start < digits ? undefined : value;
}

function twoDigits(field: TwoDigitField, min: number, max: number): ReadElement {
  return (cursor, fields, element) => {
    const value = readNumber(cursor, element, 2, min, max);
    if (value !== undefined) fields[field] = value;
    return value !== undefined;
  };
}

const readText: ReadElement = (cursor, _fields, { text }) => {
  if (!cursor.text.startsWith(text, cursor.at)) return false;
  cursor.at += text.length;
  return true;
};

const readYear: ReadElement = (cursor, fields, element) => {
  const value = readNumber(cursor, element, element.isBeforeDigits ? 4 : 5, 0, 10_000);
  fields.year = value ?? fields.year;
  return value !== undefined;
};

/** The last digits of the year, one for each letter of the element. */
const readLastDigits: ReadElement = (cursor, fields, element) => {
  const unit = 10 ** element.name.length;
  const value = readNumber(cursor, element, element.name.length, 0, unit - 1);
  fields.year = fields.year - (fields.year % unit) + (value ?? 0);
  return value !== undefined;
};

const readRoundedYear: ReadElement = (cursor, fields, element) => {
  const value = readNumber(cursor, element, 2, 0, 99);
  fields.year = nearestYear(fields.year, value ?? 0);
  return value !== undefined;
};

const readYearWithComma: ReadElement = (cursor, fields) => {
  const match = /^(10|\d),(\d{3})/.exec(cursor.text.slice(cursor.at, cursor.at + 6));
  if (match === null) return false;
  fields.year = Number(match[1]) * 1000 + Number(match[2]);
  cursor.at += match[0].length;
  return true;
};

function monthName(length: "short" | "full"): ReadElement {
  return (cursor, fields) => {
    const index = takeName(cursor, MONTH_NAMES, length);
    fields.month = (index ?? 0) + 1;
    return index !== undefined;
  };
}

const readSecondOfDay: ReadElement = (cursor, fields, element) => {
  const value = readNumber(cursor, element, 5, 0, 86_399) ?? -1;
  fields.hour = Math.floor(value / 3600);
  fields.minute = Math.floor(value / 60) % 60;
  fields.second = value % 60;
  return value >= 0;
};

const readMeridian: ReadElement = (cursor, fields) => {
  const found = cursor.text.slice(cursor.at, cursor.at + 4).toUpperCase();
  fields.isAfternoon = found === "P.M.";
  cursor.at += 4;
  return found === "A.M." || found === "P.M.";
};

const readOffsetHours: ReadElement = (cursor, fields, element) => {
  const sign = cursor.text.charAt(cursor.at);
  if (sign === "" || !"+- ".includes(sign)) return false;
  cursor.at += 1;
  fields.isWest = sign === "-";
  fields.offsetHours = readNumber(cursor, element, 2, 0, 14);
  return fields.offsetHours !== undefined;
};

function fraction(maxDigits: number): ReadElement {
  return (cursor, fields, { isBeforeDigits }) => {
    const digits = takeDigits(cursor, maxDigits);
    fields.micros = microsOfFraction(digits);
    return digits.length >= (isBeforeDigits ? maxDigits : 1);
  };
}

/** By the element's name; those that are not here cannot be parsed. */
export const elementReaders: ReadonlyMap<string, ReadElement> = new Map<string, ReadElement>([
  ["text", readText],
  ["space", (cursor) => skipUnicodeSpaces(cursor) > 0],
  ["YYYY", readYear],
  ["RRRR", readYear],
  ["YYY", readLastDigits],
  ["YY", readLastDigits],
  ["Y", readLastDigits],
  ["RR", readRoundedYear],
  ["Y,YYY", readYearWithComma],
  ["MM", twoDigits("month", 1, 12)],
  ["MON", monthName("short")],
  ["MONTH", monthName("full")],
  ["DD", twoDigits("day", 1, 31)],
  ["HH", twoDigits("hour12", 1, 12)],
  ["HH12", twoDigits("hour12", 1, 12)],
  ["HH24", twoDigits("hour", 0, 23)],
  ["MI", twoDigits("minute", 0, 59)],
  ["SS", twoDigits("second", 0, 59)],
  ["SSSSS", readSecondOfDay],
  ["A.M.", readMeridian],
  ["P.M.", readMeridian],
  ["TZH", readOffsetHours],
  ["TZM", twoDigits("offsetMinutes", 0, 59)],
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((digits) => [`FF${digits}`, fraction(digits)] as const),
]);

/** The year with these last two digits in the half century before or after the current one. */
function nearestYear(currentYear: number, lastDigits: number): number {
  const century = Math.floor(currentYear / 100);
  const isCurrentLate = currentYear % 100 >= 50;
  if (lastDigits < 50 && isCurrentLate) return (century + 1) * 100 + lastDigits;
  if (lastDigits >= 50 && !isCurrentLate) return (century - 1) * 100 + lastDigits;
  return century * 100 + lastDigits;
}
