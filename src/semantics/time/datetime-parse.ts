/** PARSE_DATE, PARSE_DATETIME, PARSE_TIME and PARSE_TIMESTAMP: GoogleSQL's format elements, read from a text. */
import { isTimestampInRange, isValidDay, MICROS_PER_SECOND, microsFromCivil } from "../../values/calendar.ts";
import { type FindTimeZone, fixedZone, utcFromWall } from "../../values/time-zone.ts";
import { isSpace, skipSpaces } from "./datetime-cursor.ts";
import { type FormattedType, foreignElements } from "./datetime-format.ts";
import { parseElement } from "./datetime-parse-elements.ts";
import { createParseState, type ParseState } from "./datetime-parse-state.ts";
import { resolveDate } from "./datetime-parse-weeks.ts";

/** Throws for a format that names an element its type has no value for. */
export function checkParseFormat(format: string, type: FormattedType): void {
  for (const [text, letter] of format.matchAll(/%(?:E(?:[*\d](?=[SY]))?|O)?(.)/gs)) {
    if (letter !== undefined && foreignElements[type].includes(letter)) {
      throw new Error(`Invalid format: ${text} is not allowed for the ${type} type.`);
    }
  }
}

function fail(text: string): Error {
  return new Error(`Failed to parse input string ${JSON.stringify(text)}`);
}

/** Whether what is left of a format can match the empty text. */
function matchesNothing(format: string): boolean {
  return /^(?:\s|%[nt])*$/.test(format);
}

function readElements(state: ParseState, format: string, find: FindTimeZone): void {
  let at = 0;
  const { cursor } = state;
  while (cursor.at < cursor.text.length && at < format.length) {
    const character = format.charAt(at);
    if (isSpace(character)) {
      skipSpaces(cursor);
      at += 1;
      continue;
    }
    if (character !== "%") {
      const found = cursor.text.charAt(cursor.at);
      if (found !== character) {
        throw new Error(`Mismatch between format character '${character}' and string character '${found}'`);
      }
      cursor.at += 1;
      at += 1;
      continue;
    }
    if (at + 1 === format.length) throw new Error("Format string cannot end with a single '%'");
    state.position += 1;
    const length = parseElement(state, format, at + 1, find);
    if (length === undefined) throw fail(cursor.text);
    at += 1 + length;
  }
  skipSpaces(cursor);
  if (format.endsWith("%") && at === format.length - 1) throw new Error("Format string cannot end with a single '%'");
  if (cursor.at < cursor.text.length || !matchesNothing(format.slice(at))) throw fail(cursor.text);
}

/**
 * Reads a text by a format: microseconds since 1970-01-01, of the instant for a TIMESTAMP and of the wall clock
 * otherwise (of 1970-01-01 for a TIME). What the format leaves out is 1970-01-01 00:00:00 in the zone. Throws where
 * the text does not fit the format.
 */
export function parseDatetime(format: string, text: string, zoneName: string, find: FindTimeZone): bigint {
  const state = createParseState(text);
  const defaultZone = find(zoneName);
  skipSpaces(state.cursor);
  readElements(state, format, find);
  if (state.unixSeconds !== undefined) return checkRange(state.unixSeconds * MICROS_PER_SECOND);

  const { year, month, day } = resolveDate(state);
  if (!isValidDay(year, month, day)) throw new Error("Out-of-range datetime field in parsing function");
  const hour = state.isTwelveHour && state.isAfternoon ? state.hour + 12 : state.hour;
  const micros = state.second === 60 ? 0 : state.micros;
  const wall = microsFromCivil({ year, month, day, hour, minute: state.minute, second: state.second, micros });
  const zone = state.offsetSeconds === undefined ? (state.zone ?? defaultZone) : fixedZone(state.offsetSeconds);
  return checkRange(utcFromWall(wall, zone));
}

function checkRange(value: bigint): bigint {
  if (!isTimestampInRange(value)) throw new Error("Invalid result from parsing function");
  return value;
}
