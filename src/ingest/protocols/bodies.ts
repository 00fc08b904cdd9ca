import { isAscii } from "node:buffer";
import { parseJson } from "../../engines/contract/parse-json.ts";
import { BodyError, WideNumber } from "../../engines/contract/query-engine.ts";
import { messageOf } from "../../shared/message-of.ts";
import type { EventCount } from "../event-count.ts";
import { BadEvent, type MediaTypes, type ProtocolBody } from "./protocol.ts";

const jsonTypes = /^(|application\/(json|csp-report|[\w.+-]+\+json)|text\/(json|plain))$/;
const ndjsonTypes = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|json-seq)$/;

export function isJsonType(mediaType: string): boolean {
  return jsonTypes.test(mediaType);
}

export function isNdjsonType(mediaType: string): boolean {
  return ndjsonTypes.test(mediaType);
}

/** JSON under all of its names. */
export const jsonOnly: MediaTypes = { pattern: jsonTypes, advice: "application/json" };

/** JSON, and lines of it. */
export const jsonOrLines: MediaTypes = {
  pattern: new RegExp(`${jsonTypes.source}|${ndjsonTypes.source}`),
  advice: "application/json or application/x-ndjson",
};

/** Text in lines or frames, under the types that senders of text give it: some name none, or that of a form. */
export const anyText: MediaTypes = {
  pattern: new RegExp(
    `${jsonTypes.source}|${ndjsonTypes.source}|^text/|^application/(x-www-form-urlencoded|octet-stream)$`,
  ),
  advice: "text/plain or application/json",
};

/** Alternatives for senders of other formats. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/msgpack|messagepack/, "MessagePack is not read; set the sender to JSON"],
  [/bert|erlang|x-erlang-binary/, "BERT is not read; set the sender to JSON"],
  [/protobuf/, "Protocol buffers are read at /v1/logs (OpenTelemetry) and /loki/api/v1/push"],
];

/** Throws `unsupported_media_type` with an alternative. */
export function refuseType(mediaType: string, { advice }: MediaTypes): never {
  const hint = hints.find(([pattern]) => pattern.test(mediaType))?.[1];
  throw new BodyError(
    "unsupported_media_type",
    `Content-Type ${mediaType.slice(0, 100)} is not supported; send ` +
      `${advice}${hint === undefined ? "" : `. ${hint}`}`,
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
    const detail = messageOf(error);
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
  if (bytes.subarray(0, 4).includes(0))
    return ". It looks like UTF-16; send UTF-8, or name it in Content-Type: charset=utf-16";
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
export function readLines(bytes: Uint8Array, count: EventCount): readonly unknown[] {
  return splitLines(bytes, () => count.add()).map(parseLine);
}

/** The lines of a text that are not blank; `onLine` is called with each before the next is looked for. */
export function splitLines(bytes: Uint8Array, onLine: () => void): readonly string[] {
  const text = decodeText(bytes);
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    if (line.trim() !== "") {
      onLine();
      lines.push(line);
    }
    start = end + 1;
  }
  return lines;
}

/** The list, once its items are counted as events. */
export function counted<Item>(items: readonly Item[], count: EventCount): readonly Item[] {
  count.add(items.length);
  return items;
}

export function parseLine(line: string): unknown {
  try {
    // RFC 7464 sequences begin each record with a record separator.
    return parseJson(line.startsWith("\x1e") ? line.slice(1) : line);
  } catch {
    return new BadEvent("not valid JSON");
  }
}

type ValuesBody = Pick<ProtocolBody, "bytes" | "mediaType" | "count">;

/** The values of a body of `jsonOrLines`: JSON (a list, `{"batch":[...]}`, or one value), or a value a line. */
export function readValues({ bytes, mediaType, count }: ValuesBody): readonly unknown[] {
  if (isNdjsonType(mediaType)) return readLines(bytes, count);
  const value = parseJsonBody(bytes);
  if (Array.isArray(value)) return counted(value, count);
  const { batch } = (value ?? {}) as { readonly batch?: unknown };
  return counted(Array.isArray(batch) ? batch : [value], count);
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

/** JSON text of a value that may hold integers beyond 2^53; none of one that nests too deeply for an event. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value, (_name, item: unknown) => (typeof item === "bigint" ? item.toString() : item));
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}

/** The fields that are there. */
export function present(fields: JsonObject): { [field: string]: unknown } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
