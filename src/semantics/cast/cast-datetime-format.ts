/** CAST(date or time AS STRING FORMAT ...). */

import { dayOfWeek, dayOfYear } from "../../values/calendar.ts";
import { type DatetimeFields, MONTH_NAMES, WEEKDAY_NAMES } from "../time/datetime-fields.ts";
import { type FormattedType, pad } from "../time/datetime-format.ts";
import { type CastElement, readCastFormat } from "./cast-datetime-elements.ts";

const dateCategories: readonly string[] = ["LITERAL", "YEAR", "MONTH", "DAY"];
const timeCategories: readonly string[] = ["LITERAL", "HOUR", "MINUTE", "SECOND", "MERIDIAN_INDICATOR"];

const allowedCategories: Readonly<Record<FormattedType, readonly string[]>> = {
  DATE: dateCategories,
  TIME: timeCategories,
  DATETIME: [...dateCategories, ...timeCategories],
  TIMESTAMP: [...dateCategories, ...timeCategories, "TIME_ZONE"],
};

function meridian(hour: number, hasDots: boolean): string {
  const letter = hour < 12 ? "A" : "P";
  return hasDots ? `${letter}.M.` : `${letter}M`;
}

function printYear(year: number, digits: number): string {
  return digits >= 4 ? pad(year, 4) : pad(year % 10 ** digits, digits);
}

const monthName = ({ month }: DatetimeFields) => MONTH_NAMES[month - 1] ?? "";
const weekdayName = ({ days }: DatetimeFields) => WEEKDAY_NAMES[dayOfWeek(days)] ?? "";
const hour12 = ({ hour }: DatetimeFields) => pad(hour % 12 === 0 ? 12 : hour % 12, 2);

/** Each element's text, with names capitalised; years and fractions have as many digits as their names say. */
const elements: Readonly<Record<string, (fields: DatetimeFields) => string>> = {
  ...Object.fromEntries(
    "YYYY YYY YY Y RRRR RR".split(" ").map((name) => [name, (f: DatetimeFields) => printYear(f.year, name.length)]),
  ),
  "Y,YYY": (f) => `${Math.floor(f.year / 1000)},${pad(f.year % 1000, 3)}`,
  MM: (f) => pad(f.month, 2),
  MON: (f) => monthName(f).slice(0, 3),
  MONTH: monthName,
  DDD: (f) => pad(dayOfYear(f.year, f.month, f.day), 3),
  DD: (f) => pad(f.day, 2),
  D: (f) => String(dayOfWeek(f.days) + 1),
  DAY: weekdayName,
  DY: (f) => weekdayName(f).slice(0, 3),
  HH: hour12,
  HH12: hour12,
  HH24: (f) => pad(f.hour, 2),
  MI: (f) => pad(f.minute, 2),
  SS: (f) => pad(f.second, 2),
  SSSSS: (f) => pad((f.hour * 60 + f.minute) * 60 + f.second, 5),
  AM: (f) => meridian(f.hour, false),
  PM: (f) => meridian(f.hour, false),
  "A.M.": (f) => meridian(f.hour, true),
  "P.M.": (f) => meridian(f.hour, true),
  TZH: (f) => `${f.offsetSeconds < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(f.offsetSeconds) / 3600), 2)}`,
  TZM: (f) => pad(Math.floor(Math.abs(f.offsetSeconds) / 60) % 60, 2),
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digits) => [
      `FF${digits}`,
      (f: DatetimeFields) => pad(f.micros, 6).padEnd(9, "0").slice(0, digits),
    ]),
  ),
};

function applyCase(text: string, { letterCase }: CastElement): string {
  if (letterCase === "lower") return text.toLowerCase();
  return letterCase === "upper" ? text.toUpperCase() : text;
}

/** A printer of values by the format. Throws for elements that the type has no value for. */
export function compileCastFormat(format: string, type: FormattedType): (fields: DatetimeFields) => string {
  const read = readCastFormat(format);
  for (const { category, name } of read) {
    if (!allowedCategories[type].includes(category)) throw new Error(`${type} does not support '${name}'`);
  }
  return (fields) => {
    let text = "";
    for (const element of read) {
      const isLiteral = element.category === "LITERAL";
      text += isLiteral ? element.text : applyCase(elements[element.name]?.(fields) ?? "", element);
    }
    return text;
  };
}
