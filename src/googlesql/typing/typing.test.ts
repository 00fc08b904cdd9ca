import { describe, expect, it } from "vitest";
import {
  arrayOf,
  BIGNUMERIC,
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  FLOAT64,
  formatType,
  INT64,
  INTERVAL,
  JSON_TYPE,
  MIXED,
  NUMERIC,
  type RecordType,
  type SqlType,
  STRING,
  structOf,
  TIME,
  TIMESTAMP,
  UNKNOWN,
} from "../types.ts";
import { parseDecimalText } from "./decimal-text.ts";
import { isCastable, isFormatCastable } from "./explicit.ts";
import { implicitCost, supertype } from "./implicit.ts";
import { formatInterval, intervalOf, parseFullInterval, parseIntervalText } from "./interval-text.ts";
import { isComparable, isGroupable, isOrderable, isSameType } from "./same-type.ts";
import { isTimeZone, parseDateText, parseDatetimeText, parseTimestampText, parseTimeText } from "./temporal.ts";

const SCALARS = [
  INT64,
  NUMERIC,
  BIGNUMERIC,
  FLOAT64,
  BOOL,
  STRING,
  BYTES,
  DATE,
  DATETIME,
  TIME,
  TIMESTAMP,
  INTERVAL,
  JSON_TYPE,
];

describe("implicit coercion", () => {
  it("widens numeric types, and DATE to DATETIME", () => {
    const pairs = SCALARS.flatMap((from) =>
      SCALARS.filter((to) => from !== to && implicitCost(from, to) !== undefined).map(
        (to) => `${from.kind}>${to.kind}`,
      ),
    );
    expect(pairs).toEqual([
      "INT64>NUMERIC",
      "INT64>BIGNUMERIC",
      "INT64>FLOAT64",
      "NUMERIC>BIGNUMERIC",
      "NUMERIC>FLOAT64",
      "BIGNUMERIC>FLOAT64",
      "DATE>DATETIME",
    ]);
  });

  it("prefers FLOAT64 for integers", () => {
    expect(implicitCost(INT64, FLOAT64)).toBeLessThan(implicitCost(INT64, NUMERIC) ?? 0);
  });

  it("applies to the elements of arrays and the fields of structs", () => {
    expect(implicitCost(arrayOf(INT64), arrayOf(FLOAT64))).toBeDefined();
    expect(implicitCost(structOf([{ type: INT64 }]), structOf([{ name: "a", type: NUMERIC }]))).toBeDefined();
    expect(implicitCost(structOf([{ type: INT64 }]), structOf([{ type: STRING }]))).toBeUndefined();
    expect(implicitCost(structOf([{ type: INT64 }]), structOf([]))).toBeUndefined();
  });
});

describe("the supertype", () => {
  it.each<[SqlType, SqlType, string | undefined]>([
    [INT64, FLOAT64, "FLOAT64"],
    [NUMERIC, INT64, "NUMERIC"],
    [BIGNUMERIC, NUMERIC, "BIGNUMERIC"],
    [FLOAT64, NUMERIC, "FLOAT64"],
    [DATE, DATETIME, "DATETIME"],
    [UNKNOWN, STRING, "STRING"],
    [arrayOf(UNKNOWN), arrayOf(STRING), "ARRAY<STRING>"],
    [structOf([{ name: "a", type: INT64 }]), structOf([{ name: "b", type: FLOAT64 }]), "STRUCT<a FLOAT64>"],
    [INT64, STRING, undefined],
    [DATE, TIMESTAMP, undefined],
    [arrayOf(INT64), INT64, undefined],
  ])("is the same in either order for %o and %o", (a, b, expected) => {
    const both = [supertype(a, b), supertype(b, a)].map((type) => (type === undefined ? undefined : formatType(type)));
    expect(both[0]).toBe(expected);
    expect(both[1]?.replace("b ", "a ")).toBe(expected);
  });

  it("of two records has the fields of both, with several shapes where their types differ", () => {
    const record = (fields: RecordType["fields"], isRepeated = false): RecordType => ({
      kind: "RECORD",
      fields,
      isRepeated,
      isOpen: false,
    });
    const merged = supertype(
      record([
        { name: "a", type: INT64 },
        { name: "b", type: INT64 },
      ]),
      record(
        [
          { name: "b", type: BOOL },
          { name: "c", type: FLOAT64 },
        ],
        true,
      ),
    );
    expect(merged).toEqual(
      record(
        [
          { name: "a", type: INT64 },
          { name: "b", type: MIXED },
          { name: "c", type: FLOAT64 },
        ],
        true,
      ),
    );
  });
});

describe("casts", () => {
  it("exist where the conversion rules list them", () => {
    const matrix = Object.fromEntries(
      SCALARS.map((from) => [
        from.kind,
        SCALARS.filter((to) => from !== to && isCastable(from, to))
          .map((to) => to.kind)
          .join(" "),
      ]),
    );
    expect(matrix).toEqual({
      INT64: "NUMERIC BIGNUMERIC FLOAT64 BOOL STRING",
      NUMERIC: "INT64 BIGNUMERIC FLOAT64 STRING",
      BIGNUMERIC: "INT64 NUMERIC FLOAT64 STRING",
      FLOAT64: "INT64 NUMERIC BIGNUMERIC STRING",
      BOOL: "INT64 STRING",
      STRING: "INT64 NUMERIC BIGNUMERIC FLOAT64 BOOL BYTES DATE DATETIME TIME TIMESTAMP INTERVAL",
      BYTES: "STRING",
      DATE: "STRING DATETIME TIMESTAMP",
      DATETIME: "STRING DATE TIME TIMESTAMP",
      TIME: "STRING",
      TIMESTAMP: "STRING DATE DATETIME TIME",
      INTERVAL: "STRING",
      JSON: "",
    });
  });

  it("convert arrays and structs of the same shape", () => {
    expect(isCastable(arrayOf(INT64), arrayOf(STRING))).toBe(true);
    expect(isCastable(arrayOf(INT64), STRING)).toBe(false);
    expect(isCastable(structOf([{ type: INT64 }]), structOf([{ type: STRING }]))).toBe(true);
    expect(isCastable(structOf([{ type: INT64 }]), structOf([{ type: DATE }]))).toBe(false);
    expect(isCastable(STRING, { kind: "RANGE", element: DATE })).toBe(true);
  });

  it("accept FORMAT between text and dates, numbers or bytes", () => {
    expect(isFormatCastable(DATE, STRING)).toBe(true);
    expect(isFormatCastable(STRING, TIMESTAMP)).toBe(true);
    expect(isFormatCastable(BYTES, STRING)).toBe(true);
    expect(isFormatCastable(INT64, STRING)).toBe(true);
    expect(isFormatCastable(STRING, INT64)).toBe(false);
    expect(isFormatCastable(BOOL, STRING)).toBe(false);
  });
});

describe("the type predicates", () => {
  it("decide whether a type is comparable, orderable or groupable by what it contains", () => {
    const array = arrayOf(STRING);
    const struct = structOf([{ name: "a", type: INT64 }]);
    expect([JSON_TYPE, array, struct, arrayOf(JSON_TYPE), INTERVAL].map(isComparable)).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
    expect([JSON_TYPE, array, struct, DATE].map(isOrderable)).toEqual([false, false, false, true]);
    expect([JSON_TYPE, array, struct].map(isGroupable)).toEqual([false, true, true]);
  });

  it("compare struct fields by name without case", () => {
    expect(isSameType(structOf([{ name: "a", type: INT64 }]), structOf([{ name: "A", type: INT64 }]))).toBe(true);
    expect(isSameType(structOf([{ name: "a", type: INT64 }]), structOf([{ type: INT64 }]))).toBe(false);
  });
});

describe("the parser of dates and times", () => {
  it.each([
    ["2024-2-29", "2024-02-29"],
    ["0001-01-01", "0001-01-01"],
    ["2023-02-29", undefined],
    ["2024-13-01", undefined],
    ["2024-1-1 00:00:00", undefined],
    ["yesterday", undefined],
  ])("reads the date %s", (text, expected) => expect(parseDateText(text)).toBe(expected));

  it.each([
    ["1:2:3", "01:02:03"],
    ["23:59:59.9", "23:59:59.900000"],
    ["24:00:00", undefined],
    ["12:60:00", undefined],
    ["12:00", undefined],
  ])("reads the time %s", (text, expected) => expect(parseTimeText(text)).toBe(expected));

  it.each([
    ["2024-01-02", "2024-01-02T00:00:00"],
    ["2024-01-02T3:4:5.000", "2024-01-02T03:04:05"],
    ["2024-01-02 03:04:05.123456", "2024-01-02T03:04:05.123456"],
    ["2024-01-02 03", undefined],
  ])("reads the datetime %s", (text, expected) => expect(parseDatetimeText(text)).toBe(expected));

  it.each([
    ["1970-01-01", "UTC", "0"],
    ["1970-01-01 00:00:01.5Z", "Asia/Tokyo", "1500000"],
    ["1970-01-01 00:00:00+01:30", "UTC", "-5400000000"],
    ["1970-01-01 00:00:00-0130", "UTC", "5400000000"],
    ["1970-01-01T00:00:00 Asia/Tokyo", "UTC", "-32400000000"],
    ["2024-07-01 00:00:00", "America/Los_Angeles", "1719817200000000"],
    ["2024-03-10 02:30:00", "America/Los_Angeles", "1710066600000000"],
    ["2024-11-03 01:30:00", "America/Los_Angeles", "1730622600000000"],
    ["0001-01-01 00:00:00+14", "UTC", undefined],
    ["2024-01-01 00:00:00 Mars/Base", "UTC", undefined],
    ["2024-01-01 00:00:00+15:00", "UTC", undefined],
  ])("reads the timestamp %s in %s", (text, zone, expected) => expect(parseTimestampText(text, zone)).toBe(expected));

  it("recognises time zones", () => {
    expect(["UTC", "+05:30", "-8", "Europe/Paris"].map(isTimeZone)).toEqual([true, true, true, true]);
    expect(["", "Nowhere", "+25:00"].map(isTimeZone)).toEqual([false, false, false]);
  });
});

describe("the parser of decimals", () => {
  it.each([
    ["1.10", "NUMERIC", "1.1"],
    ["-0", "NUMERIC", "0"],
    [".5", "NUMERIC", "0.5"],
    ["1e3", "NUMERIC", "1000"],
    ["0.0000000005", "NUMERIC", "0.000000001"],
    ["-0.0000000004", "NUMERIC", "0"],
    ["99999999999999999999999999999.999999999", "NUMERIC", "99999999999999999999999999999.999999999"],
    ["99999999999999999999999999999.9999999995", "NUMERIC", undefined],
    ["1e29", "NUMERIC", undefined],
    ["1e-9999", "NUMERIC", "0"],
    [
      "578960446186580977117854925043439539266.34992332820282019728792003956564819967",
      "BIGNUMERIC",
      "578960446186580977117854925043439539266.34992332820282019728792003956564819967",
    ],
    ["578960446186580977117854925043439539266.34992332820282019728792003956564819968", "BIGNUMERIC", undefined],
    [
      "-578960446186580977117854925043439539266.34992332820282019728792003956564819968",
      "BIGNUMERIC",
      "-578960446186580977117854925043439539266.34992332820282019728792003956564819968",
    ],
    ["", "NUMERIC", undefined],
    ["1.2.3", "NUMERIC", undefined],
  ] as const)("reads %s as %s", (text, kind, expected) => expect(parseDecimalText(text, kind)).toBe(expected));
});

describe("the parser of intervals", () => {
  it.each([
    ["5", "DAY", undefined, "0-0 5 0:0:0"],
    ["-7", "QUARTER", undefined, "-1-9 0 0:0:0"],
    ["1.5", "SECOND", undefined, "0-0 0 0:0:1.500000"],
    ["1.5", "DAY", undefined, undefined],
    ["1-2", "YEAR", "MONTH", "1-2 0 0:0:0"],
    ["-1-2 3 -4:5:6.7", "YEAR", "SECOND", "-1-2 3 -4:5:6.700000"],
    ["8 20:17", "DAY", "MINUTE", "0-0 8 20:17:0"],
    ["30:15", "MINUTE", "SECOND", "0-0 0 0:30:15"],
    ["1 2", "MONTH", "DAY", "0-1 2 0:0:0"],
    ["1", "YEAR", "MONTH", undefined],
    ["1-2", "MONTH", "YEAR", undefined],
  ])("reads '%s' %s TO %s", (text, from, to, expected) => {
    const parts = parseIntervalText(text, from, to);
    expect(parts === undefined ? undefined : formatInterval(parts)).toBe(expected);
  });

  it("limits values to the type's range", () => {
    expect(intervalOf(10_000n, "YEAR")).toBeDefined();
    expect(intervalOf(10_001n, "YEAR")).toBeUndefined();
    expect(intervalOf(-3_660_001n, "DAY")).toBeUndefined();
    expect(intervalOf(1n, "CENTURY")).toBeUndefined();
  });

  it("reads its own canonical text", () => {
    for (const text of ["1-2 3 4:5:6.700000", "0-0 0 0:0:0", "-1-2 -3 -4:5:6"]) {
      const parts = parseFullInterval(text);
      expect(parts === undefined ? undefined : formatInterval(parts)).toBe(text);
    }
  });
});
