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
import { isCastable, isFormatCastable } from "./explicit.ts";
import { implicitCost, supertype } from "./implicit.ts";
import { isComparable, isGroupable, isOrderable, isSameType } from "./same-type.ts";

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
