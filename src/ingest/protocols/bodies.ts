import { isAscii } from "node:buffer";
import { parseJson } from "../../engines/contract/parse-json.ts";
import { BodyError, WideNumber } from "../../engines/contract/query-engine.ts";
import { BadEvent } from "./protocol.ts";

const jsonTypes = /^(|application\/(json|csp-report|[\w.+-]+\+json)|text\/(json|plain))$/;
const ndjsonTypes = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|json-seq)$/;

export function isJsonType(mediaType: string): boolean {
  return jsonTypes.test(mediaType);
}

export function isNdjsonType(mediaType: string): boolean {
  return ndjsonTypes.test(mediaType);
}

/** Alternatives for senders of other formats. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/msgpack|messagepack/, "MessagePack is not read; set the sender to JSON"],
  [/bert|erlang|x-erlang-binary/, "BERT is not read; set the sender to JSON"],
  [/protobuf/, "Protocol buffers are read at /v1/logs (OpenTelemetry) and /loki/api/v1/push"],
];

/** Throws `unsupported_media_type` with an alternative. */
export function refuseType(mediaType: string, accepted = "application/json or application/x-ndjson"): never {
  const hint = hints.find(([pattern]) => pattern.test(mediaType))?.[1];
  throw new BodyError(
    "unsupported_media_type",
    `Content-Type ${mediaType.slice(0, 100)} is not supported; send ` +
      `${accepted}${hint === undefined ? "" : `. ${hint}`}`,
  );
}

export function decodeText(bytes: Uint8Array): string {
  // Most bodies are ASCII, which is recognised and copied at many times the speed of decoding.
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return new TextDecoder().decode(bytes);
}

/** The one JSON value that a body is. Throws `invalid_body`. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  const text = decodeText(bytes);
  try {
    return parseJson(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new BodyError("invalid_body", `The body is not valid JSON: ${detail.slice(0, 200)}${guessForm(bytes, text)}`);
  }
}

/** The format that a body resembles, when it is not JSON. */
function guessForm(bytes: Uint8Array, text: string): string {
  const [first = 0] = bytes;
  if (first === 131) return ". It looks like BERT; set the sender to JSON";
  if ((first >= 0x80 && first <= 0x9f) || (first >= 0xdc && first <= 0xdf)) {
    return ". It looks like MessagePack; set the sender to JSON";
  }
  if (first === 0x1f && bytes[1] === 0x8b) return ". It looks like gzip; send Content-Encoding: gzip";
  const [line = "", next = ""] = text.trimStart().split(/\r?\n/, 2);
  const isNdjson = isJsonObject(line) && next.trimStart().startsWith("{");
  return isNdjson ? ". It looks like NDJSON; send Content-Type: application/x-ndjson" : "";
}

function isJsonObject(text: string): boolean {
  if (!text.startsWith("{")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The JSON value of each line that is not blank; an invalid line becomes a `BadEvent`. */
export function readLines(bytes: Uint8Array): readonly unknown[] {
  return splitLines(bytes).map(parseLine);
}

/** The lines of a text that are not blank. */
export function splitLines(bytes: Uint8Array): readonly string[] {
  return decodeText(bytes)
    .split("\n")
    .filter((line) => line.trim() !== "");
}

export function parseLine(line: string): unknown {
  try {
    // RFC 7464 sequences begin each record with a record separator.
    return parseJson(line.startsWith("\x1e") ? line.slice(1) : line);
  } catch {
    return new BadEvent("not valid JSON");
  }
}

/**
 * The values of a body of JSON (a list, `{"batch":[...]}`, or one value) or NDJSON. Throws `unsupported_media_type`
 * for other types.
 */
export function readValues(bytes: Uint8Array, mediaType: string): readonly unknown[] {
  if (isNdjsonType(mediaType)) return readLines(bytes);
  if (!isJsonType(mediaType)) return refuseType(mediaType);
  const value = parseJsonBody(bytes);
  if (Array.isArray(value)) return value;
  const { batch } = (value ?? {}) as { readonly batch?: unknown };
  return Array.isArray(batch) ? batch : [value];
}

export type JsonObject = { readonly [field: string]: unknown };

const isSpecial = (value: object) => value instanceof BadEvent || value instanceof WideNumber;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isSpecial(value);
}

/** The same list, with its objects converted by `toEvent`; other values are left to be refused. */
export function mapObjects(values: readonly unknown[], toEvent: (value: JsonObject) => unknown): readonly unknown[] {
  return values.map((value) => (isObject(value) ? toEvent(value) : value));
}

/** JSON text of a value that may hold integers beyond 2^53. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) => (typeof item === "bigint" ? item.toString() : item));
}

/** The fields that are there. */
export function present(fields: JsonObject): { [field: string]: unknown } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
