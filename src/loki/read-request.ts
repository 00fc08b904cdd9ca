import { refuseLongQuery } from "../endpoints/call/prepare/consumer-query.ts";
import { tightest } from "../shared/budget.ts";
import { ServiceError } from "../shared/errors.ts";
import { parseIsoTimestamp } from "../values/iso-timestamp.ts";
import { parseDuration } from "./logql/scan-logql.ts";
import type { LokiCaller } from "./loki-caller.ts";
import type { Steps } from "./metrics/series.ts";

/** The parameters of a request by name. */
export type Sent = ReadonlyMap<string, string>;

/** The time of a request, in nanoseconds since 1970: the start included, the end not. */
export interface TimeRange {
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** Lines that one answer has at most, and unless `limit` says otherwise. */
const [maxLimit, defaultLimit] = [5_000, 100];
/** Steps of a range query at most, as in Loki. */
const maxSteps = 11_000;
/** The years that the store has: 0001 to 9999. */
const latestNs = 253_402_300_799_999_999_000n;

const refuse = (parameter: string, message: string): never => {
  throw new ServiceError("invalid_parameter", message, { parameter });
};

/** Seconds with or without decimals, nanoseconds, or RFC 3339. Throws `invalid_parameter`. */
function readTime(name: string, text: string): bigint {
  const ns = parseTime(text);
  if (ns === undefined) return refuse(name, `${name} must be Unix seconds, Unix nanoseconds or RFC 3339: ${text}`);
  return ns < 0n ? 0n : ns > latestNs ? latestNs : ns;
}

function parseTime(text: string): bigint | undefined {
  const [, whole = "", decimals] = /^(-?\d{1,30})(?:\.(\d{1,30}))?$/.exec(text) ?? [];
  if (whole !== "") {
    if (decimals === undefined && whole.length > 10) return BigInt(whole);
    return BigInt(whole) * 1_000_000_000n + BigInt((decimals ?? "").slice(0, 9).padEnd(9, "0"));
  }
  const us = text.length > 100 ? undefined : parseIsoTimestamp(text)?.us;
  return us === undefined ? undefined : us * 1000n;
}

/** A duration such as 5m, or seconds. Throws `invalid_parameter`. */
function readDuration(name: string, text: string): number {
  const ns = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1e9 : parseDuration(text);
  if (ns === undefined || !(ns > 0)) return refuse(name, `${name} must be a duration such as 30s, longer than nothing`);
  return ns;
}

/** The time of a request: by default the last `hours` up to now. Throws `invalid_parameter`. */
export function readRange(sent: Sent, nowMs: number, hours: number): TimeRange {
  const [start, end, since] = [sent.get("start"), sent.get("end"), sent.get("since")];
  const endNs = end === undefined ? BigInt(nowMs) * 1_000_000n : readTime("end", end);
  const sinceNs = since === undefined ? hours * 3_600e9 : readDuration("since", since);
  const startNs = start === undefined ? endNs - BigInt(Math.round(sinceNs)) : readTime("start", start);
  if (startNs > endNs) refuse("end", "end timestamp must not be before or equal to start time");
  return { startNs: startNs < 0n ? 0n : startNs, endNs };
}

/** Where a tail begins, in nanoseconds: an hour ago unless the request says otherwise. */
export function readTailStart(sent: Sent, nowMs: number): bigint {
  const start = sent.get("start");
  return start === undefined ? BigInt(nowMs - 3_600_000) * 1_000_000n : readTime("start", start);
}

/** Seconds for which lines of a tail may be held back. */
const maxDelay = 5;

/** How long lines of a tail are held back, in milliseconds: not at all unless the request says so. */
export function readDelay(sent: Sent): number {
  const seconds = Number(sent.get("delay_for") ?? 0);
  if (!Number.isInteger(seconds) || seconds < 0) refuse("delay_for", "delay_for must be a whole number of seconds");
  if (seconds > maxDelay) refuse("delay_for", `delay_for can't be greater than ${maxDelay}`);
  return seconds * 1_000;
}

/** Nanoseconds that lie between the lines of an answer at least; none unless the request says so. */
export function readInterval(sent: Sent): bigint {
  const interval = sent.get("interval");
  return interval === undefined || interval === "0" ? 0n : BigInt(Math.round(readDuration("interval", interval)));
}

/** The steps of a range query: 250 of them, of at least a second, unless the request says how long one is. */
export function readSteps(sent: Sent, { startNs, endNs }: TimeRange): Steps {
  const length = Number(endNs - startNs);
  const step = sent.get("step");
  const stepNs = step === undefined ? Math.max(Math.floor(length / 250 / 1e9), 1) * 1e9 : readDuration("step", step);
  const stepUs = Math.max(1, Math.round(stepNs / 1e3));
  const count = Math.floor(length / 1e3 / stepUs) + 1;
  if (count > maxSteps) {
    refuse(
      "step",
      "exceeded maximum resolution of 11,000 points per time series. Try increasing the value of the step parameter",
    );
  }
  return { startUs: Number(startNs / 1000n), stepUs, count };
}

/** The one step of an instant query: at `time`, else now. */
export function readInstant(sent: Sent, nowMs: number): Steps {
  const time = sent.get("time");
  const ns = time === undefined ? BigInt(nowMs) * 1_000_000n : readTime("time", time);
  return { startUs: Number(ns / 1000n), stepUs: 1, count: 1 };
}

/** Lines of an answer, or what else `limit` counts. Throws `invalid_parameter` for more than an answer may have. */
export function readLimit(sent: Sent, fallback = defaultLimit, most = maxLimit): number {
  const text = sent.get("limit");
  if (text === undefined) return Math.min(fallback, most);
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) refuse("limit", "limit must be a positive integer");
  if (limit > most)
    refuse("limit", `max entries limit per query exceeded, limit > max_entries_limit (${limit} > ${most})`);
  return limit;
}

/** The same for lines of a caller, whose budget may allow fewer rows: an answer that is cut in silence looks complete. */
export function readLineLimit(sent: Sent, caller: LokiCaller): number {
  return readLimit(sent, defaultLimit, mostLines(caller));
}

/** Lines that an answer to a caller has at most. */
export function mostLines({ runner, identity }: LokiCaller): number {
  const { max_rows: ownRows = maxLimit } = tightest(runner.budget ?? {}, identity.budget);
  return Math.min(maxLimit, ownRows);
}

/** The order of lines: the newest first unless `direction` is `forward`. */
export function readDirection(sent: Sent): "ASC" | "DESC" {
  const direction = sent.get("direction")?.toLowerCase() ?? "backward";
  if (direction !== "forward" && direction !== "backward") refuse("direction", "direction must be forward or backward");
  return direction === "forward" ? "ASC" : "DESC";
}

/** The query of a request. Throws `missing_parameter` without one, `query_too_long` for more than a query may have. */
export function readQuery(sent: Sent, { runner, identity }: LokiCaller): string {
  const query = sent.get("query")?.trim() ?? "";
  refuseLongQuery("query", query, tightest(runner.budget ?? {}, identity.budget));
  if (query !== "") return query;
  throw new ServiceError("missing_parameter", "The parameter query is required", { parameter: "query" });
}
