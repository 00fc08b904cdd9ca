/**
 * Cutting JSON text apart without reading values, so that what is passed on stays the same character by character.
 * Linear time.
 */

import { closingQuote } from "./json-tokens.ts";

/** The offset behind the closing quote of the string that begins at `start`; the text's length where it is cut off. */
export function endOfString(json: string, start: number): number {
  const quote = closingQuote(json, start);
  return quote === -1 ? json.length : quote + 1;
}

/** Where the value that begins at `start` ends: at the comma behind it, at what closes around it, or with the text. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let position = start; position < json.length; ) {
    const code = json.charCodeAt(position);
    if (code === 0x22) {
      position = endOfString(json, position);
      continue;
    }
    if (code === 0x7b || code === 0x5b) depth++;
    else if (code === 0x7d || code === 0x5d) depth--;
    if (depth < 0 || (code === 0x2c && depth === 0)) return position;
    position++;
  }
  return json.length;
}

/** The texts of values that are separated by commas, such as the rows of a batch. */
export function* splitValues(json: string): Generator<string> {
  for (let start = 0; start < json.length; ) {
    const end = endOfValue(json, start);
    yield json.slice(start, end);
    start = end + 1;
  }
}

/** Whether a JSON text holds more than so many values, at any depth; reading many takes far longer than counting them. */
export function holdsMoreValues(json: string, max: number): boolean {
  let count = 1;
  for (let position = 0; position < json.length; position++) {
    const code = json.charCodeAt(position);
    if (code === 0x22) position = endOfString(json, position) - 1;
    else if ((code === 0x2c || code === 0x5b || code === 0x7b) && ++count > max) return true;
  }
  return false;
}

/** Between two objects; where the key is of letters and digits, it cannot stand in a text. */
const BOUNDARY = /\},\{"\w+":/y;
/** Objects of a list within a row may look like rows; where there are many, one walk over everything is quicker. */
const MAX_TRIES = 8;

/**
 * The last of the objects that are separated by commas, found from the end of their text, of which the beginning may
 * be missing. Undefined where it is not found so.
 */
export function lastObject(tail: string): string | undefined {
  let at = tail.lastIndexOf('},{"');
  for (let tries = 0; at > 0 && tries < MAX_TRIES; tries++) {
    BOUNDARY.lastIndex = at;
    if (BOUNDARY.test(tail) && endOfValue(tail, at + 2) === tail.length) return tail.slice(at + 2);
    at = tail.lastIndexOf('},{"', at - 1);
  }
  return undefined;
}

/** The last of the values that are separated by commas. Undefined where there is none. */
export function lastValue(json: string): string | undefined {
  return lastObject(json) ?? [...splitValues(json)].at(-1);
}

/** The texts of an object's values, in their order. */
export function* splitMembers(object: string): Generator<string> {
  for (const member of splitValues(object.trim().slice(1, -1))) {
    yield member.slice(member.indexOf(":", endOfString(member, member.indexOf('"'))) + 1);
  }
}
