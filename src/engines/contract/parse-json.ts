import { endOfString } from "../../values/json/split-json.ts";
import { WideNumber } from "./event-store.ts";

/**
 * Where a number may stand that a double does not hold: an integer of 16 digits or more, a large exponent, or more
 * digits than the largest double has. Only what follows a colon, a comma, a bracket or the text's beginning is looked
 * at, so that ids and hashes (`"4e512..."`) are passed over; a hit inside a string costs time and changes nothing.
 */
const longNumber = /(?:^|[:,[])\s*-?(?:(\d{16,})(?=\s*(?:[,\]}]|$))|\d+(?:\.\d+)?[eE]\+?0*[1-9]\d\d|\d{309})/g;

/** Holds wherever `longNumber` does behind a separator, at three quarters of its time. */
const suspect = /[:,[]\s*-?\d(?:\d{15}|[\d.]*[eE]\+?\d{3})/;

const startsAsNumber = /^\s*-?\d/;

/** Whether a JSON text may hold numbers that `JSON.parse` would change. */
export function mayHoldLongNumbers(text: string): boolean {
  if (!suspect.test(text) && !startsAsNumber.test(text)) return false;
  for (const [, integer] of text.matchAll(longNumber)) {
    if (integer === undefined || Number(integer) > Number.MAX_SAFE_INTEGER) return true;
  }
  return false;
}

/**
 * `JSON.parse`, except that integers beyond 2^53 arrive as bigint instead of losing their last digits, and other
 * numbers beyond doubles as `WideNumber`. Throws `SyntaxError` as `JSON.parse` does, and reads every depth that it reads.
 */
export function parseJson(text: string): unknown {
  if (!mayHoldLongNumbers(text)) return JSON.parse(text);
  let value: unknown;
  try {
    value = JSON.parse(markNumbers(text));
  } catch {
    // Throws with the places of the text that was sent.
    return JSON.parse(text);
  }
  return unmarkNumbers(value);
}

/** Begins a string that stands for a number, and, once more, one that began with it. */
const mark = "\0";
const writtenMark = "\\u0000";

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\s*:)/g;
const isKey = /\s*:/y;
/** Matches texts with a number that needs a closer look: `1e309` is the shortest. */
const wide = /\d{16}|\d[eE]\+?\d{3}/;
const shortestWide = 5;

/** The text with a marked string in place of each number that a double does not hold. */
function markNumbers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let start = 0; start < text.length; ) {
    const quote = text.indexOf('"', start);
    const end = quote === -1 ? text.length : quote;
    const between = end - start < shortestWide ? "" : text.slice(start, end);
    if (wide.test(between)) {
      const marked = between.replace(number, (found) => (isWide(found) ? `"${writtenMark}${found}"` : found));
      parts.push(text.slice(copied, start), marked);
      copied = end;
    }
    if (quote === -1) break;
    start = endOfString(text, quote);
    // The name of a field stays as it is.
    isKey.lastIndex = start;
    if (!text.startsWith(writtenMark, quote + 1) || isKey.test(text)) continue;
    parts.push(text.slice(copied, quote + 1), writtenMark);
    copied = quote + 1;
  }
  return parts.join("") + text.slice(copied);
}

/** The value with numbers again, changed in place, however deep it is. */
function unmarkNumbers(value: unknown): unknown {
  const root = { value };
  const open: { [key: string]: unknown }[] = [root];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    for (const key of Object.keys(each)) {
      const item = each[key];
      if (typeof item === "object" && item !== null) open.push(item as { [key: string]: unknown });
      else if (typeof item === "string" && item.startsWith(mark)) {
        const rest = item.slice(mark.length);
        each[key] = rest.startsWith(mark) ? rest : keepNumber(rest);
      }
    }
  }
  return root.value;
}

/** Whether a double does not hold the number. */
function isWide(source: string): boolean {
  const double = Number(source);
  return /[.eE]/.test(source) ? !Number.isFinite(double) : !Number.isSafeInteger(double);
}

function keepNumber(source: string): bigint | WideNumber {
  return /[.eE]/.test(source) ? new WideNumber(source) : BigInt(source);
}

/** From where on JavaScript writes numbers with `e+`, which stores write as `e`. */
const firstWithExponent = 1e21;

/** A number's JSON, as stores have it in texts. */
export function numberText(value: number): string {
  const text = JSON.stringify(value);
  return Math.abs(value) >= firstWithExponent ? text.replace("+", "") : text;
}
