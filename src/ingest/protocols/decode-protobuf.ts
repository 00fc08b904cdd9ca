import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { BodyError } from "../../engines/contract/query-engine.ts";
import { messageOf } from "../../shared/message-of.ts";
import { countAny, type EventCount } from "../event-count.ts";
import { type DecodedMessage, type FieldKind, type MessageShape, maxValueDepth, setField } from "./message-shape.ts";

/**
 * A message in the binary form of protocol buffers. Fields that the shape does not have are skipped, and so are
 * fields of another wire type than theirs. Throws `invalid_body` for what is no such message, with where it broke.
 */
export function decodeProtobuf(bytes: Uint8Array, shape: MessageShape, count = countAny()): DecodedMessage {
  const reader = new CountingReader(bytes, count);
  try {
    return readMessage(reader, bytes.length, shape);
  } catch (error) {
    if (error instanceof BodyError) throw error;
    const detail = messageOf(error);
    throw new BodyError(
      "invalid_body",
      `The body is not a ${shape.name} in protocol buffers: ${detail} at byte ${Math.min(reader.pos, bytes.length)}`,
    );
  }
}

/** A reader that counts the events among what it reads. */
class CountingReader extends BinaryReader {
  readonly count: EventCount;

  constructor(bytes: Uint8Array, count: EventCount) {
    super(bytes);
    this.count = count;
  }
}

function readMessage(reader: CountingReader, end: number, shape: MessageShape): DecodedMessage {
  const message: DecodedMessage = {};
  const { byNumber } = shape;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = byNumber[number];
    if (field === undefined) {
      reader.skip(wireType, number);
      continue;
    }
    const { kind, name } = field;
    if (kind === "attributes" && wireType === WireType.LengthDelimited) {
      message[name] ??= {};
      readKeyValue(reader, readEnd(reader, end), message[name] as DecodedMessage, 0);
    } else if (wireType === wireTypeOf(kind)) {
      if (field.isEvent) reader.count.add();
      else if (typeof kind === "object") reader.count.addPart();
      const value = readValue(reader, end, kind);
      if (!field.isRepeated) message[name] = value;
      else if (message[name] === undefined) message[name] = [value];
      else (message[name] as unknown[]).push(value);
    } else if (field.isRepeated && wireType === WireType.LengthDelimited) {
      message[name] ??= [];
      readPacked(reader, readEnd(reader, end), kind, message[name] as unknown[]);
    } else reader.skip(wireType, number);
  }
  checkEnd(reader, end);
  return message;
}

function wireTypeOf(kind: FieldKind): WireType {
  switch (kind) {
    case "int":
    case "uint64":
    case "sint":
    case "bool":
      return WireType.Varint;
    case "fixed32":
      return WireType.Bit32;
    case "fixed64":
    case "sfixed64":
    case "nanos":
    case "double":
      return WireType.Bit64;
    default:
      return WireType.LengthDelimited;
  }
}

function readValue(reader: CountingReader, end: number, kind: FieldKind): unknown {
  switch (kind) {
    case "text":
      return reader.string();
    case "bytes":
      return readBytes(reader).toString("base64");
    case "hex":
      return readBytes(reader).toString("hex");
    case "int":
      return toInteger(reader.int64());
    case "uint64":
      return toInteger(reader.uint64());
    case "sint":
      return toInteger(reader.sint64());
    case "bool":
      return reader.bool();
    case "fixed32":
      return reader.fixed32();
    case "fixed64":
    case "nanos":
      return toInteger(reader.fixed64());
    case "sfixed64":
      return toInteger(reader.sfixed64());
    case "double":
      return reader.double();
    case "any":
      return readAny(reader, readEnd(reader, end), 0);
    case "attributes":
      throw new Error("attributes are read entry by entry");
    default:
      return readMessage(reader, readEnd(reader, end), kind);
  }
}

function readPacked(reader: CountingReader, end: number, kind: FieldKind, values: unknown[]): void {
  while (reader.pos < end) values.push(readValue(reader, end, kind));
  checkEnd(reader, end);
}

/** OTLP's AnyValue; undefined where it holds nothing. */
function readAny(reader: BinaryReader, end: number, depth: number): unknown {
  if (depth > maxValueDepth) {
    reader.pos = end;
    return undefined;
  }
  let value: unknown;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) value = reader.string();
    else if (number === 2 && wireType === WireType.Varint) value = reader.bool();
    else if (number === 3 && wireType === WireType.Varint) value = toInteger(reader.int64());
    else if (number === 4 && wireType === WireType.Bit64) value = toFinite(reader.double());
    else if (number === 5 && wireType === WireType.LengthDelimited)
      value = readArray(reader, readEnd(reader, end), depth);
    else if (number === 6 && wireType === WireType.LengthDelimited) {
      value = {};
      readKeyValues(reader, readEnd(reader, end), value as DecodedMessage, depth);
    } else if (number === 7 && wireType === WireType.LengthDelimited) value = readBytes(reader).toString("base64");
    else reader.skip(wireType, number);
  }
  checkEnd(reader, end);
  return value;
}

function readArray(reader: BinaryReader, end: number, depth: number): unknown[] {
  const values: unknown[] = [];
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) {
      values.push(readAny(reader, readEnd(reader, end), depth + 1));
    } else reader.skip(wireType, number);
  }
  checkEnd(reader, end);
  return values;
}

function readKeyValues(reader: BinaryReader, end: number, into: DecodedMessage, depth: number): void {
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) {
      readKeyValue(reader, readEnd(reader, end), into, depth);
    } else reader.skip(wireType, number);
  }
  checkEnd(reader, end);
}

function readKeyValue(reader: BinaryReader, end: number, into: DecodedMessage, depth: number): void {
  let key = "";
  let value: unknown;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) key = reader.string();
    else if (number === 2 && wireType === WireType.LengthDelimited) {
      value = readAny(reader, readEnd(reader, end), depth + 1);
    } else reader.skip(wireType, number);
  }
  checkEnd(reader, end);
  if (value !== undefined) setField(into, key, value);
}

/**
 * The end of the part whose length comes next. A length is not trusted before it was checked against the enclosing
 * part.
 */
function readEnd(reader: BinaryReader, outerEnd: number): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > outerEnd) throw new Error("a length that goes beyond its message");
  return end;
}

function checkEnd(reader: BinaryReader, end: number): void {
  if (reader.pos !== end) throw new Error("a field that goes beyond its message");
}

function readBytes(reader: BinaryReader): Buffer {
  const { buffer, byteOffset, byteLength } = reader.bytes();
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** A number where it is exact, else a bigint. */
function toInteger(value: bigint | string): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

/** JSON has no infinities: they are kept as texts. */
export function toFinite(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
