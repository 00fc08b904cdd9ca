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

/** The element's text with names capitalised; undefined where nothing is printed for the element. */
function printElement(name: string, f: DatetimeFields): string | undefined {
  switch (name) {
    case "YYYY":
    case "YYY":
    case "YY":
    case "Y":
    case "RRRR":
    case "RR":
      return printYear(f.year, name.length);
    case "Y,YYY":
      return `${Math.floor(f.year / 1000)},${pad(f.year % 1000, 3)}`;
    case "MM":
      return pad(f.month, 2);
    case "MON":
      return MONTH_NAMES[f.month - 1]?.slice(0, 3);
    case "MONTH":
      return MONTH_NAMES[f.month - 1];
    case "DDD":
      return pad(dayOfYear(f.year, f.month, f.day), 3);
    case "DD":
      return pad(f.day, 2);
    case "D":
      return String(dayOfWeek(f.days) + 1);
    case "DAY":
      return WEEKDAY_NAMES[dayOfWeek(f.days)];
    case "DY":
      return WEEKDAY_NAMES[dayOfWeek(f.days)]?.slice(0, 3);
    case "HH":
    case "HH12":
      return pad(f.hour % 12 === 0 ? 12 : f.hour % 12, 2);
    case "HH24":
      return pad(f.hour, 2);
    case "MI":
      return pad(f.minute, 2);
    case "SS":
      return pad(f.second, 2);
    case "SSSSS":
      return pad((f.hour * 60 + f.minute) * 60 + f.second, 5);
    case "AM":
    case "PM":
      return meridian(f.hour, false);
    case "A.M.":
    case "P.M.":
      return meridian(f.hour, true);
    case "TZH":
      return `${f.offsetSeconds < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(f.offsetSeconds) / 3600), 2)}`;
    case "TZM":
      return pad(Math.floor(Math.abs(f.offsetSeconds) / 60) % 60, 2);
    default:
      return name.startsWith("FF")
        ? pad(f.micros, 6)
            .padEnd(9, "0")
            .slice(0, Number(name.slice(2)))
        : undefined;
  }
}

function applyCase(text: string, { letterCase }: CastElement): string {
  if (letterCase === "lower") return text.toLowerCase();
  return letterCase === "upper" ? text.toUpperCase() : text;
}

/** A printer of values by the format. Throws for elements that the type has no value for. */
export function compileCastFormat(format: string, type: FormattedType): (fields: DatetimeFields) => string {
  const elements = readCastFormat(format);
  for (const { category, name } of elements) {
    if (!allowedCategories[type].includes(category)) throw new Error(`${type} does not support '${name}'`);
  }
  return (fields) => {
    let text = "";
    for (const element of elements) {
      const isLiteral = element.category === "LITERAL";
      text += isLiteral ? element.text : applyCase(printElement(element.name, fields) ?? "", element);
    }
    return text;
  };
}
