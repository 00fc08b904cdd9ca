/** Scalar functions by the names of the resolved tree. A NULL argument makes the result NULL but where it says so. */
import type { CallExpr, Expr } from "../../src/googlesql/resolved.ts";
import { parseDetectors } from "../../src/redaction/detector.ts";
import { redactText } from "../../src/redaction/redact-text.ts";
import { formatFloat64 } from "../../src/values/number-text.ts";
import { compareValues, equalValues, Failure, integerOf, itemsOf, Lacking, textOf, type Value } from "./values.ts";

type Compute = (...values: readonly Value[]) => Value;

/** An INT64, or a failure beyond its 64 bits. */
export function whole(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new Failure("INT64 overflow");
  return value;
}

/** Arithmetic over two whole numbers, or over two floating ones. */
function arithmetic(integers: (a: bigint, b: bigint) => bigint, floats: (a: number, b: number) => number): Compute {
  return (a, b) => {
    if (typeof a === "number") {
      const result = floats(a, Number(b));
      if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b)) throw new Failure("FLOAT64 overflow");
      return result;
    }
    return whole(integers(integerOf(a ?? null), integerOf(b ?? null)));
  };
}

function comparison(holds: (order: number) => boolean): Compute {
  return (a = null, b = null) => !Number.isNaN(a) && !Number.isNaN(b) && holds(compareValues(a, b));
}

function divide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new Failure("division by zero");
  return a / b;
}

function charactersOf(value: Value): readonly string[] {
  return [...textOf(value)];
}

function substring(text: Value, start: Value, length: Value = null): Value {
  const characters = charactersOf(text);
  const from = Number(start);
  const first = from > 0 ? from - 1 : from === 0 ? 0 : Math.max(characters.length + from, 0);
  if (length !== null && integerOf(length) < 0n) throw new Failure("a negative length");
  return characters.slice(first, length === null ? undefined : first + Number(length)).join("");
}

/** Each match with its place in UTF-16 units: leftmost, and an empty one never right behind another. */
function matchesOf(text: string, pattern: string): readonly RegExpExecArray[] {
  const expression = new RegExp(pattern, "gu");
  const found: RegExpExecArray[] = [];
  let end = -1;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    if (match[0] !== "" || match.index !== end) found.push(match);
    end = match.index + match[0].length;
    if (match[0] === "") expression.lastIndex += String.fromCodePoint(text.codePointAt(end) ?? 0).length;
  }
  return found;
}

/**
 * Matches as REGEXP_EXTRACT and REGEXP_EXTRACT_ALL walk over them: behind an empty one the search goes on at the next
 * character, and it ends with the text.
 */
function walkMatches(text: string, pattern: string): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  const expression = new RegExp(pattern, "gu");
  for (let at = 0; ; ) {
    expression.lastIndex = at;
    const match = expression.exec(text);
    if (match === null) return found;
    found.push(match);
    at = match.index + match[0].length;
    if (match[0] === "") at += String.fromCodePoint(text.codePointAt(at) ?? 0).length;
    if (at >= text.length) return found;
  }
}

const groupOf = (match: RegExpExecArray | undefined): Value =>
  match === undefined ? null : match.length > 1 ? (match[1] ?? null) : match[0];

function replaceMatches(text: Value, pattern: Value, replacement: Value): Value {
  let [result, from] = ["", 0];
  for (const match of matchesOf(textOf(text), textOf(pattern))) {
    const by = textOf(replacement).replace(/\\(\d)/g, (_, digit: string) => match[Number(digit)] ?? "");
    result += textOf(text).slice(from, match.index) + by;
    from = match.index + match[0].length;
  }
  return result + textOf(text).slice(from);
}

function elementAt(array: Value, index: bigint, isSafe: boolean): Value {
  const items = itemsOf(array);
  if (index >= 0n && index < BigInt(items.length)) return items[Number(index)] ?? null;
  if (isSafe) return null;
  throw new Failure("no such element");
}

function extreme(sign: number): Compute {
  return (...values) => {
    const [first = null, ...rest] = values;
    if (values.some(Number.isNaN)) return Number.NaN;
    return rest.reduce((best, value) => (sign * compareValues(value, best) > 0 ? value : best), first);
  };
}

function among(needle: Value, values: readonly Value[]): Value {
  const found = values.map((value) => equalValues(needle, value));
  return found.includes(true) ? true : found.includes(null) ? null : false;
}

/** The value with every text in it redacted, in records too. */
function redact(value: unknown, detectors: string): unknown {
  if (typeof value === "string") return redactText(value, parseDetectors(detectors));
  if (Array.isArray(value)) return value.map((item) => redact(item, detectors));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, redact(field, detectors)]));
}

/** Those that look at NULLs themselves. */
export const acceptingNull: Readonly<Record<string, Compute>> = {
  $is_null: (value) => value === null,
  $is_true: (value) => value === true,
  $is_false: (value) => value === false,
  $is_distinct: (a = null, b = null) =>
    a === null || b === null ? a !== b : !(equalValues(a, b) === true || (Number.isNaN(a) && Number.isNaN(b))),
  $in: (needle = null, ...values) => among(needle, values),
  $in_array: (needle = null, array = null) =>
    itemsOf(array ?? []).length === 0 ? false : among(needle, itemsOf(array ?? [])),
  $not: (value) => (value === null ? null : value !== true),
  TO_JSON_STRING: () => {
    throw new Lacking("TO_JSON_STRING");
  },
};

const DAY = 86_400_000_000n;
const HOUR = 3_600_000_000n;
const floorTo = (value: bigint, step: bigint) => value - (((value % step) + step) % step);

export const strict: Readonly<Record<string, Compute>> = {
  $redact: (value, detectors = null) => redact(value, textOf(detectors)) as Value,
  $add: arithmetic(
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  $subtract: arithmetic(
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  $multiply: arithmetic(
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  $negate: (a = null) => (typeof a === "number" ? -a : whole(-integerOf(a))),
  ABS: (a = null) => (typeof a === "number" ? Math.abs(a) : integerOf(a) < 0n ? whole(-integerOf(a)) : a),
  DIV: (a = null, b = null) => whole(divide(integerOf(a), integerOf(b))),
  MOD: (a = null, b = null) => integerOf(a) - divide(integerOf(a), integerOf(b)) * integerOf(b),
  SAFE_DIVIDE: (a, b) => (Number(b) === 0 ? null : Number(a) / Number(b)),
  $equal: (a = null, b = null) => equalValues(a, b),
  $not_equal: (a = null, b = null) => {
    const equal = equalValues(a, b);
    return equal === null ? null : !equal;
  },
  $less: comparison((order) => order < 0),
  $less_or_equal: comparison((order) => order <= 0),
  $greater: comparison((order) => order > 0),
  $greater_or_equal: comparison((order) => order >= 0),
  GREATEST: extreme(1),
  LEAST: extreme(-1),
  $concat_op: (a = null, b = null) => (typeof a === "string" ? a + textOf(b) : [...itemsOf(a), ...itemsOf(b)]),
  CONCAT: (...texts) => texts.map(textOf).join(""),
  LENGTH: (text = null) => BigInt(charactersOf(text).length),
  UPPER: (text = null) => textOf(text).toUpperCase(),
  REVERSE: (text = null) => [...charactersOf(text)].reverse().join(""),
  SUBSTR: substring,
  STARTS_WITH: (text = null, start = null) => textOf(text).startsWith(textOf(start)),
  REGEXP_CONTAINS: (text = null, pattern = null) => new RegExp(textOf(pattern), "u").test(textOf(text)),
  REGEXP_EXTRACT: (text = null, pattern = null, start = 1n, occurrence = 1n) => {
    const rest = charactersOf(text)
      .slice(Number(start) - 1)
      .join("");
    return groupOf(walkMatches(rest, textOf(pattern))[Number(occurrence) - 1]);
  },
  REGEXP_EXTRACT_ALL: (text = null, pattern = null) =>
    walkMatches(textOf(text), textOf(pattern)).map((match) => groupOf(match) ?? ""),
  REGEXP_REPLACE: replaceMatches as Compute,
  ARRAY_LENGTH: (array = null) => BigInt(itemsOf(array).length),
  ARRAY_REVERSE: (array = null) => [...itemsOf(array)].reverse(),
  ARRAY_CONCAT: (...arrays) => arrays.flatMap((array) => [...itemsOf(array)]),
  $array_at_offset: (array = null, index = null) => elementAt(array, integerOf(index), false),
  $array_at_ordinal: (array = null, index = null) => elementAt(array, integerOf(index) - 1n, false),
  $safe_array_at_offset: (array = null, index = null) => elementAt(array, integerOf(index), true),
  $safe_array_at_ordinal: (array = null, index = null) => elementAt(array, integerOf(index) - 1n, true),
  GENERATE_ARRAY: (first = null, last = null) => {
    const count = integerOf(last) - integerOf(first) + 1n;
    return Array.from({ length: Math.max(Number(count), 0) }, (_, index) => integerOf(first) + BigInt(index));
  },
  UNIX_SECONDS: (time = null) => floorTo(integerOf(time), 1_000_000n) / 1_000_000n,
};

/** Those that read a part of a date, which is no value. */
export const withPart: Readonly<Record<string, (call: CallExpr, values: readonly Value[]) => Value>> = {
  TIMESTAMP_TRUNC: (call, [time = null]) =>
    floorTo(integerOf(time), partOf(call.arguments[1], { DAY, HOUR, MINUTE: HOUR / 60n })),
  $extract: (call, [time = null]) => {
    const unit = partOf(call.arguments[1], { HOUR, MINUTE: HOUR / 60n });
    return (integerOf(time) - floorTo(integerOf(time), unit === HOUR ? DAY : HOUR)) / unit;
  },
};

function partOf(part: Expr | undefined, units: Readonly<Record<string, bigint>>): bigint {
  const unit = part?.kind === "DatePart" ? units[part.part] : undefined;
  if (unit === undefined) throw new Lacking("A part of a date");
  return unit;
}

/** A value as another type; NULL where a safe cast fails. */
export function castValue(value: Value, from: string, to: string): Value {
  if (from === to || to === "ARRAY" || to === "STRUCT" || to === "MIXED" || from === "UNKNOWN") return value;
  if (to === "FLOAT64" && from === "INT64") return Number(value);
  if (to === "INT64" && from === "BOOL") return value === true ? 1n : 0n;
  if (to === "STRING" && (from === "INT64" || from === "BOOL")) return String(value);
  if (to === "STRING" && from === "FLOAT64") return formatFloat64(Number(value));
  if (to === "FLOAT64" && from === "STRING") return Number(value === "nan" ? Number.NaN : value);
  if (to === "INT64" && from === "STRING") {
    if (/^[+-]?\d+$/.test(textOf(value).trim())) return whole(BigInt(textOf(value)));
    throw new Failure("no INT64");
  }
  throw new Lacking(`A cast of ${from} to ${to}`);
}
