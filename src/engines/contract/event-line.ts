/** An event as a line of text that says all of it, and reads back as the same. */
import { type EventValue, type LogEvent, WideNumber } from "./event-store.ts";
import { parseJson } from "./parse-json.ts";

/** A value as JSON, with all digits of its numbers. Those of rows may be null, which those of events are not. */
export function valueText(value: EventValue | null): string {
  if (typeof value === "bigint" || value instanceof WideNumber) return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`;
  const object = value as { readonly [field: string]: EventValue };
  const fields = Object.keys(object).map((name) => `${JSON.stringify(name)}:${valueText(object[name] ?? null)}`);
  return `{${fields.join(",")}}`;
}

/** Without an end of line. Fields stand in the order in which the event has them. */
export function formatEventLine({ id, timestampUs, eventMessage, fields }: LogEvent): string {
  const head = `{"id":${JSON.stringify(id)},"timestamp_us":"${timestampUs}"`;
  return `${head},"event_message":${JSON.stringify(eventMessage)},"fields":${valueText(fields)}}`;
}

/** The event of a line. Throws `SyntaxError` for one that is no such line. */
export function parseEventLine(line: string): LogEvent {
  const { id, timestamp_us, event_message, fields } = parseJson(line) as Readonly<Record<string, unknown>>;
  if (typeof id !== "string" || typeof timestamp_us !== "string" || typeof fields !== "object" || fields === null) {
    throw new SyntaxError("The line is no event");
  }
  return {
    id,
    hasGeneratedId: false,
    timestampUs: BigInt(timestamp_us),
    eventMessage: typeof event_message === "string" ? event_message : null,
    fields: fields as LogEvent["fields"],
  };
}
