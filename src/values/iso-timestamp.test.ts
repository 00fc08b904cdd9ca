import { describe, expect, it } from "vitest";
import { formatIsoTimestamp, parseIsoTimestamp } from "./iso-timestamp.ts";

const us = (text: string) => BigInt(Date.parse(text)) * 1000n;

describe("an ISO 8601 text", () => {
  it.each([
    ["2026-08-20T09:00:00Z", us("2026-08-20T09:00:00Z")],
    ["2026-08-20t09:00:00z", us("2026-08-20T09:00:00Z")],
    ["2026-08-20T09:00Z", us("2026-08-20T09:00:00Z")],
    ["2026-08-20T09:00:00.123456Z", us("2026-08-20T09:00:00.123Z") + 456n],
    ["2026-08-20T09:00:00.1234569Z", us("2026-08-20T09:00:00.123Z") + 456n],
    ["2026-08-20T09:00:00.5+02:00", us("2026-08-20T07:00:00.500Z")],
    ["2026-08-20T09:00:00-0130", us("2026-08-20T10:30:00Z")],
    ["2026-08-20T09:00:00+02", us("2026-08-20T07:00:00Z")],
    ["2026-08-20T09:00:00 02:00", us("2026-08-20T07:00:00Z")],
    ["2026-08-20 09:00:00+00", us("2026-08-20T09:00:00Z")],
    ["1969-12-31T23:59:59.999999Z", -1n],
    ["2024-02-29", us("2024-02-29T00:00:00Z")],
    ["0001-01-01", -62_135_596_800_000_000n],
  ])("%s is %s microseconds", (text, expected) => {
    expect(parseIsoTimestamp(text)?.us).toBe(expected);
  });

  it.each([
    "",
    "yesterday",
    "2026-02-29",
    "2026-13-01",
    "2026-08-20T24:00:00Z",
    "2026-08-20T09:60:00Z",
    "2026-08-20T09:00:00+24:00",
    "2026-8-2",
    "1755680400",
    "2026-08-20T09:00:00Zx",
    "0000-01-01",
    "0001-01-01T00:00:00+01:00",
  ])("%j is invalid", (text) => {
    expect(parseIsoTimestamp(text)).toBeUndefined();
  });

  it("is parsed with whether it has a zone and whether it is only a date", () => {
    expect(parseIsoTimestamp("2026-08-20T09:00:00")).toMatchObject({ hasZone: false, isDateOnly: false });
    expect(parseIsoTimestamp("2026-08-20T09:00:00Z")).toMatchObject({ hasZone: true, isDateOnly: false });
    expect(parseIsoTimestamp("2026-08-20")).toMatchObject({ hasZone: false, isDateOnly: true });
  });
});

it.each([0n, -1n, 1n, -1_000_000n, 1_755_680_400_123_456n, -62_135_596_800_000_000n, 253_402_300_799_999_999n])(
  "%s microseconds are unchanged by formatting and parsing",
  (value) => {
    expect(parseIsoTimestamp(formatIsoTimestamp(value))?.us).toBe(value);
  },
);
