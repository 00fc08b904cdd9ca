import { describe, expect, it } from "vitest";
import { ServiceError } from "../../../shared/errors.ts";
import type { ParameterDefinition, ParameterType } from "../../definition/definition.ts";
import { parseParameterValue } from "../../definition/parameter-value.ts";
import { bindParameters, parseLimit } from "./parameters.ts";

const declare = (name: string, type: ParameterType, more: Partial<ParameterDefinition> = {}): ParameterDefinition => ({
  name,
  type,
  isRequired: false,
  allowed: undefined,
  default: null,
  description: undefined,
  ...more,
});

function refusal(action: () => unknown): ServiceError {
  try {
    action();
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error("was not refused");
}

describe("a parameter value", () => {
  it.each<[ParameterType, unknown, unknown]>([
    ["string", "", ""],
    ["string", "a'b", "a'b"],
    ["string", 5, "5"],
    ["int64", "007", "7"],
    ["int64", "-9223372036854775808", "-9223372036854775808"],
    ["int64", "9223372036854775807", "9223372036854775807"],
    ["int64", 12, "12"],
    ["float64", "1e3", "1000"],
    ["float64", "-.5", "-0.5"],
    ["float64", "-0.0", "-0"],
    ["float64", -0, "-0"],
    ["bool", "TRUE", true],
    ["bool", false, false],
    ["date", "2026-08-20", "2026-08-20"],
    ["timestamp", "2026-08-20", "1787184000000000"],
    ["timestamp", "2026-08-20T09:00:00", "1787216400000000"],
    ["timestamp", "2026-08-20T09:00:00.000001+02:00", "1787209200000001"],
  ])("of type %s reads %j as %j", (type, raw, expected) => {
    expect(parseParameterValue(type, raw)).toBe(expected);
  });

  it.each<[ParameterType, unknown]>([
    ["string", ["a"]],
    ["string", { a: 1 }],
    ["int64", "9223372036854775808"],
    ["int64", "1.0"],
    ["int64", 1.5],
    ["int64", 2 ** 53],
    ["int64", "0x10"],
    ["float64", "NaN"],
    ["float64", "1e999"],
    ["float64", "one"],
    ["bool", "1"],
    ["date", "2026-02-30"],
    ["date", "2026-08-20T00:00:00Z"],
    ["timestamp", "yesterday"],
    ["timestamp", "1755680400"],
    ["timestamp", 1_755_680_400],
  ])("of type %s cannot be %j", (type, raw) => {
    expect(parseParameterValue(type, raw)).toBeUndefined();
  });
});

describe("bindParameters", () => {
  it("ignores undeclared parameters, and fills missing ones with the default or NULL", () => {
    const definitions = [declare("a", "string"), declare("b", "int64", { default: "3" })];
    expect([...bindParameters(definitions, new Map([["x", "1"]]))]).toEqual([
      ["a", null],
      ["b", "3"],
    ]);
  });

  it("treats an empty text as missing for every type but string", () => {
    const definitions = [declare("t", "timestamp"), declare("i", "int64", { default: "3" }), declare("s", "string")];
    const sent = new Map(definitions.map(({ name }) => [name, ""]));
    expect([...bindParameters(definitions, sent).values()]).toEqual([null, "3", ""]);
  });

  it("treats JSON null as missing", () => {
    expect(bindParameters([declare("s", "string")], new Map([["s", null]])).get("s")).toBeNull();
  });

  it("names a missing parameter and its allowed values or type", () => {
    const definition = declare("interval", "string", { isRequired: true, allowed: ["hourly", "daily"] });
    const error = refusal(() => bindParameters([definition], new Map()));
    expect(error).toMatchObject({ code: "missing_parameter", status: 400 });
    expect(error.details).toMatchObject({ parameter: "interval", allowed: ["hourly", "daily"] });
    expect(error.details.hint).toBe("Add interval=..., which is one of hourly, daily.");
    const number = refusal(() => bindParameters([declare("ms", "int64", { isRequired: true })], new Map()));
    expect(number.details.hint).toBe("Add ms=..., which is an integer of 64 bits.");
  });

  it.each(["weekly", "", "HOURLY"])("lists the allowed values when %j is not one of them", (value) => {
    const definition = declare("interval", "string", { isRequired: true, allowed: ["hourly", "daily"] });
    const error = refusal(() => bindParameters([definition], new Map([["interval", value]])));
    expect(error).toMatchObject({ code: "invalid_parameter", status: 400 });
    expect(error.message).toBe("The parameter interval must be one of hourly, daily");
    expect(error.details.allowed).toEqual(["hourly", "daily"]);
  });

  it("names a parameter whose value does not match its type", () => {
    const error = refusal(() => bindParameters([declare("start", "timestamp")], new Map([["start", "noon"]])));
    expect(error.details.parameter).toBe("start");
    expect(error.message).toContain("ISO 8601");
  });
});

describe("the parameter limit", () => {
  it.each([
    ["1", 1],
    ["1000", 1_000],
    [7, 7],
    ["", undefined],
    [undefined, undefined],
  ])("of %j is read as %s", (raw, expected) => {
    expect(parseLimit(raw, 1_000)).toBe(expected);
  });

  it.each(["0", "1001", "-1", "1.5", "ten", [1]])("of %j is refused", (raw) => {
    expect(refusal(() => parseLimit(raw, 1_000)).details.parameter).toBe("limit");
  });
});
