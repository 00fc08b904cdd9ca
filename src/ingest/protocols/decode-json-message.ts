import { BodyError } from "../../engines/contract/query-engine.ts";
import { countAny, type EventCount } from "../event-count.ts";
import { toFinite } from "./decode-protobuf.ts";
import {
  type DecodedMessage,
  type FieldKind,
  type FieldShape,
  type MessageShape,
  maxValueDepth,
  setField,
} from "./message-shape.ts";

type ValueKind = Exclude<FieldKind, MessageShape>;

type JsonObject = { readonly [field: string]: unknown };

/**
 * A message in the JSON form of protocol buffers: integers of 64 bits as texts or numbers, names in camelCase or as
 * in the definition. What the shape does not have is ignored. Throws `invalid_body` with the path of what is of
 * another type.
 */
export function decodeJsonMessage(value: unknown, shape: MessageShape, count = countAny()): DecodedMessage {
  return readMessage(value, shape, shape.name, count);
}

function readMessage(value: unknown, { fields }: MessageShape, path: string, count: EventCount): DecodedMessage {
  const object = toObject(value, path);
  const message: DecodedMessage = {};
  for (const field of fields) {
    const sent = object[field.name] ?? object[snakeName(field.name)];
    if (sent === undefined || sent === null) continue;
    const read = readField(sent, field, `${path}.${field.name}`, count);
    if (read !== undefined) message[field.name] = read;
  }
  return message;
}

function readField(sent: unknown, field: FieldShape, path: string, count: EventCount): unknown {
  const { kind, isRepeated, isEvent } = field;
  const read = (value: unknown, place: string) =>
    typeof kind === "object" ? readMessage(value, kind, place, count) : readValue(value, kind, place);
  if (!isRepeated) return read(sent, path);
  const list = toList(sent, path);
  if (isEvent) count.add(list.length);
  return list.map((item, index) => read(item, `${path}[${index}]`));
}

function readValue(sent: unknown, kind: ValueKind, path: string): unknown {
  switch (kind) {
    case "text":
    case "bytes":
      return typeof sent === "string" ? sent : refuse(path, "a text", sent);
    case "hex":
      return typeof sent === "string" ? toHex(sent) : refuse(path, "a text", sent);
    case "bool":
      return typeof sent === "boolean" ? sent : refuse(path, "true or false", sent);
    case "int":
      // An enumeration may be written by the names of its values.
      if (typeof sent === "string" && /^[A-Z][A-Z0-9_]*$/.test(sent)) return sent;
      return readInteger(sent) ?? refuse(path, "an integer", sent);
    case "uint64":
    case "sint":
    case "fixed32":
    case "fixed64":
    case "sfixed64":
      return readInteger(sent) ?? refuse(path, "an integer", sent);
    case "nanos":
      return readInteger(sent) ?? sent;
    case "double":
      return readDouble(sent) ?? refuse(path, "a number", sent);
    case "any":
      return readAny(sent, path, 0);
    case "attributes":
      return readKeyValues(sent, path, 0);
  }
}

/** OTLP's AnyValue; undefined where it holds nothing. */
function readAny(sent: unknown, path: string, depth: number): unknown {
  if (depth > maxValueDepth) return undefined;
  const object = toObject(sent, path);
  const get = (name: string) => object[name] ?? object[snakeName(name)];
  const text = get("stringValue");
  if (text !== undefined) return readValue(text, "text", `${path}.stringValue`);
  const bool = get("boolValue");
  if (bool !== undefined) return readValue(bool, "bool", `${path}.boolValue`);
  const integer = get("intValue");
  if (integer !== undefined) return readValue(integer, "uint64", `${path}.intValue`);
  const double = get("doubleValue");
  if (double !== undefined) return toFinite(readValue(double, "double", `${path}.doubleValue`) as number);
  const bytes = get("bytesValue");
  if (bytes !== undefined) return readValue(bytes, "bytes", `${path}.bytesValue`);
  const array = get("arrayValue");
  if (array !== undefined) {
    const { values = [] } = toObject(array, path);
    return toList(values, path).map((item) => readAny(item, path, depth + 1));
  }
  const list = get("kvlistValue");
  return list === undefined ? undefined : readKeyValues(toObject(list, path).values ?? [], path, depth);
}

function readKeyValues(sent: unknown, path: string, depth: number): DecodedMessage {
  const result: DecodedMessage = {};
  for (const item of toList(sent, path)) {
    const { key, value } = toObject(item, path);
    if (typeof key !== "string") return refuse(`${path}.key`, "a text", key);
    const read = value === undefined || value === null ? undefined : readAny(value, path, depth + 1);
    if (read !== undefined) setField(result, key, read);
  }
  return result;
}

function readInteger(sent: unknown): number | bigint | undefined {
  if (typeof sent === "number") return Number.isInteger(sent) ? sent : undefined;
  if (typeof sent === "bigint") return sent;
  if (typeof sent !== "string" || !/^-?\d{1,20}$/.test(sent)) return undefined;
  const number = Number(sent);
  return Number.isSafeInteger(number) ? number : BigInt(sent);
}

function readDouble(sent: unknown): number | undefined {
  if (typeof sent === "bigint") return Number(sent);
  if (typeof sent === "number") return sent;
  if (typeof sent !== "string" || sent.trim() === "") return undefined;
  const number = Number(sent);
  return Number.isNaN(number) && sent !== "NaN" ? undefined : number;
}

/** Ids are hexadecimal in OTLP's JSON; some senders keep to the general rule for bytes, Base64. */
function toHex(text: string): string {
  if (/^[0-9A-Fa-f]*$/.test(text)) return text.toLowerCase();
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
  return bytes.length === 8 || bytes.length === 16 ? bytes.toString("hex") : text;
}

function toObject(value: unknown, path: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  return refuse(path, "an object", value);
}

function toList(value: unknown, path: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(path, "a list", value);
}

function refuse(path: string, expected: string, value: unknown): never {
  throw new BodyError("invalid_body", `${path} must be ${expected}, not ${describe(value)}`);
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return value === null ? "null" : "missing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** `asInt` as `as_int`. */
export function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
