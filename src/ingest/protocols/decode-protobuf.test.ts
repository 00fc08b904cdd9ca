import { inspect } from "node:util";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, it } from "vitest";
import { encodeProtobuf } from "../../../test/support/encode-protobuf.ts";
import { decodeJsonMessage } from "./decode-json-message.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { type FieldKind, maxValueDepth, shapeOf } from "./message-shape.ts";

const largest = (2n ** 64n - 1n).toString();
const [highest, lowest] = [(2n ** 63n - 1n).toString(), (-(2n ** 63n)).toString()];
const inner = shapeOf("Inner", [[1, "n", "int"]]);

const values: readonly (readonly [FieldKind, readonly unknown[]])[] = [
  ["text", ["", "é😀"]],
  ["bytes", ["", "AQID"]],
  ["hex", ["", "00ff"]],
  ["int", [0, -1, highest, lowest]],
  ["uint64", [0, largest]],
  ["sint", [0, -1, highest, lowest]],
  ["bool", [false, true]],
  ["fixed32", [0, 4_294_967_295]],
  ["fixed64", [0, largest]],
  ["sfixed64", [0, -1, highest, lowest]],
  ["nanos", [0, largest]],
  ["double", [0, -0.5, 1e300]],
  [inner, [{}, { n: 3 }]],
];

describe("a message in protocol buffers", () => {
  it.each(values)("holds values of the kind %j as its JSON form does, one and many", (kind, all) => {
    const one = shapeOf("One", [[15, "field", kind]]);
    for (const field of all) {
      expect(decodeProtobuf(encodeProtobuf(one, { field }), one)).toStrictEqual(decodeJsonMessage({ field }, one));
    }
    const isNumber = typeof kind === "string" && !["text", "bytes", "hex"].includes(kind);
    if (typeof kind === "string" && !isNumber) return;
    const many = shapeOf("Many", [[16, "field", kind, "repeated"]]);
    expect(decodeProtobuf(encodeProtobuf(many, { field: all }), many)).toStrictEqual(
      decodeJsonMessage({ field: all }, many),
    );
  });

  it("may have its lists of numbers unpacked, or in several pieces", () => {
    const shape = shapeOf("List", [[1, "numbers", "int", "repeated"]]);
    const unpacked = new BinaryWriter().tag(1, WireType.Varint).int64(1).tag(1, WireType.Varint).int64(2);
    expect(decodeProtobuf(unpacked.finish(), shape)).toEqual({ numbers: [1, 2] });
    const piece = encodeProtobuf(shape, { numbers: [3, 4] });
    expect(decodeProtobuf(Buffer.concat([piece, piece]), shape)).toEqual({ numbers: [3, 4, 3, 4] });
  });

  it("has the last of several values, and neither unknown fields nor those of another wire type", () => {
    const shape = shapeOf("Few", [
      [1, "n", "int"],
      [2, "text", "text"],
      [3, "all", "attributes"],
    ]);
    const writer = new BinaryWriter().tag(1, WireType.Varint).int64(1).tag(1, WireType.Varint).int64(2);
    writer.tag(1, WireType.Bit32).fixed32(7).tag(2, WireType.Varint).int64(7).tag(3, WireType.Varint).int64(7);
    writer.tag(9, WireType.LengthDelimited).string("new").tag(2, WireType.LengthDelimited).string("x");
    expect(decodeProtobuf(writer.finish(), shape)).toStrictEqual({ n: 2, text: "x" });
  });

  it("skips what it does not know in values and their entries", () => {
    const any = new BinaryWriter().tag(8, WireType.Varint).int64(1).tag(3, WireType.Varint).int64(5);
    for (const wrong of [1, 4, 5, 6, 7]) any.tag(wrong, WireType.Varint).int64(9);
    any.tag(2, WireType.Bit32).fixed32(9).tag(3, WireType.Bit32).fixed32(9);
    const entry = new BinaryWriter().tag(3, WireType.Varint).int64(1).tag(1, WireType.LengthDelimited).string("k");
    entry.tag(1, WireType.Varint).int64(1).tag(2, WireType.Varint).int64(1);
    entry.tag(2, WireType.LengthDelimited).bytes(any.finish());
    const list = new BinaryWriter().tag(1, WireType.Varint).int64(1).tag(2, WireType.LengthDelimited).string("?");
    const map = new BinaryWriter().tag(1, WireType.Varint).int64(1).tag(2, WireType.LengthDelimited).string("?");
    map.tag(1, WireType.LengthDelimited).bytes(entry.finish());
    list
      .tag(1, WireType.LengthDelimited)
      .bytes(new BinaryWriter().tag(6, WireType.LengthDelimited).bytes(map.finish()).finish());
    const body = new BinaryWriter().tag(5, WireType.LengthDelimited).bytes(list.finish()).finish();
    const shape = shapeOf("Body", [[1, "body", "any"]]);
    const message = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(body).finish();
    expect(decodeProtobuf(message, shape)).toStrictEqual({ body: [{ k: 5 }] });
  });

  it.each<[string, (value: object) => object]>([
    ["lists", (value) => ({ arrayValue: { values: [value] } })],
    ["maps", (value) => ({ kvlistValue: { values: [{ key: "k", value }] } })],
  ])("is read to 100 levels of %s, and whole behind what is nested deeper", (_, wrap) => {
    const shape = shapeOf("Body", [
      [1, "body", "any"],
      [2, "all", "attributes"],
      [3, "behind", "text"],
    ]);
    const nested = (levels: number) => {
      let value: object = { boolValue: true };
      for (let level = 0; level < levels; level++) value = wrap(value);
      return value;
    };
    const isWhole = (value: object) => {
      const message = decodeProtobuf(encodeProtobuf(shape, { ...value, behind: "behind" }), shape);
      expect(message.behind).toBe("behind");
      return inspect(message, { depth: 1_000 }).includes("true");
    };
    expect(isWhole({ body: nested(maxValueDepth) })).toBe(true);
    expect(isWhole({ body: nested(maxValueDepth + 1) })).toBe(false);
    expect(isWhole({ all: [{ key: "a", value: nested(maxValueDepth - 1) }] })).toBe(true);
    expect(isWhole({ all: [{ key: "a", value: nested(maxValueDepth) }] })).toBe(false);
  });

  it.each([
    ["0a05", "a length that goes beyond its message at byte 2"],
    ["0a020805", undefined],
    ["0a010801", "a field that goes beyond its message at byte 4"],
    ["ff", /at byte 1$/],
  ])("of the bytes %s is read, or refused with where it broke: %s", (hex, message) => {
    const shape = shapeOf("Outer", [[1, "inner", inner]]);
    const read = () => decodeProtobuf(Buffer.from(hex, "hex"), shape);
    if (message === undefined) expect(read()).toEqual({ inner: { n: 5 } });
    else expect(read).toThrow(message);
  });
});
