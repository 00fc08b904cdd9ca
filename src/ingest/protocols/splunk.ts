import { BodyError } from "../../engines/contract/query-engine.ts";
import { parseUnixSeconds } from "../timestamp.ts";
import { anyText, decodeText, isObject, type JsonObject, splitLines } from "./bodies.ts";
import { readConcatenatedJson } from "./concatenated-json.ts";
import { levelIn } from "./level.ts";
import type { IngestFailure, Protocol, ProtocolAnswer, ProtocolBody } from "./protocol.ts";
import { BadEvent, TimedEvent } from "./protocol.ts";

/** Parameters of the URL that are defaults for the fields of an event; they name no source here. */
export const splunkParameters = ["host", "source", "sourcetype", "index"] as const;
const details = splunkParameters.map((name) => `?${name}`);

/**
 * Splunk's HTTP Event Collector:
 * https://docs.splunk.com/Documentation/Splunk/latest/Data/FormateventsforHTTPEventCollector
 */
export const splunkEvents: Protocol = {
  name: "splunk_events",
  isAtomic: true,
  mediaTypes: anyText,
  details,
  read: (body) => {
    const items = readConcatenatedJson(decodeText(body.bytes), body.count);
    if (items.length === 0) throw noData();
    return { items: items.map((item) => toEvent(item, body.details ?? {})) };
  },
  answer: () => ({ status: 200, body: { text: "Success", code: 0 } }),
  answerFailure,
};

/** The same for lines of text. */
export const splunkRaw: Protocol = {
  name: "splunk_raw",
  isAtomic: true,
  mediaTypes: anyText,
  details: [...details, "?time"],
  read: readRaw,
  answer: () => ({ status: 200, body: { text: "Success", code: 0 } }),
  answerFailure,
};

const noDataText = "No data";

function noData(): BodyError {
  return new BodyError("invalid_body", noDataText);
}

function readRaw({ bytes, count, details: sent = {} }: ProtocolBody) {
  const lines = splitLines(bytes, () => count.add()).map((line) => line.replace(/\r$/, ""));
  if (lines.length === 0) throw noData();
  const metadata = metadataOf({}, sent);
  const { "?time": time } = sent;
  const us = time === undefined ? undefined : parseUnixSeconds(time);
  const timestamp = us === undefined && time !== undefined ? { timestamp: time } : {};
  return { items: lines.map((line) => new TimedEvent({ event_message: line, metadata, ...timestamp }, us)) };
}

/** The origin of an event, from itself, otherwise from the request. */
function metadataOf(event: JsonObject, sent: Readonly<Record<string, string>>): { [field: string]: unknown } {
  const metadata: { [field: string]: unknown } = {};
  for (const name of splunkParameters) {
    const value = event[name] ?? sent[`?${name}`];
    if (value !== undefined) metadata[name] = value;
  }
  return metadata;
}

function toEvent(item: unknown, sent: Readonly<Record<string, string>>): unknown {
  if (!isObject(item)) return new BadEvent("not a JSON object");
  const { time, event, fields } = item;
  if (event === undefined || event === null) return new BadEvent("Event field is required");
  if (event === "") return new BadEvent("Event field cannot be blank");
  const metadata = metadataOf(item, sent);
  if (fields !== undefined) metadata.fields = fields;
  const inside = isObject(event) ? event : {};
  const own = isObject(fields) ? fields : {};
  const level = levelIn(inside) ?? levelIn(own);
  if (level !== undefined) metadata.level = level;
  if (isObject(event)) metadata.event = event;
  const text = inside.message ?? inside.msg ?? event;
  const project = own.project ?? inside.project;
  const us = time === undefined || time === null ? undefined : readTime(time);
  return new TimedEvent(
    {
      event_message: text,
      ...(project === undefined ? {} : { project }),
      ...(us === undefined ? { timestamp: time } : {}),
      metadata,
    },
    us,
  );
}

/** Seconds since 1970, as number or text; a value with the digits of milliseconds is left to the general rule. */
function readTime(time: unknown): bigint | undefined {
  const text = typeof time === "number" || typeof time === "bigint" ? String(time) : time;
  if (typeof text !== "string" || /^\d{12,}/.test(text)) return undefined;
  return parseUnixSeconds(text.trim());
}

/** Codes of the collector by our own; anything else is an error of the service. */
function answerFailure({ code, status, message, index }: IngestFailure): ProtocolAnswer {
  const answer = (httpStatus: number, splunkCode: number, text: string): ProtocolAnswer => ({
    status: httpStatus,
    body: { text, code: splunkCode, ...(index === undefined ? {} : { "invalid-event-number": index }) },
  });
  switch (code) {
    case "unauthorized":
      return message.includes("needs an access token")
        ? answer(401, 2, "Token is required")
        : answer(403, 4, "Invalid token");
    case "insufficient_scope":
      return answer(403, 4, "Invalid token");
    case "unknown_source":
      return answer(400, 7, "Incorrect index");
    case "rate_limited":
    case "tenant_limit":
      return answer(503, 9, `Server is busy: ${message}`);
    case "overloaded":
    case "engine_unavailable":
    case "shutting_down":
    case "disk_full":
      // The collector's answer for all of them; senders wait and retry.
      return answer(503, 9, "Server is busy");
    case "invalid_body":
      if (message === noDataText) return answer(400, 5, noDataText);
      if (message.includes("Event field is required")) return answer(400, 12, "Event field is required");
      if (message.includes("Event field cannot be blank")) return answer(400, 13, "Event field cannot be blank");
      return answer(400, 6, `Invalid data format: ${message}`);
    default:
      return answer(status, status >= 500 ? 8 : 6, message);
  }
}

/** The answer of `/services/collector/health` while the service works. */
export const splunkHealth = { text: "HEC is healthy", code: 17 } as const;
