import { describe, expect, it } from "vitest";
import { compactText, elementSpans, findSpan, scalarText } from "./find-json.ts";
import { parseJsonPath } from "./json-path.ts";

function find(text: string, path: string): string | undefined {
  const span = findSpan(text, parseJsonPath(path, "standard"));
  return span === undefined ? undefined : text.slice(span.start, span.end);
}

describe("findSpan", () => {
  it("returns members and elements in their original form", () => {
    const text = ' { "a" : { "b" : [ 1.50 , "x\\n" ] } , "a" : 2 } ';
    expect(find(text, "$.a.b")).toBe('[ 1.50 , "x\\n" ]');
    expect(find(text, "$.a.b[1]")).toBe('"x\\n"');
    expect(find(text, "$.a.b[2]")).toBeUndefined();
    expect(find(text, "$.c")).toBeUndefined();
    expect(find(text, "$.a.b.c")).toBeUndefined();
  });

  it("unescapes member names before comparing them", () => {
    expect(find('{"\\u0061":1}', "$.a")).toBe("1");
  });

  it("reads no further than the value it searches for", () => {
    expect(find('{"hello": "world"', "$.hello")).toBe('"world"');
    expect(find('{"a": 1, "b": oops', "$.a")).toBe("1");
    expect(find('{"a": oops, "b": 1}', "$.b")).toBeUndefined();
    expect(find('{"a": [1, 2', "$.a")).toBeUndefined();
    expect(find("", "$")).toBeUndefined();
  });

  it("treats very deep nesting as malformed instead of overflowing the stack", () => {
    expect(find(`{"a":${"[".repeat(100_000)}`, "$.a")).toBeUndefined();
  });
});

describe("the readers of a JSON span", () => {
  const whole = (text: string) => ({ start: 0, end: text.length });

  it("drop white space and escape strings canonically", () => {
    const text = '{ "a b" : [ 1 , "\\u00e9 \\/" ] }';
    expect(compactText(text, whole(text))).toBe('{"a b":[1,"é /"]}');
  });

  it("distinguish scalars from null and containers", () => {
    for (const [text, value] of [
      ['"x\\ty"', "x\ty"],
      ["-1.50", "-1.50"],
      ["true", "true"],
      ["null", undefined],
      ["[1]", undefined],
      ["{}", undefined],
    ] as const) {
      expect(scalarText(text, whole(text))).toBe(value);
    }
  });

  it("split arrays into elements", () => {
    const text = '[1, {"a": [2]}, "x,y"]';
    const spans = elementSpans(text, whole(text));
    expect(spans?.map(({ start, end }) => text.slice(start, end))).toEqual(["1", '{"a": [2]}', '"x,y"']);
    expect(elementSpans("{}", whole("{}"))).toBeUndefined();
  });
});
