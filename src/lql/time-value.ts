import { formatIsoTimestamp, parseIsoTimestamp } from "../values/iso-timestamp.ts";
import type { LqlOperator, LqlValue } from "./lql-ast.ts";
import { findUnit, type PeriodUnit, startOf, subtract } from "./period.ts";
import type { Scanner } from "./scanner.ts";

const dateTime = /\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/y;
const unixTime = /(?:\d{16}|\d{13}|\d{10})(?![\w.]*[A-Za-z_]|\d)/y;
const braces = /[\dT:.{}-]*\{\d+\.\.\d+\}[\dT:.{}-]*(?:Z|[+-]\d{2}:?\d{2})?/y;
const expectation =
  "a timestamp is an ISO 8601 date or time, Unix time, a range a..b, or now, today, yesterday, this@PERIOD, " +
  "last@NPERIOD";

/**
 * The value of `t:`: an instant, or behind `:` alone also a range of time. A date is that whole day behind `:`, its
 * midnight behind other operators. `nowMs` is the clock. Throws `LqlError` where it does not parse.
 */
export function readTimeValue(scanner: Scanner, operator: LqlOperator, nowMs: number): LqlValue {
  const start = scanner.position;
  if (operator !== "=") return readComparedTime(scanner, operator, nowMs);
  const shorthand = readShorthand(scanner, nowMs);
  if (shorthand !== undefined) return shorthand;
  if (scanner.peek(braces) !== undefined) return readBraces(scanner);
  const low = readInstant(scanner);
  if (low === undefined) throw scanner.error(`Not a timestamp: ${expectation}`, start);
  if (scanner.take(/\.\.(?=\d)/y) === undefined) {
    // A date alone is that day.
    return low.isDateOnly
      ? { kind: "InstantRange", lowUs: low.us, highUs: low.us + 86_400_000_000n - 1n }
      : { kind: "Instant", us: low.us };
  }
  const highStart = scanner.position;
  const high = readInstant(scanner);
  if (high === undefined) throw scanner.error(`Not a timestamp: ${expectation}`, highStart);
  if (low.hasZone !== high.hasZone && !low.isUnix && !high.isUnix) {
    throw scanner.error("A range cannot mix timestamps with and without a zone", highStart);
  }
  return orderedRange(scanner, start, low.us, high.us);
}

function readComparedTime(scanner: Scanner, operator: LqlOperator, nowMs: number): LqlValue {
  const start = scanner.position;
  if (operator === "matches" || operator === "includes" || operator === "includes-match") {
    throw scanner.error("A timestamp is compared with :, :>, :>=, :< or :<=", start);
  }
  if (scanner.take(/now(?![\w.@])/y) !== undefined) return { kind: "Instant", us: toUs(nowMs) };
  const instant = readInstant(scanner);
  if (instant === undefined)
    throw scanner.error("Not a timestamp: behind this operator stands one date or time, or now", start);
  return { kind: "Instant", us: instant.us };
}

interface Instant {
  readonly us: bigint;
  readonly hasZone: boolean;
  readonly isDateOnly: boolean;
  readonly isUnix: boolean;
}

/** A date, a date-time (UTC where it names no zone), or Unix time. */
export function readInstant(scanner: Scanner): Instant | undefined {
  const start = scanner.position;
  const iso = scanner.take(dateTime);
  if (iso !== undefined) {
    const parsed = parseIsoTimestamp(iso[0]);
    if (parsed === undefined) throw scanner.error(`There is no such time: ${iso[0]}`, start);
    return { ...parsed, isUnix: false };
  }
  const unix = scanner.take(unixTime)?.[0];
  if (unix === undefined) return undefined;
  const us = BigInt(unix) * 10n ** BigInt(16 - unix.length);
  return { us, hasZone: true, isDateOnly: false, isUnix: true };
}

function readShorthand(scanner: Scanner, nowMs: number): LqlValue | undefined {
  const start = scanner.position;
  const match = scanner.take(/(now|today|yesterday)(?![\w.@])|(this|last)@(\d{0,4})([a-z]+)(?![\w.])/y);
  if (match === undefined) return undefined;
  const [, word, kind, count = "", unitName = ""] = match;
  const range = (fromMs: number, untilMs: number): LqlValue => ({
    kind: "InstantRange",
    lowUs: toUs(fromMs),
    highUs: toUs(untilMs),
  });
  const today = startOf("day", nowMs);
  switch (word) {
    case "now":
      return { kind: "Instant", us: toUs(nowMs) };
    case "today":
      return range(today, today + 86_399_000);
    case "yesterday":
      return range(today - 86_400_000, today - 1_000);
  }
  const unit = findUnit(unitName);
  if (unit === undefined || (kind === "this" && count !== "")) {
    const unitStart = start + match[0].length - unitName.length - (kind === "this" ? count.length : 0);
    throw scanner.error(
      "A period is one of s, m, h, d, w, mm, y, or its name: second, minute, hour, day, week, month, year",
      unitStart,
    );
  }
  if (kind === "this") return range(startOf(unit, nowMs), nowMs);
  return range(startOfLast(Number(count || "1"), unit, nowMs), nowMs);
}

/** Longer periods are counted back from the start of the day. */
function startOfLast(count: number, unit: PeriodUnit, nowMs: number): number {
  const isLong = unit === "week" || unit === "month" || unit === "year";
  const from = unit === "second" ? nowMs : startOf(isLong ? "day" : unit, nowMs);
  return subtract(count, unit, from);
}

/** `2020-01-{01..03}T00:{00..40}:00`: the text with all the first numbers up to the text with all the second. */
function readBraces(scanner: Scanner): LqlValue {
  const start = scanner.position;
  const text = scanner.take(braces)?.[0] ?? "";
  const side = (index: 1 | 2) => text.replaceAll(/\{(\d+)\.\.(\d+)\}/g, (...groups: string[]) => groups[index] ?? "");
  const [low, high] = [parseIsoTimestamp(side(1)), parseIsoTimestamp(side(2))];
  if (low === undefined || high === undefined) throw scanner.error(`Not a timestamp: ${expectation}`, start);
  return orderedRange(scanner, start, low.us, high.us);
}

function orderedRange(scanner: Scanner, start: number, lowUs: bigint, highUs: bigint): LqlValue {
  if (highUs < lowUs) {
    const message = `The range ends before it begins: ${formatIsoTimestamp(lowUs)} to ${formatIsoTimestamp(highUs)}`;
    throw scanner.error(message, start);
  }
  return { kind: "InstantRange", lowUs, highUs };
}

function toUs(ms: number): bigint {
  return BigInt(Math.floor(ms)) * 1_000n;
}
