/** INTERVAL in text. Source: the "Interval type" section of the GoogleSQL reference's data types. */

/**
 * Months, days and microseconds are kept apart: a month has no fixed number of days, a day no fixed number of hours.
 */
export interface IntervalParts {
  readonly months: bigint;
  readonly days: bigint;
  readonly micros: bigint;
}

export const INTERVAL_PARTS = [
  "YEAR",
  "QUARTER",
  "MONTH",
  "WEEK",
  "DAY",
  "HOUR",
  "MINUTE",
  "SECOND",
  "MILLISECOND",
  "MICROSECOND",
];

const ORDER = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"];

/** `amount` times a part; undefined when the part makes no interval or the result is out of range. */
export function intervalOf(amount: bigint, part: string): IntervalParts | undefined {
  const zero = { months: 0n, days: 0n, micros: 0n };
  const micros: Readonly<Record<string, bigint>> = {
    HOUR: 3_600_000_000n,
    MINUTE: 60_000_000n,
    SECOND: 1_000_000n,
    MILLISECOND: 1000n,
    MICROSECOND: 1n,
  };
  const months: Readonly<Record<string, bigint>> = { YEAR: 12n, QUARTER: 3n, MONTH: 1n };
  const days: Readonly<Record<string, bigint>> = { WEEK: 7n, DAY: 1n };
  if (months[part] !== undefined) return inRange({ ...zero, months: amount * months[part] });
  if (days[part] !== undefined) return inRange({ ...zero, days: amount * days[part] });
  if (micros[part] !== undefined) return inRange({ ...zero, micros: amount * micros[part] });
  return undefined;
}

function inRange(parts: IntervalParts): IntervalParts | undefined {
  const abs = (n: bigint): bigint => (n < 0n ? -n : n);
  return abs(parts.months) <= 120_000n && abs(parts.days) <= 3_660_000n && abs(parts.micros) <= 316_224_000_000_000_000n
    ? parts
    : undefined;
}

/** `'1.5'` with one part, or `'1-2 3'` with YEAR TO DAY; undefined when the text has not that form. */
export function parseIntervalText(text: string, from: string, to: string | undefined): IntervalParts | undefined {
  if (to === undefined) {
    const match = /^([+-]?)(\d+|(?=\.))(?:\.(\d{1,9}))?$/.exec(text);
    if (match === null) return undefined;
    const sign = match[1] === "-" ? -1n : 1n;
    if (match[3] === undefined) return intervalOf(sign * BigInt(match[2] ?? "0"), from);
    if (from !== "SECOND") return undefined;
    return inRange({
      months: 0n,
      days: 0n,
      micros: sign * (BigInt(match[2] || "0") * 1_000_000n + BigInt(match[3].slice(0, 6).padEnd(6, "0"))),
    });
  }
  const first = ORDER.indexOf(from);
  const last = ORDER.indexOf(to);
  if (first === -1 || last <= first) return undefined;
  const months = { 0: last >= 1 ? "([+-]?)(\\d+)-(\\d+)" : undefined, 1: "([+-]?)(\\d+)()" };
  const pieces: string[] = [];
  if (first <= 1) pieces.push((first === 0 ? months[0] : months[1]) ?? "");
  if (first <= 2 && last >= 2) pieces.push("([+-]?\\d+)");
  if (last >= 3) {
    const clock: string[] = [];
    for (let i = Math.max(first, 3); i <= last; i++) clock.push(i === 5 ? "(\\d+(?:\\.\\d{1,9})?)" : "(\\d+)");
    pieces.push(`([+-]?)${clock.join(":")}`);
  }
  const match = new RegExp(`^${pieces.join(" ")}$`).exec(text);
  if (match === null) return undefined;
  let at = 1;
  const next = (): string => match[at++] ?? "";
  let total = 0n;
  let days = 0n;
  let micros = 0n;
  if (first <= 1) {
    const sign = next() === "-" ? -1n : 1n;
    const a = BigInt(next());
    const b = next();
    total = sign * (first === 0 ? a * 12n + BigInt(b) : a);
  }
  if (first <= 2 && last >= 2) days = BigInt(next());
  if (last >= 3) {
    const sign = next() === "-" ? -1n : 1n;
    for (let i = Math.max(first, 3); i <= last; i++) {
      const [whole = "0", fraction = ""] = next().split(".");
      const unit = i === 3 ? 3_600_000_000n : i === 4 ? 60_000_000n : 1_000_000n;
      micros += BigInt(whole) * unit + (i === 5 ? BigInt(fraction.slice(0, 6).padEnd(6, "0")) : 0n);
    }
    micros *= sign;
  }
  return inRange({ months: total, days, micros });
}

/** The whole canonical form, as CAST(string AS INTERVAL) takes it: `Y-M D H:M:S[.f]`. */
export function parseFullInterval(text: string): IntervalParts | undefined {
  for (const [from, to] of [
    ["YEAR", "SECOND"],
    ["YEAR", "DAY"],
    ["YEAR", "MONTH"],
    ["MONTH", "SECOND"],
    ["DAY", "SECOND"],
    ["HOUR", "SECOND"],
  ] as const) {
    const parts = parseIntervalText(text, from, to);
    if (parts !== undefined) return parts;
  }
  return undefined;
}

/** The canonical text, `Y-M D H:M:S[.ffffff]`. */
export function formatInterval(parts: IntervalParts): string {
  const abs = (n: bigint): bigint => (n < 0n ? -n : n);
  const sign = (n: bigint): string => (n < 0n ? "-" : "");
  const months = abs(parts.months);
  const micros = abs(parts.micros);
  const fraction = micros % 1_000_000n;
  const seconds = micros / 1_000_000n;
  const decimals = fraction === 0n ? "" : `.${fraction.toString().padStart(6, "0")}`;
  return (
    `${sign(parts.months)}${months / 12n}-${months % 12n} ${parts.days} ` +
    `${sign(parts.micros)}${seconds / 3600n}:${(seconds / 60n) % 60n}:${seconds % 60n}${decimals}`
  );
}
