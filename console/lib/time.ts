/** A range of time as the page keeps it: back from now, or between two instants. */
export type TimeRange =
  | { readonly kind: "last"; readonly amount: string }
  | { readonly kind: "between"; readonly fromMs: number; readonly toMs: number };

export type Zone = "local" | "utc";

/** Time ranges that take one click. */
export const quickRanges: readonly (readonly [amount: string, label: string])[] = [
  ["5m", "Last 5 minutes"],
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["6h", "Last 6 hours"],
  ["24h", "Last 24 hours"],
  ["2d", "Last 2 days"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
];

const unitMs: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/** Milliseconds of `15m`; an hour for what is no length of time. */
export function lengthMs(amount: string): number {
  const match = /^(\d{1,5})([smhd])$/.exec(amount);
  return match === null ? 36e5 : Number(match[1]) * (unitMs[match[2] ?? ""] ?? 0);
}

/** The range's ends in milliseconds since 1970. */
export function resolveRange(range: TimeRange, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  if (range.kind === "between") return { fromMs: range.fromMs, toMs: range.toMs };
  return { fromMs: nowMs - lengthMs(range.amount), toMs: nowMs };
}

/** As the address has it: `1h`, or two ISO times with `..` between. */
export function formatRange(range: TimeRange): string {
  if (range.kind === "last") return range.amount;
  return `${new Date(range.fromMs).toISOString()}..${new Date(range.toMs).toISOString()}`;
}

/** The other way; the last hour for what is neither. */
export function parseRange(text: string | null): TimeRange {
  const [from = "", to = ""] = (text ?? "").split("..");
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  if (fromMs < toMs) return { kind: "between", fromMs, toMs };
  return { kind: "last", amount: /^\d{1,5}[smhd]$/.test(from) ? from : "1h" };
}

/** For people: `Last hour`, or both ends. */
export function describeRange(range: TimeRange, zone: Zone): string {
  if (range.kind === "between") {
    const [from, to] = [formatInstant(range.fromMs, zone), formatInstant(range.toMs, zone)];
    const [day = ""] = from.split(" ");
    return `${from} – ${to.startsWith(`${day} `) ? to.slice(day.length + 1) : to}`;
  }
  return quickRanges.find(([amount]) => amount === range.amount)?.[1] ?? `Last ${range.amount}`;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, "0");
}

/** `2026-08-20 09:00:00`, with milliseconds where asked for. */
export function formatInstant(ms: number, zone: Zone, withMillis = false): string {
  const date = new Date(zone === "utc" ? ms : ms - new Date(ms).getTimezoneOffset() * 6e4);
  if (Number.isNaN(date.getTime())) return String(ms);
  const day = `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
  const time = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`;
  return `${day} ${time}${withMillis ? `.${pad(date.getUTCMilliseconds(), 3)}` : ""}`;
}

/** As `<input type="datetime-local">` has it. */
export function toInputValue(ms: number, zone: Zone): string {
  return formatInstant(ms, zone).replace(" ", "T");
}

export function fromInputValue(text: string, zone: Zone): number {
  return Date.parse(zone === "utc" ? `${text}Z` : text);
}

/** `3 minutes ago`. */
export function formatAgo(ms: number, nowMs: number): string {
  const seconds = Math.round((nowMs - ms) / 1000);
  if (seconds < 0) return "in the future";
  for (const [limit, size, unit] of [
    [60, 1, "second"],
    [3600, 60, "minute"],
    [86_400, 3600, "hour"],
    [Number.POSITIVE_INFINITY, 86_400, "day"],
  ] as const) {
    if (seconds >= limit) continue;
    const count = Math.floor(seconds / size);
    return count === 0 ? "just now" : `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "";
}
