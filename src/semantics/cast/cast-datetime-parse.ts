/** CAST(STRING AS date or time FORMAT ...). */

import { civilFromMicros, isTimestampInRange, isValidDay, microsFromCivil } from "../../values/calendar.ts";
import { type FindTimeZone, fixedZone, utcFromWall, wallFromUtc } from "../../values/time-zone.ts";
import type { TextCursor } from "../time/datetime-cursor.ts";
import type { FormattedType } from "../time/datetime-format.ts";
import { type CastElement, type ElementCategory, readCastFormat } from "./cast-datetime-elements.ts";
import {
  createFields,
  elementReaders,
  type ParsedFields,
  type ReadableElement,
  skipUnicodeSpaces,
} from "./cast-datetime-readers.ts";

/** Elements of letters and spaces; all others begin with a digit, or a sign. */
const wordNames = ["text", "space", "MON", "MONTH", "A.M.", "P.M.", "TZH"];

const foreignCategories: Readonly<Record<FormattedType, readonly ElementCategory[]>> = {
  DATE: ["HOUR", "MINUTE", "SECOND", "MERIDIAN_INDICATOR", "TIME_ZONE"],
  TIME: ["YEAR", "MONTH", "DAY", "TIME_ZONE"],
  DATETIME: ["TIME_ZONE"],
  TIMESTAMP: [],
};

function checkElements(elements: readonly CastElement[], type: FormattedType): void {
  const names = new Set<string>();
  const byCategory = new Map<ElementCategory, string>();
  for (const { name, category } of elements) {
    if (!elementReaders.has(name)) throw new Error(`Format element '${name}' is not supported for parsing`);
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
      "Format element of type HH/HH12 is required when format element in category MERIDIAN_INDICATOR " +
        `('${meridian}') exists`,
    );
  }
}

function markDigits(elements: readonly CastElement[]): readonly ReadableElement[] {
  const marked: ReadableElement[] = [];
  let isBeforeDigits = false;
  for (const element of [...elements].reverse()) {
    marked.push({ ...element, isBeforeDigits });
    if (element.name === "text" && element.text === "") continue;
    isBeforeDigits = element.name === "text" ? /^\d/.test(element.text) : !wordNames.includes(element.name);
  }
  return marked.reverse();
}

/** The elements of a format by which a text can be read. Throws for combinations that make no sense. */
export function compileCastParse(format: string, type: FormattedType): readonly ReadableElement[] {
  const elements = readCastFormat(format);
  checkElements(elements, type);
  return markDigits(elements);
}

function readAll(text: string, elements: readonly ReadableElement[], fields: ParsedFields): void {
  const cursor: TextCursor = { text, at: 0 };
  let count = 0;
  skipUnicodeSpaces(cursor);
  for (const element of elements) {
    if (cursor.at >= text.length) break;
    const start = cursor.at;
    if (elementReaders.get(element.name)?.(cursor, fields, element) !== true) {
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
 * Reads a text by a format: microseconds since 1970-01-01, of the instant for a TIMESTAMP and of the wall clock
 * otherwise. The year and month that the format leaves out are those of `now`, an instant; the day is the first, the
 * time midnight.
 */
export function parseCastDatetime(
  text: string,
  elements: readonly ReadableElement[],
  now: bigint,
  zoneName: string,
  find: FindTimeZone,
): bigint {
  const defaultZone = find(zoneName);
  const fields = createFields(civilFromMicros(wallFromUtc(now, defaultZone)));
  readAll(text, elements, fields);
  if (!isValidDay(fields.year, fields.month, fields.day)) {
    throw new Error("Invalid result from year, month, day values after parsing");
  }
  const hour = fields.hour12 === 0 ? fields.hour : (fields.hour12 % 12) + (fields.isAfternoon ? 12 : 0);
  const wall = microsFromCivil({ ...fields, hour });
  const hasOffset = fields.offsetHours !== undefined || fields.offsetMinutes !== undefined;
  const offset = ((fields.offsetHours ?? 0) * 60 + (fields.offsetMinutes ?? 0)) * 60;
  const result = utcFromWall(wall, hasOffset ? fixedZone(fields.isWest ? -offset : offset) : defaultZone);
  if (!isTimestampInRange(result)) throw new Error("The parsing result is out of valid time range");
  return result;
}
