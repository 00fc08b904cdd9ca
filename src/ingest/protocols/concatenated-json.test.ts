import { describe, expect, it } from "vitest";
import { readConcatenatedJson } from "./concatenated-json.ts";

describe("concatenated JSON", () => {
  it.each<[string, readonly unknown[]]>([
    ["", []],
    [" \n", []],
    ['{"a":1}{"b":{"c":[2]}}\n {"d":3}', [{ a: 1 }, { b: { c: [2] } }, { d: 3 }]],
    [' \n[1,{"a":[2]}] ', [1, { a: [2] }]],
    ["[]", []],
    ['{"a":1} 5', [{ a: 1 }, 5]],
    ['{"}":"]"} {"a":"\\"}"}{"b":"\\\\"}', [{ "}": "]" }, { a: '"}' }, { b: "\\" }]],
  ])("of %j is read", (text, values) => {
    expect(readConcatenatedJson(text)).toEqual(values);
  });

  it.each([
    ["[1", 0],
    ["[1]]", 0],
    ['{"a":1}{"b":}', 1],
    ['{"a":1} x', 1],
    ['{"a":1}{"b":1', 1],
    ["}", 0],
  ])("of %j is refused with the place of the invalid value", (text, index) => {
    expect(() => readConcatenatedJson(text)).toThrow(
      expect.objectContaining({
        name: "BodyError",
        code: "invalid_body",
        index,
        message: expect.stringMatching(new RegExp(`^Value ${index} is not valid JSON: .{5,200}$`)),
      }),
    );
  });
});
