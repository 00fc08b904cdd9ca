import { BodyError } from "../../engines/contract/query-engine.ts";
import { counted, isNdjsonType, jsonOrLines, parseJsonBody, readLines } from "./bodies.ts";
import type { Protocol, ProtocolBody } from "./protocol.ts";

/**
 * Events as `/api/logs` takes them. JSON: an object is one, an array or `{"batch":[...]}` several; NDJSON: a line
 * each.
 */
export const ownForm: Protocol = {
  name: "events",
  mediaTypes: jsonOrLines,
  read: ({ bytes, mediaType, count }: ProtocolBody) => {
    if (isNdjsonType(mediaType)) return { items: readLines(bytes, count) };
    return { items: counted(readBatch(parseJsonBody(bytes)), count) };
  },
};

/** The events of a JSON body. */
function readBatch(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) {
    throw new BodyError(
      "invalid_body",
      'The body must be an event (a JSON object), an array of events, or {"batch":[...]}',
    );
  }
  return isBatch(value) ? value.batch : [value];
}

/** Whether an object is several events. */
export function isBatch(value: object): value is { readonly batch: readonly unknown[] } {
  return "batch" in value && Array.isArray(value.batch);
}
