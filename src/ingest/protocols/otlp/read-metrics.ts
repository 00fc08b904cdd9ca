import { snakeName } from "../decode-json-message.ts";
import { toFinite } from "../decode-protobuf.ts";
import type { DecodedMessage } from "../message-shape.ts";
import { type ProtocolReader, TimedEvent } from "../protocol.ts";
import { isEmpty, listOf, projectOf, readRequest, type SignalItem, unreadable, usOf } from "./read-request.ts";
import { nameOf } from "./read-traces.ts";
import { metricsRequest } from "./shapes.ts";

/** The kinds of a metric: the field that holds its points, and what the event calls it. */
const kinds = [
  ["gauge", "gauge"],
  ["sum", "sum"],
  ["histogram", "histogram"],
  ["exponentialHistogram", "exponential_histogram"],
  ["summary", "summary"],
] as const;

const temporalities = ["unspecified", "delta", "cumulative"] as const;

/** The data points of an ExportMetricsServiceRequest as events, one a point. */
export const readMetrics: ProtocolReader = (body) => {
  return { items: readRequest(body, metricsRequest, "Metrics", "metrics").flatMap(toEvents) };
};

function toEvents({ item, context, resource }: SignalItem): readonly TimedEvent[] {
  return kinds.flatMap(([field, kind]) => {
    const points = item[field] as DecodedMessage | undefined;
    if (points === undefined) return [];
    const common: DecodedMessage = { type: "otel_metric", kind };
    for (const name of ["name", "description", "unit"]) {
      if (item[name] !== undefined && item[name] !== "") common[name] = item[name];
    }
    if (points.aggregationTemporality !== undefined) {
      common.temporality = nameOf(temporalities, points.aggregationTemporality, "AGGREGATION_TEMPORALITY_");
    }
    if (kind === "sum") common.is_monotonic = points.isMonotonic === true;
    return listOf(points, "dataPoints").map((point) => toEvent(point, { ...common, ...context }, resource));
  });
}

function toEvent(point: DecodedMessage, metadata: DecodedMessage, resource: DecodedMessage): TimedEvent {
  const { timeUnixNano, attributes } = point;
  for (const [name, value] of Object.entries(point)) {
    const kept = keepValue(name, value);
    if (kept !== undefined) metadata[kept.name] = kept.value;
  }
  const event: DecodedMessage = { metadata };
  if (metadata.name !== undefined) event.event_message = metadata.name;
  const project = projectOf(resource, attributes as DecodedMessage | undefined);
  if (project !== undefined) event.project = project;
  const timestamp = unreadable(timeUnixNano);
  if (timestamp !== undefined) event.timestamp = timestamp;
  return new TimedEvent(event, usOf(timeUnixNano));
}

/** A field of a point under the name that events have for it; numbers that JSON has not are texts. */
function keepValue(name: string, value: unknown): { readonly name: string; readonly value: unknown } | undefined {
  switch (name) {
    case "asDouble":
    case "asInt":
      return { name: "value", value: toKept(value) };
    case "attributes":
      return isEmpty(value as DecodedMessage) ? undefined : { name: "attributes", value };
    default:
      return { name: snakeName(name), value: toKept(value) };
  }
}

function toKept(value: unknown): unknown {
  if (typeof value === "number") return toFinite(value);
  if (Array.isArray(value)) return value.map(toKept);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).map(([name, item]) => {
    if (name === "filteredAttributes") return ["filtered_attributes", item];
    return [name === "asDouble" || name === "asInt" ? "value" : snakeName(name), toKept(item)];
  });
  return Object.fromEntries(kept);
}
