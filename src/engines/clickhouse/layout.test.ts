import { expect, it } from "vitest";
import type { ValueType } from "../schema/schema-entry.ts";
import { sqlTypeOf } from "../schema/value-type.ts";
import { columnOf, fixedColumns, isArrayVariant, serverTypeOf } from "./layout.ts";

const scalars = ["INT64", "FLOAT64", "WIDE", "BOOL", "STRING"] as const;

it("gives every type of value a column that can miss it: scalars NULL, arrays the empty array", () => {
  expect(scalars.map((type) => serverTypeOf(type))).toEqual([
    "Nullable(Int64)",
    "Nullable(Float64)",
    "Nullable(Float64)",
    "Nullable(Bool)",
    "Nullable(String)",
  ]);
  for (const scalar of scalars) {
    const type: ValueType = `${scalar}[]`;
    expect(serverTypeOf(type)).toMatch(/^Array\(\w+\)$/);
    expect(isArrayVariant({ type: sqlTypeOf(type) })).toBe(true);
    expect(isArrayVariant({ type: sqlTypeOf(scalar) })).toBe(false);
  }
});

it("gives entries with a column that column, and others none", () => {
  expect(columnOf({ role: "value", path: "a.b", type: "INT64", column: "c3" })).toEqual({
    name: "c3",
    type: "Nullable(Int64)",
  });
  expect(columnOf({ role: "record", path: "a", column: "p1" })).toEqual({ name: "p1", type: "Bool" });
  expect(columnOf({ role: "json", path: "a", column: "j2" })?.type).toBe("Nullable(String)");
  expect(columnOf({ role: "value", path: "a.b", type: "INT64", column: null })).toBeUndefined();
  expect(columnOf({ role: "repeated", path: "a" })).toBeUndefined();
});

it("begins every table with the time in microseconds as an integer, which holds the years 1 to 9999", () => {
  expect(fixedColumns.find(({ name }) => name === "timestamp")?.type).toBe("Int64");
});
