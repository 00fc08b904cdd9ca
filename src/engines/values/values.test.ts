import { describe, expect, it } from "vitest";
import {
  arrayOf,
  BOOL,
  DATE,
  INT64,
  JSON_TYPE,
  NUMERIC,
  type SqlType,
  STRING,
  structOf,
} from "../../googlesql/types.ts";
import type { ParameterValue } from "../contract/query-engine.ts";
import { makeValue, type ValueMaker } from "./parameter-value.ts";
import { createValueWriter, float64Json, int64Json, trimDecimal, type ValueReader } from "./value-text.ts";
import { writtenColumns } from "./written-type.ts";

/** The values of a driver that uses JavaScript's own. */
const maker: ValueMaker<unknown> = {
  null: null,
  bool: (value) => value,
  int64: (value) => value,
  float64: (value) => value,
  numeric: (value) => ["numeric", value],
  bignumeric: (value) => ["bignumeric", value],
  bytes: (value) => [...value],
  date: (value) => ["date", value],
  time: (value) => ["time", value],
  datetime: (value) => ["datetime", value],
  timestamp: (value) => ["timestamp", value],
  interval: (value) => value,
  text: (value) => value,
  array: (items) => items,
  struct: (fields) => ({ fields }),
  range: (start, end) => ({ start, end }),
};

const kind = (name: string) => ({ kind: name }) as SqlType;
const pair = structOf([{ name: "x", type: INT64 }, { type: STRING }]);
const record: SqlType = {
  kind: "RECORD",
  fields: [{ name: "a", type: arrayOf(INT64), isDeclared: true }],
  isRepeated: true,
  isOpen: false,
};
const days: SqlType = { kind: "RANGE", element: DATE } as SqlType;

describe("the value of a parameter", () => {
  it.each<[SqlType, ParameterValue, unknown]>([
    [INT64, "-9223372036854775808", -(2n ** 63n)],
    [INT64, "+7", 7n],
    [kind("FLOAT64"), "-inf", Number.NEGATIVE_INFINITY],
    [NUMERIC, "1.5", ["numeric", 1_500_000_000n]],
    [NUMERIC, "-.000000001", ["numeric", -1n]],
    [kind("BIGNUMERIC"), "1", ["bignumeric", 10n ** 38n]],
    [kind("BYTES"), "AP8=", [0, 255]],
    [DATE, "1970-01-02", ["date", 1]],
    [kind("TIME"), "00:00:01", ["time", 1_000_000n]],
    [kind("DATETIME"), "1970-01-01 00:00:01", ["datetime", 1_000_000n]],
    [kind("TIMESTAMP"), "-5", ["timestamp", -5n]],
    [JSON_TYPE, '{"b": 2.50, "a": 1, "b": 3}', '{"a":1,"b":2.5}'],
    [kind("INTERVAL"), "0-1 2 0:0:3", { months: 1, days: 2, micros: 3_000_000n }],
    [STRING, "it's", "it's"],
    [JSON_TYPE, "{}", "{}"],
    [BOOL, "true", true],
    [BOOL, false, false],
    [INT64, null, null],
    [arrayOf(INT64), ["1", null], [1n, null]],
    [pair, ["1", "y"], { fields: [1n, "y"] }],
    [days, ["1970-01-01", null], { start: ["date", 0], end: null }],
  ])("is read for type %j from %j", (type, sent, made) => {
    expect(makeValue(type, sent, maker)).toEqual(made);
  });

  it.each<[SqlType, ParameterValue]>([
    [INT64, "9223372036854775808"],
    [INT64, "1.0"],
    [INT64, true],
    [kind("FLOAT64"), ""],
    [NUMERIC, "0.0000000001"],
    [NUMERIC, "."],
    [DATE, "1970-02-30"],
    [BOOL, "yes"],
    [STRING, ["x"]],
    [arrayOf(INT64), "1"],
    [arrayOf(INT64), ["x"]],
    [pair, ["1"]],
    [days, ["1970-01-01"]],
  ])("is rejected for type %j if it is %j", (type, sent) => {
    expect(() => makeValue(type, sent, maker)).toThrow(expect.objectContaining({ code: "query_failed" }));
  });
});

const reader: ValueReader<unknown> = {
  isNull: (value) => value === null || value === undefined,
  scalar: () => (value) => int64Json(value as bigint),
  text: (value) => value as string,
  items: (value) => value as unknown[],
  fields: (value) => value as unknown[],
  bounds: (value) => value as [unknown, unknown],
  boundText: (_, value) => String(value),
};

describe("the text of a value", () => {
  it.each<[type: SqlType, inObject: string, inCell: string, value: unknown]>([
    [INT64, "9007199254740992", "9007199254740992", 2n ** 53n],
    [INT64, '"-9007199254740993"', '"-9007199254740993"', -(2n ** 53n) - 1n],
    [INT64, "null", "null", null],
    [STRING, '"a\\"b"', '"a\\"b"', 'a"b'],
    [JSON_TYPE, '{"a":1}', '"{\\"a\\":1}"', '{"a":1}'],
    [record, '{"a":[1]}', '"{\\"a\\":[1]}"', '{"a":[1]}'],
    [arrayOf(record), '[{"a":[1]}]', '"[{\\"a\\":[1]}]"', '[{"a":[1]}]'],
    [arrayOf(record), "[]", "null", null],
    [{ kind: "MIXED", record }, '[{"a":[]}]', '"[{\\"a\\":[]}]"', '[{"a":[]}]'],
    [structOf([{ name: "r", type: arrayOf(record) }]), '{"r":[{}]}', '["[{}]"]', ["[{}]"]],
    [arrayOf(INT64), "[1,null]", "[1,null]", [1n, null]],
    [arrayOf(INT64), "[]", "null", null],
    [pair, '{"x":1,"_field_2":"y"}', '[1,"y"]', [1n, "y"]],
    [pair, '{"x":1,"_field_2":null}', "[1,null]", [1n]],
    [days, '"[a, UNBOUNDED)"', '"[a, UNBOUNDED)"', ["a", null]],
  ])("of type %j is %s in an object and %s in a cell", (type, inObject, inCell, value) => {
    const [column] = writtenColumns([{ name: "c", type }]);
    for (const each of [type, column?.type ?? type]) {
      expect(createValueWriter(each, "objects", reader)(value)).toBe(inObject);
      expect(createValueWriter(each, "cells", reader)(value)).toBe(inCell);
    }
  });

  it("is written without the fields of a record, which are thousands at times", () => {
    const types = [arrayOf(record), { kind: "MIXED", record } as const, structOf([{ name: "r", type: record }])];
    const columns = types.map((type) => ({ name: "c", type }));
    expect(JSON.stringify(writtenColumns(columns))).not.toContain("isDeclared");
    expect(writtenColumns(columns)).toBe(writtenColumns(columns));
  });

  it("represents NaN and infinities as strings, and has no trailing zeros in decimals", () => {
    expect([1.5, Number.NaN, Number.POSITIVE_INFINITY].map(float64Json)).toEqual(["1.5", '"NaN"', '"Infinity"']);
    expect(["1.500", "1.000", "-0.0", "100", ".0"].map(trimDecimal)).toEqual(["1.5", "1", "0", "100", "0"]);
  });
});
