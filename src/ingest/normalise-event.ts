import { randomUUID } from "node:crypto";
import type { EventValue, LogEvent } from "../engines/engine.ts";
import { parseIsoTimestamp } from "../iso-timestamp.ts";
import { cleanValue, EventRejection } from "./clean-value.ts";
import type { IngestLimits } from "./limits.ts";
import { parseUnixTimestamp } from "./timestamp.ts";

/** `nowUs` (microseconds since 1970) stands in where an event brings no usable timestamp. Throws `EventRejection`. */
export function normaliseEvent(raw: unknown, nowUs: bigint, limits: IngestLimits): LogEvent {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new EventRejection(`not a JSON object but ${describe(raw)}`);
  }
  const cleaned = cleanValue(raw, limits);
  const { id, timestamp, message, event_message, ...fields } = (cleaned ?? {}) as { [field: string]: EventValue };
  const text = message ?? event_message;
  // Both given and different: `message` wins, the other is kept under a name of its own.
  if (message !== undefined && event_message !== undefined && message !== event_message) {
    fields._event_message = event_message;
  }
  const hasOwnId = typeof id === "string" || typeof id === "number" || typeof id === "bigint";
  return {
    id: hasOwnId ? String(id) : randomUUID(),
    hasGeneratedId: !hasOwnId,
    timestampUs: readTimestamp(timestamp) ?? nowUs,
    eventMessage: text === undefined ? null : toText(text),
    fields,
  };
}

function describe(raw: unknown): string {
  if (raw === null) return "null";
  return Array.isArray(raw) ? "an array" : `a ${typeof raw}`;
}

function readTimestamp(value: EventValue | undefined): bigint | undefined {
  if (typeof value === "string") {
    // Without a zone nobody knows which instant is meant, so the server's time is as good.
    const instant = parseIsoTimestamp(value.trim());
    return instant?.hasZone ? instant.us : undefined;
  }
  if (typeof value === "number" || typeof value === "bigint") return parseUnixTimestamp(value);
  return undefined;
}

function toText(value: EventValue): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? item.toString() : item));
}
