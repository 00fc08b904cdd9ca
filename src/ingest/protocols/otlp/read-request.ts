import { isTimestampInRange } from "../../../values/calendar.ts";
import { parseJsonBody } from "../bodies.ts";
import { decodeJsonMessage } from "../decode-json-message.ts";
import { decodeProtobuf } from "../decode-protobuf.ts";
import type { DecodedMessage, MessageShape } from "../message-shape.ts";
import type { MediaTypes, ProtocolBody } from "../protocol.ts";

/** One log record, span or metric, with what it stands in, in the form that events have. */
export interface SignalItem {
  readonly item: DecodedMessage;
  /** `resource`, `scope` and their like, as far as they hold something: the same object for all of a scope. */
  readonly context: DecodedMessage;
  /** Attributes of the resource. */
  readonly resource: DecodedMessage;
}

/** Types of OTLP over HTTP. */
export const otlpTypes: MediaTypes = {
  pattern: /^application\/(json|(x-)?protobuf)$/,
  advice: "application/x-protobuf or application/json",
};

/** A request in either form, taken apart. `signal` is `Logs`, `Spans` or `Metrics`. */
export function readRequest(
  body: Pick<ProtocolBody, "bytes" | "mediaType" | "count">,
  shape: MessageShape,
  signal: string,
  itemsName: string,
): readonly SignalItem[] {
  const request = decodeRequest(body, shape);
  const items: SignalItem[] = [];
  for (const inResource of listOf(request, `resource${signal}`)) {
    const { attributes: resource = {} } = (inResource.resource ?? {}) as { attributes?: DecodedMessage };
    for (const inScope of listOf(inResource, `scope${signal}`)) {
      const context: DecodedMessage = {};
      if (!isEmpty(resource)) context.resource = resource;
      const scope = pruned((inScope.scope ?? {}) as DecodedMessage);
      if (!isEmpty(scope)) context.scope = scope;
      const schemaUrl = inScope.schemaUrl ?? inResource.schemaUrl;
      if (schemaUrl !== undefined && schemaUrl !== "") context.schema_url = schemaUrl;
      for (const item of listOf(inScope, itemsName)) items.push({ item, context, resource });
    }
  }
  return items;
}

function decodeRequest(
  { bytes, mediaType, count }: Pick<ProtocolBody, "bytes" | "mediaType" | "count">,
  shape: MessageShape,
) {
  // An empty body is an empty message, and comes without a type.
  if (bytes.length === 0) return {};
  if (isProtobufType(mediaType)) return decodeProtobuf(bytes, shape, count);
  return decodeJsonMessage(parseJsonBody(bytes), shape, count);
}

export function isProtobufType(mediaType: string): boolean {
  return mediaType === "application/x-protobuf" || mediaType === "application/protobuf";
}

export function listOf(message: DecodedMessage, name: string): readonly DecodedMessage[] {
  return (message[name] ?? []) as readonly DecodedMessage[];
}

export function isEmpty(object: DecodedMessage): boolean {
  for (const _ in object) return false;
  return true;
}

/** Name, version and attributes of a scope: what is empty says nothing. */
function pruned(scope: DecodedMessage): DecodedMessage {
  const {
    name = "",
    version = "",
    attributes = {},
  } = scope as { name?: string; version?: string; attributes?: object };
  return {
    ...(name === "" ? {} : { name }),
    ...(version === "" ? {} : { version }),
    ...(isEmpty(attributes as DecodedMessage) ? {} : { attributes }),
  };
}

/** The named values that are present and not the default. */
export function copyFields(
  from: DecodedMessage,
  to: DecodedMessage,
  names: readonly (readonly [sent: string, kept: string])[],
): void {
  for (const [sent, kept] of names) {
    const value = from[sent];
    if (value !== undefined && value !== "" && value !== 0 && value !== false) to[kept] = value;
  }
}

/** The project that an item belongs to: an attribute of its own, else of its resource. */
export function projectOf(resource: DecodedMessage, attributes: DecodedMessage | undefined): string | undefined {
  const project = attributes?.project ?? resource.project;
  return typeof project === "string" && project !== "" ? project : undefined;
}

/** Microseconds of nanoseconds since 1970; undefined for none, and for one out of range. */
export function usOf(nanos: unknown): bigint | undefined {
  if (typeof nanos !== "bigint" && typeof nanos !== "number") return undefined;
  const us = typeof nanos === "bigint" ? nanos / 1000n : BigInt(Math.floor(nanos / 1000));
  return nanos > 0 && isTimestampInRange(us) ? us : undefined;
}

/** An unreadable time as it was sent, so that it is retained and counted. Zero means none. */
export function unreadable(nanos: unknown): unknown {
  const isNone = nanos === undefined || nanos === 0 || nanos === 0n;
  return isNone || usOf(nanos) !== undefined ? undefined : nanos;
}
