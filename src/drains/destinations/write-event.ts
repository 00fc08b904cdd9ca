import { valueText } from "../../engines/contract/event-line.ts";
import type { LogEvent } from "../../engines/contract/query-engine.ts";

/** An event as JSON: its id, its time in microseconds since 1970, its message where it has one, and its fields. */
export function writeEvent(event: LogEvent): string {
  return `{"id":${JSON.stringify(event.id)},"timestamp":${event.timestampUs}${writeRest(event)}}`;
}

/** The same without the time. */
export function writeUntimed(event: LogEvent): string {
  return `{"id":${JSON.stringify(event.id)}${writeRest(event)}}`;
}

function writeRest({ eventMessage, fields }: LogEvent): string {
  const message = eventMessage === null ? "" : `,"event_message":${JSON.stringify(eventMessage)}`;
  const own = valueText(fields).slice(1, -1);
  return own === "" ? message : `${message},${own}`;
}
