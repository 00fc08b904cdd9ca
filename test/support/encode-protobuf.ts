import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { FieldKind, MessageShape } from "../../src/ingest/protocols/message-shape.ts";

type JsonObject = { readonly [field: string]: unknown };

/**
 * A message of this shape in the binary form of protocol buffers, out of its JSON form. Lists of numbers are packed.
 */
export function encodeProtobuf(shape: MessageShape, message: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  for (const { number, name, kind, isRepeated } of shape.fields) {
    const value = message[name];
    if (value === undefined) continue;
    if (kind === "attributes") for (const item of value as JsonObject[]) writeBytes(writer, number, keyValue(item));
    else if (isRepeated && typeof kind === "string") {
      const packed = new BinaryWriter();
      for (const item of value as unknown[]) writeScalar(packed, kind, item);
      writeBytes(writer, number, packed.finish());
    } else for (const item of isRepeated ? (value as unknown[]) : [value]) writeField(writer, number, kind, item);
  }
  return writer.finish();
}

function writeBytes(writer: BinaryWriter, number: number, bytes: Uint8Array): void {
  writer.tag(number, WireType.LengthDelimited).bytes(bytes);
}

function writeField(writer: BinaryWriter, number: number, kind: FieldKind, value: unknown): void {
  if (typeof kind !== "string") writeBytes(writer, number, encodeProtobuf(kind, value as JsonObject));
  else if (kind === "any") writeBytes(writer, number, anyValue(value as JsonObject));
  else if (kind === "hex") writeBytes(writer, number, Buffer.from(String(value), "hex"));
  else if (kind === "bytes") writeBytes(writer, number, Buffer.from(String(value), "base64"));
  else if (kind === "text") writer.tag(number, WireType.LengthDelimited).string(String(value));
  else if (kind === "int" || kind === "uint64" || kind === "sint" || kind === "bool") {
    writeScalar(writer.tag(number, WireType.Varint), kind, value);
  } else writeScalar(writer.tag(number, kind === "fixed32" ? WireType.Bit32 : WireType.Bit64), kind, value);
}

function writeScalar(writer: BinaryWriter, kind: string, value: unknown): BinaryWriter {
  switch (kind) {
    case "int":
      return writer.int64(String(value));
    case "uint64":
      return writer.uint64(String(value));
    case "sint":
      return writer.sint64(String(value));
    case "bool":
      return writer.bool(value === true);
    case "fixed32":
      return writer.fixed32(Number(value));
    case "double":
      return writer.double(Number(value));
    case "sfixed64":
      return writer.sfixed64(String(value));
    default:
      return writer.fixed64(String(value));
  }
}

function keyValue({ key, value }: JsonObject): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(String(key));
  if (value !== undefined) writeBytes(writer, 2, anyValue(value as JsonObject));
  return writer.finish();
}

function anyValue(value: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (stringValue !== undefined) writer.tag(1, WireType.LengthDelimited).string(String(stringValue));
  if (boolValue !== undefined) writer.tag(2, WireType.Varint).bool(boolValue === true);
  if (intValue !== undefined) writer.tag(3, WireType.Varint).int64(String(intValue));
  if (doubleValue !== undefined) writer.tag(4, WireType.Bit64).double(Number(doubleValue));
  if (arrayValue !== undefined) {
    const list = new BinaryWriter();
    for (const item of (arrayValue as { values: JsonObject[] }).values) writeBytes(list, 1, anyValue(item));
    writeBytes(writer, 5, list.finish());
  }
  if (kvlistValue !== undefined) {
    const list = new BinaryWriter();
    for (const item of (kvlistValue as { values: JsonObject[] }).values) writeBytes(list, 1, keyValue(item));
    writeBytes(writer, 6, list.finish());
  }
  if (bytesValue !== undefined) writeBytes(writer, 7, Buffer.from(String(bytesValue), "base64"));
  return writer.finish();
}
