import { describe, expect, it } from "vitest";
import { canonicalJson, parseJson } from "./json-parser.ts";
import { findJson, parseJsonPath, toJsonPointer } from "./json-path.ts";
import { formatJson, formatJsonDouble } from "./json-value.ts";

describe("canonicalJson", () => {
  it("sorts members by their UTF-8 bytes and drops white space", () => {
    expect(canonicalJson(' {"b": 1, "a" : [ 1 , {"z":null,"y":true} ], "B":2}')).toBe(
      '{"B":2,"a":[1,{"y":true,"z":null}],"b":1}',
    );
    expect(canonicalJson('{"😀":1,"\\uffee":2}')).toBe('{"\uffee":2,"😀":1}');
  });

  it("takes the first of several members of one name", () => {
    expect(canonicalJson('{"key":1,"key":2}')).toBe('{"key":1}');
  });

  it("preserves signed and unsigned 64-bit integers, and writes other numbers as doubles", () => {
    expect(canonicalJson("[-9223372036854775808,18446744073709551615,9007199254740993]")).toBe(
      "[-9223372036854775808,18446744073709551615,9007199254740993]",
    );
    expect(canonicalJson("[1.0,2.50,1e2,1E-7,1e20,0.1,-0,-0.0]")).toBe("[1.0,2.5,100.0,1e-07,1e+20,0.1,0,-0.0]");
  });

  it("rejects a number that would lose precision, unless told to round it", () => {
    expect(() => canonicalJson('{"id":922337203685477580701}')).toThrow("loss of precision: 922337203685477580701");
    expect(canonicalJson('{"id":922337203685477580701}', "round")).toBe('{"id":9.223372036854776e+20}');
    expect(() => canonicalJson("1e400", "round")).toThrow("out of range");
  });

  it("unescapes characters that need no escape, and escapes control characters", () => {
    expect(canonicalJson('"\\u00e9\\/\\u0001\\n\\ud83d\\ude00"')).toBe('"é/\\u0001\\n😀"');
  });

  it.each([
    ["", "unexpected end of input"],
    ["{", "unexpected end of input"],
    ['{"a":1', "unexpected end of input"],
    ["[1,]", "character 4"],
    ["{a:1}", "character 2"],
    ["01", "character 2"],
    ["nul", "expected a value"],
    ["NaN", "expected a value"],
    ["1 2", "expected the end"],
    ['"\n"', "invalid string"],
    ['"\\ud800"', "surrogate"],
  ])("rejects %j", (text, message) => {
    expect(() => canonicalJson(text)).toThrow(message);
  });

  it("rejects nesting beyond 500 levels instead of overflowing the stack", () => {
    expect(canonicalJson(`${"[".repeat(500)}${"]".repeat(500)}`)).toHaveLength(1000);
    expect(() => canonicalJson("[".repeat(100_000))).toThrow("nested deeper");
  });

  it("reads a string of a million characters", () => {
    const text = JSON.stringify("a\\\n".repeat(300_000));
    expect(canonicalJson(text)).toBe(text);
  });
});

describe("formatJsonDouble", () => {
  it.each([
    [0, "0.0"],
    [123456789012345, "123456789012345.0"],
    [1e15, "1e+15"],
    [0.0001, "0.0001"],
    [0.00001234, "1.234e-05"],
    [-1.5e300, "-1.5e+300"],
    [5e-324, "5e-324"],
  ])("writes %d as %s", (value, text) => {
    expect(formatJsonDouble(value)).toBe(text);
  });
});

describe("parseJsonPath", () => {
  it("reads each of the two quoting styles for its own functions only", () => {
    const keys = (path: string, style: "standard" | "legacy") => parseJsonPath(path, style).map((step) => step.key);
    expect(keys("$", "standard")).toEqual([]);
    expect(keys('$.a."b.c"[0].d-e', "standard")).toEqual(["a", "b.c", "0", "d-e"]);
    expect(keys("$['a.b'].c[1][key].", "legacy")).toEqual(["a.b", "c", "1", "key"]);
    expect(keys('$."a\\"b"', "standard")).toEqual(['a"b']);
    expect(keys("$['it\\'s']", "legacy")).toEqual(["it's"]);
  });

  it.each([
    ["a", "standard", "must start with '$'"],
    ["$.", "standard", "Invalid token in JSONPath at: ."],
    ["$['a']", "standard", "Invalid token"],
    ['$."a"', "legacy", "Invalid token"],
    ["$.a[*]", "standard", "Unsupported operator in JSONPath: *"],
    ["$..a", "legacy", "Unsupported operator in JSONPath: .."],
    ["$[key]", "standard", "Invalid token in JSONPath at: [key]"],
  ] as const)("rejects %s for the %s functions", (path, style, message) => {
    expect(() => parseJsonPath(path, style)).toThrow(message);
  });

  it("reads a number as a member of an object and as an index of an array", () => {
    const find = (json: string, path: string) => {
      const found = findJson(parseJson(json), parseJsonPath(path, "standard"));
      return found === undefined ? undefined : formatJson(found);
    };
    expect(find('{"a":{"0":5}}', "$.a[0]")).toBe("5");
    expect(find("[7,8]", "$.1")).toBe("8");
    expect(find("[7,8]", "$[2]")).toBeUndefined();
    expect(find('{"a":1}', "$.a.b")).toBeUndefined();
  });

  it("gives a path that converts to a JSON Pointer", () => {
    expect(toJsonPointer(parseJsonPath('$.a."b/c~d"[0]', "standard"))).toBe("/a/b~1c~0d/0");
  });
});
