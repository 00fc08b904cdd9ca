import { anyText, counted, decodeText, isObject, parseLine, present, splitLines, toJsonText } from "../bodies.ts";
import type { Protocol, ProtocolBody } from "../protocol.ts";

/** Where datasets of Logpush have an event's time, the usual ones first. */
const times = ["EdgeStartTimestamp", "Datetime", "Timestamp", "EventTimestampMs", "When", "timestamp"] as const;

/**
 * Cloudflare's Logpush: JSON a line, whatever the content type says
 * (https://developers.cloudflare.com/logs/logpush/). The line is the message, its object `metadata`. A list of
 * objects is taken too.
 */
export const cloudflare: Protocol = {
  name: "cloudflare",
  mediaTypes: anyText,
  read: (body: ProtocolBody) => ({ items: readLogs(body) }),
};

function readLogs({ bytes, count }: ProtocolBody): readonly unknown[] {
  if (!decodeText(bytes.subarray(0, 64)).trimStart().startsWith("[")) {
    return splitLines(bytes, () => count.add()).map((line) => toEvent(parseLine(line), line.trim()));
  }
  const list = parseLine(decodeText(bytes));
  return counted(Array.isArray(list) ? list : [list], count).map((item) => toEvent(item, toJsonText(item)));
}

function toEvent(log: unknown, line: string): unknown {
  if (!isObject(log)) return log;
  const time = times.map((name) => log[name]).find((value) => value !== undefined && value !== null);
  return present({ event_message: line, timestamp: time, project: log.project, metadata: log });
}
