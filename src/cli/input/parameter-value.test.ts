import { describe, expect, it } from "vitest";
import { formatType } from "../../googlesql/types.ts";
import { parseJson } from "../output/json.ts";
import { inferParameter } from "./parameter-value.ts";

function infer(json: string): readonly [string, unknown] | undefined {
  const parameter = inferParameter(parseJson(json));
  if (parameter === undefined) return undefined;
  return [parameter.type.kind === "UNKNOWN" ? "UNKNOWN" : formatType(parameter.type), parameter.value];
}

describe("the type inferred from the JSON value", () => {
  it.each([
    ['"x"', "STRING", "x"],
    ["true", "BOOL", true],
    ["5", "INT64", "5"],
    ["-9223372036854775808", "INT64", "-9223372036854775808"],
    ["9223372036854775808", "NUMERIC", "9223372036854775808"],
    ["5.0", "FLOAT64", "5"],
    ["1e3", "FLOAT64", "1000"],
    ["-0.0", "FLOAT64", "-0"],
    ["null", "UNKNOWN", null],
    ["[]", "ARRAY<INT64>", []],
    ["[null]", "ARRAY<INT64>", [null]],
    ["[1,null]", "ARRAY<INT64>", ["1", null]],
    ["[1,2.5]", "ARRAY<FLOAT64>", ["1", "2.5"]],
    ['["a","b"]', "ARRAY<STRING>", ["a", "b"]],
    ['{"a":1,"b":null}', "STRUCT<a INT64, b STRING>", ["1", null]],
    ['[{"a":1},{"a":2}]', "ARRAY<STRUCT<a INT64>>", [["1"], ["2"]]],
    ['{"type":"date","value":"2026-01-02"}', "DATE", "2026-01-02"],
    ['{"type":"NUMERIC","value":1.5}', "NUMERIC", "1.5"],
    ['{"type":"timestamp","value":"2026-01-01T01:00:00+01:00"}', "TIMESTAMP", "1767225600000000"],
    ['{"type":"TIMESTAMP","value":1767225600000000}', "TIMESTAMP", "1767225600000000"],
    ['{"type":"ARRAY<DATE>","value":["2026-01-02",null]}', "ARRAY<DATE>", ["2026-01-02", null]],
    ['{"type":"STRUCT<a INT64, ARRAY<BOOL>>","value":[1,[true]]}', "STRUCT<a INT64, ARRAY<BOOL>>", ["1", [true]]],
    ['{"type":"RANGE<DATE>","value":["2026-01-02",null]}', "RANGE<DATE>", ["2026-01-02", null]],
    ['{"type":"ARRAY<INT64>","value":null}', "ARRAY<INT64>", null],
    ['{"type":"INT64) AS x --","value":1}', "STRUCT<type STRING, value INT64>", ["INT64) AS x --", "1"]],
    ['{"type":"x","value":1}', "STRUCT<type STRING, value INT64>", ["x", "1"]],
  ])("%s is %s", (json, type, value) => {
    expect(infer(json)).toEqual([type, value]);
  });

  it.each([
    '[1,"a"]',
    "[[1],true]",
    '{"a":[1,"a"]}',
    '{"type":"DATE","value":[1]}',
    '{"type":"ARRAY<DATE>","value":[[1]]}',
  ])("%s is undefined", (json) => {
    expect(infer(json)).toBeUndefined();
  });
});
