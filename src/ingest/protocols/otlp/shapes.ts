/** The messages of OTLP 1.10 (opentelemetry-proto), with the fields that are kept. */
import { type MessageShape, shapeOf } from "../message-shape.ts";

const resource = shapeOf("Resource", [
  [1, "attributes", "attributes"],
  [2, "droppedAttributesCount", "int"],
]);

const scope = shapeOf("InstrumentationScope", [
  [1, "name", "text"],
  [2, "version", "text"],
  [3, "attributes", "attributes"],
  [4, "droppedAttributesCount", "int"],
]);

const logRecord = shapeOf("LogRecord", [
  [1, "timeUnixNano", "nanos"],
  [2, "severityNumber", "int"],
  [3, "severityText", "text"],
  [5, "body", "any"],
  [6, "attributes", "attributes"],
  [7, "droppedAttributesCount", "int"],
  [8, "flags", "fixed32"],
  [9, "traceId", "hex"],
  [10, "spanId", "hex"],
  [11, "observedTimeUnixNano", "nanos"],
  [12, "eventName", "text"],
]);

const spanEvent = shapeOf("Span.Event", [
  [1, "timeUnixNano", "nanos"],
  [2, "name", "text"],
  [3, "attributes", "attributes"],
  [4, "droppedAttributesCount", "int"],
]);

const spanLink = shapeOf("Span.Link", [
  [1, "traceId", "hex"],
  [2, "spanId", "hex"],
  [3, "traceState", "text"],
  [4, "attributes", "attributes"],
  [5, "droppedAttributesCount", "int"],
  [6, "flags", "fixed32"],
]);

const spanStatus = shapeOf("Status", [
  [2, "message", "text"],
  [3, "code", "int"],
]);

const span = shapeOf("Span", [
  [1, "traceId", "hex"],
  [2, "spanId", "hex"],
  [3, "traceState", "text"],
  [4, "parentSpanId", "hex"],
  [5, "name", "text"],
  [6, "kind", "int"],
  [7, "startTimeUnixNano", "nanos"],
  [8, "endTimeUnixNano", "nanos"],
  [9, "attributes", "attributes"],
  [10, "droppedAttributesCount", "int"],
  [11, "events", spanEvent, "repeated"],
  [12, "droppedEventsCount", "int"],
  [13, "links", spanLink, "repeated"],
  [14, "droppedLinksCount", "int"],
  [15, "status", spanStatus],
  [16, "flags", "fixed32"],
]);

const exemplar = shapeOf("Exemplar", [
  [2, "timeUnixNano", "nanos"],
  [3, "asDouble", "double"],
  [4, "spanId", "hex"],
  [5, "traceId", "hex"],
  [6, "asInt", "sfixed64"],
  [7, "filteredAttributes", "attributes"],
]);

const numberPoint = shapeOf("NumberDataPoint", [
  [2, "startTimeUnixNano", "nanos"],
  [3, "timeUnixNano", "nanos"],
  [4, "asDouble", "double"],
  [5, "exemplars", exemplar, "repeated"],
  [6, "asInt", "sfixed64"],
  [7, "attributes", "attributes"],
  [8, "flags", "int"],
]);

const histogramPoint = shapeOf("HistogramDataPoint", [
  [2, "startTimeUnixNano", "nanos"],
  [3, "timeUnixNano", "nanos"],
  [4, "count", "fixed64"],
  [5, "sum", "double"],
  [6, "bucketCounts", "fixed64", "repeated"],
  [7, "explicitBounds", "double", "repeated"],
  [8, "exemplars", exemplar, "repeated"],
  [9, "attributes", "attributes"],
  [10, "flags", "int"],
  [11, "min", "double"],
  [12, "max", "double"],
]);

const buckets = shapeOf("Buckets", [
  [1, "offset", "sint"],
  [2, "bucketCounts", "uint64", "repeated"],
]);

const exponentialPoint = shapeOf("ExponentialHistogramDataPoint", [
  [1, "attributes", "attributes"],
  [2, "startTimeUnixNano", "nanos"],
  [3, "timeUnixNano", "nanos"],
  [4, "count", "fixed64"],
  [5, "sum", "double"],
  [6, "scale", "sint"],
  [7, "zeroCount", "fixed64"],
  [8, "positive", buckets],
  [9, "negative", buckets],
  [10, "flags", "int"],
  [11, "exemplars", exemplar, "repeated"],
  [12, "min", "double"],
  [13, "max", "double"],
  [14, "zeroThreshold", "double"],
]);

const quantile = shapeOf("ValueAtQuantile", [
  [1, "quantile", "double"],
  [2, "value", "double"],
]);

const summaryPoint = shapeOf("SummaryDataPoint", [
  [2, "startTimeUnixNano", "nanos"],
  [3, "timeUnixNano", "nanos"],
  [4, "count", "fixed64"],
  [5, "sum", "double"],
  [6, "quantileValues", quantile, "repeated"],
  [7, "attributes", "attributes"],
  [8, "flags", "int"],
]);

function pointsOf(name: string, point: MessageShape): MessageShape {
  return shapeOf(name, [
    [1, "dataPoints", point, "events"],
    [2, "aggregationTemporality", "int"],
    [3, "isMonotonic", "bool"],
  ]);
}

const metric = shapeOf("Metric", [
  [1, "name", "text"],
  [2, "description", "text"],
  [3, "unit", "text"],
  [5, "gauge", pointsOf("Gauge", numberPoint)],
  [7, "sum", pointsOf("Sum", numberPoint)],
  [9, "histogram", pointsOf("Histogram", histogramPoint)],
  [10, "exponentialHistogram", pointsOf("ExponentialHistogram", exponentialPoint)],
  [11, "summary", pointsOf("Summary", summaryPoint)],
]);

/** A request for one signal: resources, scopes in them, and in those what the signal is made of. */
function requestOf(
  name: string,
  signal: string,
  item: MessageShape,
  itemsName: string,
  itemsAre: "events" | "repeated" = "events",
): MessageShape {
  const inScope = shapeOf(`Scope${signal}`, [
    [1, "scope", scope],
    [2, itemsName, item, itemsAre],
    [3, "schemaUrl", "text"],
  ]);
  const inResource = shapeOf(`Resource${signal}`, [
    [1, "resource", resource],
    [2, `scope${signal}`, inScope, "repeated"],
    [3, "schemaUrl", "text"],
  ]);
  return shapeOf(name, [[1, `resource${signal}`, inResource, "repeated"]]);
}

export const logsRequest = requestOf("ExportLogsServiceRequest", "Logs", logRecord, "logRecords");
export const tracesRequest = requestOf("ExportTraceServiceRequest", "Spans", span, "spans");
export const metricsRequest = requestOf("ExportMetricsServiceRequest", "Metrics", metric, "metrics", "repeated");
