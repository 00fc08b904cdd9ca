import { expect, it } from "vitest";
import type { ValueType } from "../schema/schema-entry.ts";
import { columnOf, fixedColumns, serverTypeOf } from "./layout.ts";

const scalars = ["INT64", "FLOAT64", "WIDE", "BOOL", "STRING"] as const;

it("serverTypeOf makes missing values NULL for scalars and the empty array for arrays", () => {
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
  }
});

it("columnOf returns a column exactly for the entries that have one", () => {
  expect(columnOf({ role: "value", path: "a.b", type: "INT64", column: "c3" })).toEqual({
    name: "c3",
    type: "Nullable(Int64)",
  });
  expect(columnOf({ role: "record", path: "a", column: "p1" })).toEqual({ name: "p1", type: "Bool" });
  expect(columnOf({ role: "json", path: "a", column: "j2" })?.type).toBe("Nullable(String)");
  expect(columnOf({ role: "value", path: "a.b", type: "INT64", column: null })).toBeUndefined();
  expect(columnOf({ role: "repeated", path: "a" })).toBeUndefined();
});

it("every table begins with the time as an integer of microseconds, which covers the years 1 to 9999", () => {
  expect(fixedColumns.find(({ name }) => name === "timestamp")?.type).toBe("Int64");
});
