/** Dates and times as text. */
import { quoteText } from "../../driver/quote.ts";
import type { CallContext } from "../types.ts";
import { clockOf, dayOfYear, daysOf, field, padded, serverDate, yearOf } from "./calendar.ts";

interface Fields {
  /** Days since 1970; undefined for a TIME. */
  readonly days: string | undefined;
  /** Microseconds since midnight; undefined for a DATE. */
  readonly clock: string | undefined;
  readonly isTimestamp: boolean;
}

const MONTHS =
  "['January','February','March','April','May','June','July','August','September','October','November','December']";
const WEEKDAYS = "['Monday','Tuesday','Wednesday','Thursday','Friday','Saturday','Sunday']";

const hour = (clock: string) => `intDiv(${clock}, toInt64(3600000000))`;
const minute = (clock: string) => `intDiv(${clock}, 60000000) % 60`;
const second = (clock: string) => `intDiv(${clock}, 1000000) % 60`;
const fraction = (clock: string) => `(${clock} % 1000000)`;

/** One element for a date; undefined where there is none of that letter. */
function dateElement(letter: string, days: string): string | undefined {
  const date = serverDate(days);
  switch (letter) {
    case "Y":
      return `toString(${yearOf(days)})`;
    case "m":
      return padded(field("toMonth", days), 2);
    case "d":
      return padded(field("toDayOfMonth", days), 2);
    case "y":
      return padded(`${yearOf(days)} % 100`, 2);
    case "j":
      return padded(dayOfYear(days), 3);
    case "F":
      return `concat(toString(${yearOf(days)}), substring(toString(${date}), 5))`;
    case "B":
      return `${MONTHS}[toMonth(${date})]`;
    case "b":
    case "h":
      return `substring(${MONTHS}[toMonth(${date})], 1, 3)`;
    case "A":
      return `${WEEKDAYS}[toDayOfWeek(${date})]`;
    case "a":
      return `substring(${WEEKDAYS}[toDayOfWeek(${date})], 1, 3)`;
    case "u":
      return `toString(toDayOfWeek(${date}))`;
    case "w":
      return `toString(toDayOfWeek(${date}) % 7)`;
    default:
      return undefined;
  }
}

function clockElement(letter: string, clock: string): string | undefined {
  switch (letter) {
    case "H":
      return padded(hour(clock), 2);
    case "I":
      return padded(`((${hour(clock)} + 11) % 12 + 1)`, 2);
    case "M":
      return padded(minute(clock), 2);
    case "S":
      return padded(second(clock), 2);
    case "T":
      return clockText(clock);
    case "R":
      return `concat(${padded(hour(clock), 2)}, ':', ${padded(minute(clock), 2)})`;
    case "p":
      return `if(${hour(clock)} < 12, 'AM', 'PM')`;
    default:
      return undefined;
  }
}

/** Seconds with the digits of their fraction that are no trailing zeros. */
function wholeSeconds(clock: string): string {
  const digits = `replaceRegexpOne(${padded(fraction(clock), 6)}, '0+$', '')`;
  return `concat(${padded(second(clock), 2)}, if(${fraction(clock)} = 0, '', concat('.', ${digits})))`;
}

function element(token: string, { days, clock, isTimestamp }: Fields): string | undefined {
  if (token === "%%") return "'%'";
  if (token === "%E*S") return clock === undefined ? undefined : wholeSeconds(clock);
  const digits = /^%E([3-6])S$/.exec(token)?.[1];
  if (digits !== undefined && clock !== undefined) {
    return `concat(${padded(second(clock), 2)}, '.', substring(${padded(fraction(clock), 6)}, 1, ${digits}))`;
  }
  if (token === "%Z") return isTimestamp ? "'UTC'" : undefined;
  if (token === "%z") return isTimestamp ? "'+0000'" : undefined;
  if (token === "%Ez") return isTimestamp ? "'+00:00'" : undefined;
  const letter = token.slice(1);
  const ofDate = days === undefined ? undefined : dateElement(letter, days);
  return ofDate ?? (clock === undefined ? undefined : clockElement(letter, clock));
}

/** `YYYY-MM-DD` of days. */
function dateText(days: string): string {
  return `concat(${padded(yearOf(days), 4)}, substring(toString(${serverDate(days)}), 5))`;
}

/** `HH:MM:SS` of microseconds since midnight. */
function clockText(clock: string): string {
  return `concat(${padded(hour(clock), 2)}, ':', ${padded(minute(clock), 2)}, ':', ${padded(second(clock), 2)})`;
}

/** The fraction of a second as CAST writes it: three digits, six, or none. */
function fractionText(clock: string): string {
  const micros = fraction(clock);
  const millis = padded(`intDiv(${micros}, 1000)`, 3);
  return `multiIf(${micros} = 0, '', ${micros} % 1000 = 0, concat('.', ${millis}), concat('.', ${padded(micros, 6)}))`;
}

/** FORMAT_ functions over a format that is written out, whose elements are all known here. */
export function formatTime(context: CallContext, format: string | undefined, value: string): string {
  const kind = context.types[1]?.kind;
  if (format === undefined) return context.refuse("a format that is no literal");
  return context.bind([value], (v) => {
    const days = kind === "DATE" ? v : kind === "TIME" ? undefined : daysOf(v);
    const clock = kind === "DATE" ? undefined : kind === "TIME" ? v : clockOf(v);
    const tokens = format.match(/%E[*0-9#]?[A-Za-z]|%.|[^%]+|%/gs) ?? [];
    const parts = tokens.map((token) => {
      if (!token.startsWith("%")) return quoteText(token);
      const fields = { days, clock, isTimestamp: kind === "TIMESTAMP" };
      return element(token, fields) ?? context.refuse(`the format element ${token}`);
    });
    return `if(isNull(${v}), NULL, concat(${["''", "''", ...parts].join(", ")}))`;
  });
}

/** A date or time as CAST writes it, over a name; TIMESTAMPs in UTC. */
export function castText(value: string, kind: "DATE" | "TIME" | "DATETIME" | "TIMESTAMP"): string {
  if (kind === "DATE") return dateText(value);
  if (kind === "TIME") return `concat(${clockText(value)}, ${fractionText(value)})`;
  const clock = clockOf(value);
  const zone = kind === "TIMESTAMP" ? ", '+00'" : "";
  return `concat(${dateText(daysOf(value))}, ' ', ${clockText(clock)}, ${fractionText(clock)}${zone})`;
}
