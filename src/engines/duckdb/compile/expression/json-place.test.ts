import { describe, expect, it } from "vitest";
import { printSql } from "../../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import { arrayOf, INT64, type RecordField, type RecordType, STRING } from "../../../../googlesql/types.ts";
import { storedColumnOf } from "../../sql/atoms.ts";
import { fieldAt, fieldSteps, isRecordType, type JsonStep, readPlace } from "./json-place.ts";

const record = (fields: readonly RecordField[], isOpen = false): RecordType => {
  return { kind: "RECORD", fields, isRepeated: false, isOpen };
};
const spellings = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);

const text = storedColumnOf("t", "j");
const read = (...steps: readonly JsonStep[]) => printSql(readPlace({ text, steps }, "json_extract_string"));
const keyed = (of: string, name: string) =>
  `'/' || list_any_value(list_filter(json_keys(${of}), lambda lw_key: lower(lw_key) = '${name}'))`;

describe("a place in JSON", () => {
  it("is read by one pointer where every step has one name", () => {
    expect(read()).toBe(`json_extract_string(t."j", '')`);
    expect(read(0)).toBe(`json_extract_string(t."j", '/0')`);
    expect(read(["a"], 0, ["b"])).toBe(`json_extract_string(t."j", '/a/0/b')`);
  });

  it("escapes what has a meaning in a pointer", () => {
    expect(read(["a~b"], ["c/d"], ["~/~/"])).toBe(`json_extract_string(t."j", '/a~0b/c~1d/~0~1~0~1')`);
  });

  it("is read by every combination of up to eight, at once", () => {
    const ways = "'/a/x', '/a/y', '/b/x', '/b/y'";
    expect(read(["a", "b"], ["x", "y"])).toBe(`list_any_value(json_extract_string(t."j", [${ways}]))`);
    expect(read(["a", "b"], spellings(4)).match(/json_extract/g)).toHaveLength(1);
  });

  it("is read in parts where there are more", () => {
    const first = `list_any_value(json_extract(t."j", ['/a', '/b', '/c']))`;
    expect(read(["a", "b", "c"], ["x", "y", "z"], 0)).toBe(
      `list_any_value(json_extract_string(${first}, ['/x/0', '/y/0', '/z/0']))`,
    );
  });

  it("finds a name in any case among the keys, as the last step and between others", () => {
    expect(read({ anyCase: "Ab" })).toBe(`(json_extract_string(t."j", ${keyed('t."j"', "ab")}))`);
    const element = `json_extract(t."j", '/0')`;
    const member = `list_transform([{'a0': ${element}}], lambda lw_member: READ(lw_member.a0, ${keyed("lw_member.a0", "ab")}))[1]`;
    expect(read(0, { anyCase: "Ab" })).toBe(member.replace("READ", "json_extract_string"));
    expect(read(0, { anyCase: "Ab" }, 0, ["c"])).toBe(
      `json_extract_string(${member.replace("READ", "json_extract")}, '/0/c')`,
    );
  });
});

describe("the steps to a field", () => {
  const inner = record([{ name: "x", type: STRING, names: ["x", "X"] }], true);
  const type = record([
    { name: "a", type: arrayOf(inner), names: ["a", "A"] },
    { name: "b", type: { kind: "MIXED", record: record([{ name: "c", type: INT64 }]) } },
    { name: "eight", type: INT64, names: spellings(8) },
    { name: "nine", type: INT64, names: spellings(9) },
    { name: "scalar", type: INT64 },
  ]);

  it("enter the array that a record stands in, but for the first", () => {
    expect(fieldSteps(type, ["b", "c"])).toEqual([["b"], 0, ["c"]]);
    expect(fieldSteps(arrayOf(type), ["b", "c"])).toEqual([0, ["b"], 0, ["c"]]);
    expect(fieldSteps(type, [])).toEqual([]);
  });

  it("go to all spellings, and to any in a record with fields that are not listed or with more than eight", () => {
    expect(fieldSteps(type, ["a", "x"])).toEqual([["a", "A"], 0, { anyCase: "x" }]);
    expect(fieldSteps(type, ["eight"])).toEqual([spellings(8)]);
    expect(fieldSteps(type, ["nine"])).toEqual([{ anyCase: "nine" }]);
  });

  it("go by the name below what is not listed or no record", () => {
    expect(fieldSteps(type, ["none", "x"])).toEqual([["none"], 0, ["x"]]);
    expect(fieldSteps(type, ["scalar", "x"])).toEqual([["scalar"], 0, ["x"]]);
  });

  it("lead to the field as it is listed", () => {
    expect(fieldAt(type, ["a", "x"])).toBe(inner.fields[0]);
    expect(fieldAt(arrayOf(type), ["scalar"])).toBe(type.fields[4]);
    expect([["none"], ["none", "x"], ["scalar", "x"], []].map((path) => fieldAt(type, path))).toEqual(
      Array.from({ length: 4 }),
    );
  });

  it("are those of records, alone and in an array", () => {
    expect([type, arrayOf(type), INT64, arrayOf(INT64)].map(isRecordType)).toEqual([true, true, false, false]);
  });
});
