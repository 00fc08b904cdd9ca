import { type EventValue, type LogEvent, WideNumber } from "../../engines/contract/event-store.ts";

/** OTLP's severity number of a level's name (OpenTelemetry's data model of logs, appendix B). */
const severityNumbers: ReadonlyMap<string, number> = new Map([
  ["trace", 1],
  ["debug", 5],
  ["info", 9],
  ["log", 9],
  ["notice", 10],
  ["warn", 13],
  ["warning", 13],
  ["error", 17],
  ["critical", 18],
  ["alert", 19],
  ["emergency", 21],
  ["panic", 21],
  ["fatal", 21],
]);
const scope = { name: "logweir" };
const [minInt64, maxInt64] = [-(2n ** 63n), 2n ** 63n - 1n];
/** Times are nanoseconds in an unsigned integer of 64 bits: up to the year 2554. */
const maxTimeUs = (2n ** 64n - 1n) / 1000n;

/**
 * Events of a source as OTLP's ExportLogsServiceRequest in JSON: the source is the resource's `service.name`, the
 * message the body, each field an attribute, the id the attribute `logweir.id`. A time that OTLP cannot hold is the
 * attribute `logweir.timestamp`, in microseconds since 1970.
 */
export function writeOtlp(source: string, events: readonly LogEvent[]): string {
  const resource = { attributes: [{ key: "service.name", value: { stringValue: source } }] };
  const scopeLogs = [{ scope, logRecords: events.map(toRecord) }];
  return JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] });
}

/** An event as a record of OTLP; undefined fields are not in its JSON. */
function toRecord({ id, timestampUs, eventMessage, fields }: LogEvent): object {
  const hasTime = timestampUs >= 0n && timestampUs <= maxTimeUs;
  const own = { "logweir.id": id, ...(hasTime ? {} : { "logweir.timestamp": timestampUs }) };
  const level = textIn(fields, "level");
  const time = hasTime ? `${timestampUs}000` : undefined;
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityText: level,
    severityNumber: severityNumbers.get(level?.toLowerCase() ?? ""),
    body: eventMessage === null ? undefined : { stringValue: eventMessage },
    attributes: [...toPairs(own), ...toPairs(fields)],
    traceId: idIn(fields, "trace_id", 32),
    spanId: idIn(fields, "span_id", 16),
  };
}

function isObject(value: EventValue | undefined): value is { readonly [field: string]: EventValue } {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof WideNumber);
}

/** A text among the metadata of an event, else among its own fields. */
function textIn(fields: LogEvent["fields"], name: string): string | undefined {
  const { metadata } = fields;
  return [isObject(metadata) ? metadata[name] : undefined, fields[name]].find((value) => typeof value === "string");
}

/** An id of so many hexadecimal digits, as OTLP's JSON writes it; one of zeros is none. */
function idIn(fields: LogEvent["fields"], name: string, digits: number): string | undefined {
  const text = textIn(fields, name);
  return text?.length === digits && /^[0-9a-f]*[1-9a-f][0-9a-f]*$/i.test(text) ? text.toLowerCase() : undefined;
}

function toPairs(object: { readonly [field: string]: EventValue }): readonly object[] {
  return Object.entries(object).map(([key, value]) => ({ key, value: toAny(value) }));
}

/** A value as OTLP's AnyValue. A number that neither of its kinds of numbers holds is a text with all digits. */
function toAny(value: EventValue): object {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    case "bigint":
      return value >= minInt64 && value <= maxInt64 ? { intValue: String(value) } : { stringValue: String(value) };
    default:
  }
  if (value instanceof WideNumber) return { stringValue: value.text };
  if (isObject(value)) return { kvlistValue: { values: toPairs(value) } };
  return { arrayValue: { values: value.map(toAny) } };
}
