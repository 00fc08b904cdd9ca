import type { DecodedMessage } from "../message-shape.ts";
import { type ProtocolReader, TimedEvent } from "../protocol.ts";
import { copyFields, isEmpty, projectOf, readRequest, type SignalItem, unreadable, usOf } from "./read-request.ts";
import { logsRequest } from "./shapes.ts";

/** Names of the levels that four severity numbers each stand for, from 1 on. */
const levels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

const kept = [
  ["severityNumber", "severity_number"],
  ["severityText", "severity_text"],
  ["eventName", "event_name"],
  ["traceId", "trace_id"],
  ["spanId", "span_id"],
  ["flags", "flags"],
  ["timeUnixNano", "time_unix_nano"],
  ["observedTimeUnixNano", "observed_time_unix_nano"],
  ["droppedAttributesCount", "dropped_attributes_count"],
] as const;

/** The log records of an ExportLogsServiceRequest as events. */
export const readLogs: ProtocolReader = (body) => {
  return { items: readRequest(body, logsRequest, "Logs", "logRecords").map(toEvent) };
};

function toEvent({ item, context, resource }: SignalItem): TimedEvent {
  const { body, eventName, timeUnixNano, observedTimeUnixNano } = item;
  const attributes = item.attributes as DecodedMessage | undefined;
  const metadata: DecodedMessage = { type: "otel_log" };
  const level = levelOf(item);
  if (level !== undefined) metadata.level = level;
  copyFields(item, metadata, kept);
  if (attributes !== undefined && !isEmpty(attributes)) metadata.attributes = attributes;
  Object.assign(metadata, context);
  const isText = typeof body === "string" && body !== "";
  // What is no text is searched as its JSON, and read field by field.
  if (!isText && typeof body === "object") metadata.body = body;
  const event: DecodedMessage = { metadata };
  const message = isText ? body : (body ?? eventName);
  if (message !== undefined && message !== "") event.event_message = message;
  const project = projectOf(resource, attributes);
  if (project !== undefined) event.project = project;
  const us = usOf(timeUnixNano) ?? usOf(observedTimeUnixNano);
  const timestamp = us === undefined ? (unreadable(timeUnixNano) ?? unreadable(observedTimeUnixNano)) : undefined;
  if (timestamp !== undefined) event.timestamp = timestamp;
  return new TimedEvent(event, us);
}

/** The severity's own text in lower case, else the name that its number stands for. */
function levelOf({ severityText, severityNumber }: DecodedMessage): string | undefined {
  if (typeof severityText === "string" && severityText !== "") return severityText.toLowerCase();
  if (typeof severityNumber === "string") {
    return /^SEVERITY_NUMBER_([A-Z]+)\d?$/.exec(severityNumber)?.[1]?.toLowerCase();
  }
  return typeof severityNumber === "number" ? levels[Math.floor((severityNumber - 1) / 4)] : undefined;
}
