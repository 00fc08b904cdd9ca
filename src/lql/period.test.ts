import { expect, it } from "vitest";
import { type PeriodUnit, startOf, subtract } from "./period.ts";

it.each<[string, number, PeriodUnit, string]>([
  ["2026-08-31T09:30:15.250Z", 6, "month", "2026-02-28T09:30:15.250Z"],
  ["2026-03-15T00:00:00.000Z", 3, "month", "2025-12-15T00:00:00.000Z"],
  ["2026-03-15T23:59:59.999Z", 27, "month", "2023-12-15T23:59:59.999Z"],
  ["2024-02-29T12:00:00.000Z", 1, "year", "2023-02-28T12:00:00.000Z"],
  ["2026-01-01T00:00:00.000Z", 90, "second", "2025-12-31T23:58:30.000Z"],
  ["2026-03-01T06:00:00.000Z", 2, "week", "2026-02-15T06:00:00.000Z"],
])("subtracting from %s %d %ss gives %s", (at, count, unit, expected) => {
  expect(new Date(subtract(count, unit, Date.parse(at))).toISOString()).toBe(expected);
});

it.each<[PeriodUnit, string, string]>([
  ["week", "2026-11-22T10:11:12.345Z", "2026-11-16"],
  ["week", "2026-11-23T10:11:12.345Z", "2026-11-23"],
  ["month", "2026-11-22T10:11:12.345Z", "2026-11-01"],
  ["year", "2026-11-22T10:11:12.345Z", "2026-01-01"],
  ["day", "2026-11-22T10:11:12.345Z", "2026-11-22"],
])("the first day of the %s of %s is %s", (unit, at, day) => {
  expect(new Date(startOf(unit, Date.parse(at))).toISOString()).toBe(`${day}T00:00:00.000Z`);
});
