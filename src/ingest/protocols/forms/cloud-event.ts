import { BodyError } from "../../../engines/contract/query-engine.ts";
import {
  decodeText,
  isJsonType,
  isObject,
  type JsonObject,
  jsonOrLines,
  mapObjects,
  parseJsonBody,
  present,
  readValues,
  refuseType,
} from "../bodies.ts";
import type { Protocol, ProtocolBody } from "../protocol.ts";

/** Attributes that stand in headers in binary mode. */
const attributes = ["id", "source", "specversion", "type", "subject", "time", "dataschema"] as const;

/**
 * CloudEvents over HTTP in its three modes, structured, batched and binary:
 * https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md
 */
export const cloudEvent: Protocol = {
  name: "cloud_event",
  // In binary mode the body is the event's data, which has any type.
  mediaTypes: { pattern: /^/, advice: jsonOrLines.advice },
  details: attributes.map((name) => `ce-${name}`),
  read: (body) => ({ items: mapObjects(readAll(body), toEvent) }),
};

function readAll(body: ProtocolBody): readonly unknown[] {
  const { bytes, mediaType, details = {} } = body;
  if (details["ce-specversion"] === undefined && details["ce-id"] === undefined) {
    return jsonOrLines.pattern.test(mediaType) ? readValues(body) : refuseType(mediaType, jsonOrLines);
  }
  const inHeaders = Object.fromEntries(attributes.map((name) => [name, decodeHeader(details[`ce-${name}`])]));
  const data =
    bytes.length === 0 ? undefined : isJsonType(mediaType) ? parseJsonBody(bytes) : readOther(bytes, mediaType);
  return [present({ ...inHeaders, datacontenttype: mediaType === "" ? undefined : mediaType, data })];
}

/** Header values are percent-encoded. */
function decodeHeader(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function readOther(bytes: Uint8Array, mediaType: string): string {
  return mediaType.startsWith("text/") || mediaType.endsWith("xml")
    ? decodeText(bytes)
    : Buffer.from(bytes).toString("base64");
}

function toEvent({ data, data_base64: base64, time, ...about }: JsonObject): unknown {
  const { id, type, source } = about;
  if (typeof type !== "string" && typeof source !== "string") {
    throw new BodyError(
      "invalid_body",
      "A CloudEvent must have type and source, in its body or in the headers ce-type and ce-source",
    );
  }
  const inside = isObject(data) ? data : {};
  const text = typeof data === "string" ? data : (inside.event_message ?? inside.message ?? type);
  const project = about.project ?? inside.project;
  const cloudEvent = present({ ...about, time });
  return present({
    id,
    timestamp: time,
    event_message: text,
    project,
    metadata: present({ cloud_event: cloudEvent, data: data ?? base64 }),
  });
}
