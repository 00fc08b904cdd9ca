import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { decodeJsonMessage } from "./decode-json-message.ts";
import { type FieldKind, maxValueDepth, shapeOf } from "./message-shape.ts";

const read = (kind: FieldKind, theField: unknown) =>
  decodeJsonMessage({ theField }, shapeOf("Message", [[1, "theField", kind]])).theField;
const readList = (kind: FieldKind, theField: unknown) =>
  decodeJsonMessage({ theField }, shapeOf("Message", [[1, "theField", kind, "repeated"]])).theField;
const readAny = (value: unknown) => read("any", value);

describe("a field of a message in JSON", () => {
  it.each<[FieldKind, unknown, unknown]>([
    ["text", "x", "x"],
    ["bytes", "AQID", "AQID"],
    ["hex", "0aFF", "0aff"],
    ["hex", "W47/95gDgQPSabYzgT/GDA==", "5b8efff798038103d269b633813fc60c"],
    ["hex", "7uGbfsPBsXQ=", "eee19b7ec3c1b174"],
    ["hex", "W47/", "W47/"],
    ["hex", "-W47/95gDgQPSabYzgT/GDA==", "-W47/95gDgQPSabYzgT/GDA=="],
    ["hex", "W47/95gDgQPSabYzgT/GDA==-", "W47/95gDgQPSabYzgT/GDA==-"],
    ["bool", false, false],
    ["int", "KIND_2", "KIND_2"],
    ["int", -3, -3],
    ["uint64", "9007199254740991", 9007199254740991],
    ["uint64", "9007199254740993", 9007199254740993n],
    ["fixed64", 9007199254740993n, 9007199254740993n],
    ["sfixed64", "-12", -12],
    ["fixed32", "7", 7],
    ["sint", "-0", -0],
    ["nanos", "1544712660300000123", 1544712660300000123n],
    ["nanos", "soon", "soon"],
    ["nanos", 1.5, 1.5],
    ["nanos", "x12", "x12"],
    ["nanos", "12x", "12x"],
    ["nanos", "1".repeat(21), "1".repeat(21)],
    ["double", 0.5, 0.5],
    ["double", 9007199254740993n, 9007199254740992],
    ["double", "-0.25", -0.25],
    ["double", "NaN", Number.NaN],
    ["double", "Infinity", Number.POSITIVE_INFINITY],
  ])("of the kind %s is read from %s", (kind, sent, expected) => {
    expect(read(kind, sent)).toEqual(expected);
  });

  it.each<[FieldKind, unknown, string]>([
    ["text", 1, "a text, not a number"],
    ["bytes", ["AQID"], "a text, not a list"],
    ["hex", 16, "a text, not a number"],
    ["bool", "true", "true or false, not a string"],
    ["int", "kind", "an integer, not a string"],
    ["int", "1A", "an integer, not a string"],
    ["int", "A-1", "an integer, not a string"],
    ["sint", 1.5, "an integer, not a number"],
    ["uint64", "", "an integer, not a string"],
    ["double", "", "a number, not a string"],
    ["double", " ", "a number, not a string"],
    ["double", "five", "a number, not a string"],
    ["double", true, "a number, not a boolean"],
    ["any", "x", "an object, not a string"],
    ["any", [], "an object, not a list"],
    ["attributes", {}, "a list, not an object"],
  ])("of the kind %s is refused for %j", (kind, sent, what) => {
    expect(() => read(kind, sent)).toThrow(`Message.theField must be ${what}`);
  });

  it("may have its name as it is in the definition, is absent for null, and ignored where nobody knows it", () => {
    const shape = shapeOf("Message", [
      [1, "theField", "text"],
      [2, "other", "text"],
    ]);
    expect(decodeJsonMessage({ the_field: "a", other: null, more: 1 }, shape)).toStrictEqual({ theField: "a" });
    expect(decodeJsonMessage({ theField: "", the_field: "a" }, shape)).toStrictEqual({ theField: "" });
    expect(() => decodeJsonMessage(null, shape)).toThrow("Message must be an object, not null");
  });

  it("may be a list, whose items are named in problems by their places", () => {
    expect(readList("int", ["1", 2])).toEqual([1, 2]);
    expect(() => readList("int", ["1", true])).toThrow("Message.theField[1] must be an integer, not a boolean");
    expect(() => readList("int", 1)).toThrow("Message.theField must be a list, not a number");
    expect(() => readList("int", [null])).toThrow("Message.theField[0] must be an integer, not null");
  });
});

describe("a value of any type in JSON", () => {
  it.each([
    [{}, undefined],
    [{ string_value: "" }, ""],
    [{ boolValue: false }, false],
    [{ int_value: "9007199254740993" }, 9007199254740993n],
    [{ doubleValue: "NaN" }, "NaN"],
    [{ doubleValue: "-Infinity" }, "-Infinity"],
    [{ bytes_value: "AQ==" }, "AQ=="],
    [{ arrayValue: {} }, []],
    [{ array_value: { values: [{ intValue: 1 }, {}] } }, [1, undefined]],
    [{ kvlistValue: {} }, {}],
    [
      { kvlist_value: { values: [{ key: "a", value: { intValue: 1 } }, { key: "b" }, { key: "c", value: null }] } },
      { a: 1 },
    ],
    [{ kvlistValue: { values: [{ key: "a", value: {} }] } }, {}],
  ])("is read from %j", (sent, expected) => {
    expect(readAny(sent)).toStrictEqual(expected);
  });

  it.each([
    [{ stringValue: 1 }, "Message.theField.stringValue must be a text, not a number"],
    [{ boolValue: "" }, "Message.theField.boolValue must be true or false, not a string"],
    [{ intValue: 0.5 }, "Message.theField.intValue must be an integer, not a number"],
    [{ doubleValue: "" }, "Message.theField.doubleValue must be a number, not a string"],
    [{ bytesValue: 1 }, "Message.theField.bytesValue must be a text, not a number"],
    [{ arrayValue: { values: 1 } }, "Message.theField must be a list, not a number"],
    [{ kvlistValue: [] }, "Message.theField must be an object, not a list"],
    [{ kvlistValue: { values: [{ key: 7 }] } }, "Message.theField.key must be a text, not a number"],
    [{ kvlistValue: { values: [{}] } }, "Message.theField.key must be a text, not missing"],
  ])("is refused for %j", (sent, message) => {
    expect(() => readAny(sent)).toThrow(message);
  });

  it.each<[string, (value: object) => object]>([
    ["lists", (value) => ({ arrayValue: { values: [value] } })],
    ["maps", (value) => ({ kvlistValue: { values: [{ key: "k", value }] } })],
  ])("is read to 100 levels of %s, and nothing below", (_, wrap) => {
    const nested = (levels: number) => {
      let value: object = { intValue: 77 };
      for (let level = 0; level < levels; level++) value = wrap(value);
      return value;
    };
    const isWhole = (value: unknown) => inspect(value, { depth: 1_000 }).includes("77");
    expect(isWhole(readAny(nested(maxValueDepth)))).toBe(true);
    expect(isWhole(readAny(nested(maxValueDepth + 1)))).toBe(false);
    // The entry of an attribute is a level too.
    expect(isWhole(read("attributes", [{ key: "a", value: nested(maxValueDepth - 1) }]))).toBe(true);
    expect(isWhole(read("attributes", [{ key: "a", value: nested(maxValueDepth) }]))).toBe(false);
  });
});
