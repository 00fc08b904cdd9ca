import type { DecodedMessage } from "../message-shape.ts";
import { type ProtocolReader, TimedEvent } from "../protocol.ts";
import {
  copyFields,
  isEmpty,
  listOf,
  projectOf,
  readRequest,
  type SignalItem,
  unreadable,
  usOf,
} from "./read-request.ts";
import { tracesRequest } from "./shapes.ts";

const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;
const statusCodes = ["unset", "ok", "error"] as const;

const kept = [
  ["traceId", "trace_id"],
  ["spanId", "span_id"],
  ["parentSpanId", "parent_span_id"],
  ["traceState", "trace_state"],
  ["name", "name"],
  ["startTimeUnixNano", "start_time_unix_nano"],
  ["endTimeUnixNano", "end_time_unix_nano"],
  ["flags", "flags"],
  ["droppedAttributesCount", "dropped_attributes_count"],
  ["droppedEventsCount", "dropped_events_count"],
  ["droppedLinksCount", "dropped_links_count"],
] as const;

const keptOfParts = [
  ["timeUnixNano", "time_unix_nano"],
  ["name", "name"],
  ["traceId", "trace_id"],
  ["spanId", "span_id"],
  ["traceState", "trace_state"],
  ["attributes", "attributes"],
  ["droppedAttributesCount", "dropped_attributes_count"],
] as const;

/**
 * The spans of an ExportTraceServiceRequest as events, each at the time it began; a span that is sent again is the
 * same event.
 */
export const readTraces: ProtocolReader = (body) => {
  return { items: readRequest(body, tracesRequest, "Spans", "spans").map(toEvent) };
};

function toEvent({ item, context, resource }: SignalItem): TimedEvent {
  const { traceId, spanId, name, startTimeUnixNano: start, endTimeUnixNano: end } = item;
  const attributes = item.attributes as DecodedMessage | undefined;
  const metadata: DecodedMessage = { type: "otel_span" };
  copyFields(item, metadata, kept);
  metadata.kind = nameOf(kinds, item.kind, "SPAN_KIND_");
  const durationNs = durationOf(start, end);
  if (durationNs !== undefined) metadata.duration_ns = durationNs;
  const { code, message } = (item.status ?? {}) as DecodedMessage;
  metadata.status = {
    code: nameOf(statusCodes, code, "STATUS_CODE_"),
    ...(message === undefined || message === "" ? {} : { message }),
  };
  for (const list of ["events", "links"] as const) {
    const parts = listOf(item, list).map(toPart);
    if (parts.length > 0) metadata[list] = parts;
  }
  if (attributes !== undefined && !isEmpty(attributes)) metadata.attributes = attributes;
  Object.assign(metadata, context);
  const event: DecodedMessage = { metadata };
  if (name !== undefined && name !== "") event.event_message = name;
  if (isId(traceId) && isId(spanId)) event.id = `${traceId}-${spanId}`;
  const project = projectOf(resource, attributes);
  if (project !== undefined) event.project = project;
  const timestamp = unreadable(start);
  if (timestamp !== undefined) event.timestamp = timestamp;
  return new TimedEvent(event, usOf(start) ?? (timestamp === undefined ? usOf(end) : undefined));
}

function isId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && !/^0+$/.test(id);
}

function toPart(part: DecodedMessage): DecodedMessage {
  const kept: DecodedMessage = {};
  copyFields(part, kept, keptOfParts);
  return kept;
}

/** The name of an enumeration's value, in lower case. Of the JSON form it may come by its name. */
export function nameOf(names: readonly string[], value: unknown, prefix: string): string {
  if (typeof value === "string") return value.replace(prefix, "").toLowerCase();
  return names[Number(value ?? 0)] ?? String(value);
}

/** Undefined where one of the times is missing: zero means none. */
function durationOf(start: unknown, end: unknown): number | undefined {
  const isTime = (value: unknown) => (typeof value === "bigint" || Number.isInteger(value)) && Number(value) !== 0;
  if (!isTime(start) || !isTime(end)) return undefined;
  return Number(BigInt(end as number) - BigInt(start as number));
}
