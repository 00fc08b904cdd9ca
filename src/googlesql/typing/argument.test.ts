import { describe, expect, it } from "vitest";
import type { Expr } from "../resolved.ts";
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
import { coercionCost, commonNumericType, commonType, isMixed, isScalar, type Operand } from "./argument.ts";

const span = { start: 0, end: 0 };
const RECORD: RecordType = { kind: "RECORD", fields: [], isRepeated: false, isOpen: false };
const DATE_RANGE: SqlType = { kind: "RANGE", element: DATE };

function literal(type: SqlType, some: { readonly isTyped?: boolean } = {}): Expr {
  return { kind: "Literal", type, value: null, span, ...some };
}

function parameter(type: SqlType): Expr {
  return { kind: "Parameter", type, key: "p", span };
}

function arrayLiteral(...elements: readonly Expr[]): Expr {
  return { kind: "MakeArray", type: arrayOf(elements[0]?.type ?? INT64), elements, span };
}

function structLiteral(...fields: readonly Expr[]): Expr {
  return { kind: "MakeStruct", type: structOf(fields.map(({ type }) => ({ type }))), fields, span };
}

function column(type: SqlType): Operand {
  return { type, isLenient: false };
}

function lenient(type: SqlType): Operand {
  return { type, isLenient: true };
}

function of(expression: Expr): Operand {
  return { type: expression.type, expression, isLenient: false };
}

const no = undefined;
const firm = (distance: number) => ({ isLenient: false, isLiteral: false, distance });
const written = (distance: number) => ({ isLenient: false, isLiteral: true, distance });
const asLenient = (distance: number) => ({ isLenient: true, isLiteral: false, distance });

describe("coercionCost", () => {
  it.each<[string, Operand, SqlType, unknown]>([
    ["a column of the type itself", column(STRING), STRING, written(0)],
    ["a column of a type that becomes it", column(INT64), FLOAT64, firm(1)],
    ["a column of a type that does not", column(STRING), DATE, no],
    ["a literal of a type that becomes it", of(literal(INT64)), NUMERIC, written(2)],
    ["a NULL, which is an INT64 by itself", of(literal(UNKNOWN)), INT64, written(0)],
    ["a NULL of another type", of(literal(UNKNOWN)), DATE, written(1)],
    ["a text literal as a date", of(literal(STRING)), DATE, written(2)],
    ["a text literal as a time", of(literal(STRING)), TIME, written(2)],
    ["a text literal as a datetime", of(literal(STRING)), DATETIME, written(2)],
    ["a text literal as a timestamp", of(literal(STRING)), TIMESTAMP, written(2)],
    ["a text literal as a range", of(literal(STRING)), DATE_RANGE, written(3)],
    ["a text literal as a number", of(literal(STRING)), INT64, no],
    ["a text literal as bytes", of(literal(STRING)), BYTES, no],
    ["a literal of bytes as a date", of(literal(BYTES)), DATE, no],
    ["a FLOAT64 literal as NUMERIC", of(literal(FLOAT64)), NUMERIC, written(2)],
    ["a FLOAT64 literal as BIGNUMERIC", of(literal(FLOAT64)), BIGNUMERIC, written(2)],
    ["a FLOAT64 literal as INT64", of(literal(FLOAT64)), INT64, no],
    ["an INT64 literal as a text", of(literal(INT64)), STRING, no],
    ["a FLOAT64 column as NUMERIC", column(FLOAT64), NUMERIC, no],
    ["a NULL that a cast made a text, as a date", of(literal(STRING, { isTyped: true })), DATE, no],
    ["a date literal as a datetime, which is no literal's type", of(literal(DATE)), DATETIME, firm(1)],
    ["a text parameter as a date", of(parameter(STRING)), DATE, written(2)],
    ["a text parameter as a range", of(parameter(STRING)), DATE_RANGE, no],
    ["a number parameter as a date", of(parameter(INT64)), DATE, no],
  ])("returns the cost for %s", (_, operand, to, expected) => expect(coercionCost(operand, to)).toEqual(expected));

  it.each<[string, Expr, SqlType, unknown]>([
    ["an array of literals", arrayLiteral(literal(STRING), literal(STRING)), arrayOf(DATE), written(5)],
    ["an empty array", arrayLiteral(), arrayOf(DATE), written(1)],
    ["an array with a parameter in it", arrayLiteral(literal(STRING), parameter(STRING)), arrayOf(DATE), written(5)],
    ["an array with a date in it", arrayLiteral(literal(STRING), literal(DATE)), arrayOf(DATE), written(3)],
    ["an array of dates", arrayLiteral(literal(DATE), literal(DATE)), arrayOf(DATETIME), firm(1)],
    ["an array with a value that does not fit", arrayLiteral(literal(STRING), literal(BOOL)), arrayOf(DATE), no],
    ["an array as no array", arrayLiteral(literal(STRING)), DATE, no],
    [
      "a struct of literals",
      structLiteral(literal(STRING), literal(FLOAT64)),
      structOf([{ type: DATE }, { type: NUMERIC }]),
      written(5),
    ],
    ["a struct of fewer fields", structLiteral(literal(STRING)), structOf([{ type: DATE }, { type: NUMERIC }]), no],
    [
      "a struct of which one does not fit",
      structLiteral(literal(STRING), literal(BOOL)),
      structOf([{ type: DATE }, { type: DATE }]),
      no,
    ],
  ])("returns the cost for %s", (_, expression, to, expected) =>
    expect(coercionCost(of(expression), to)).toEqual(expected),
  );

  it.each<[string, Operand, SqlType, unknown]>([
    ["a log's leaf where a cast exists", lenient(STRING), INT64, asLenient(10)],
    ["a log's leaf where none exists", lenient(BOOL), DATE, no],
    ["a log's leaf of the type itself", lenient(STRING), STRING, written(0)],
    ["a log's record as another", lenient({ ...RECORD, isOpen: true }), JSON_TYPE, asLenient(10)],
    ["a log's list as one of another type", lenient(arrayOf(INT64)), arrayOf(STRING), no],
    ["values of several shapes as FLOAT64", column(MIXED), FLOAT64, asLenient(10)],
    ["values of several shapes as texts", column(MIXED), STRING, asLenient(10)],
    ["values of several shapes as integers", column(MIXED), INT64, asLenient(20)],
    ["values of several shapes as a struct", column(MIXED), structOf([]), no],
    ["lists of several shapes as lists", column(arrayOf(MIXED)), arrayOf(STRING), asLenient(10)],
  ])("returns the cost for %s", (_, operand, to, expected) => expect(coercionCost(operand, to)).toEqual(expected));
});

describe("the common type of operands", () => {
  const commonOf = (...operands: readonly Operand[]) => {
    const type = commonType(operands);
    return type === undefined ? undefined : formatType(type);
  };

  it("is their own type if it is the same, and that of NULL if all are untyped NULLs", () => {
    expect(commonOf(column(DATE), column(DATE))).toBe("DATE");
    expect(commonType([])).toBe(UNKNOWN);
    expect(commonType([of(literal(UNKNOWN)), of(literal(UNKNOWN))])).toBe(UNKNOWN);
    expect(commonOf(of(literal(UNKNOWN)), column(TIME))).toBe("TIME");
    expect(commonOf(column(arrayOf(INT64)), column(arrayOf(FLOAT64)))).toBe("ARRAY<FLOAT64>");
  });

  it("is that of the columns, to which literals and text parameters are coerced if possible", () => {
    expect(commonOf(column(DATE), of(literal(STRING)))).toBe("DATE");
    expect(commonOf(of(parameter(STRING)), column(TIMESTAMP))).toBe("TIMESTAMP");
    expect(commonOf(of(literal(FLOAT64)), column(NUMERIC))).toBe("NUMERIC");
    expect(commonOf(of(literal(FLOAT64)), column(INT64))).toBe("FLOAT64");
    expect(commonOf(of(literal(STRING)), column(INT64))).toBeUndefined();
    expect(commonOf(of(parameter(INT64)), column(NUMERIC))).toBe("NUMERIC");
    expect(commonOf(of(literal(STRING)), column(DATE), column(INT64))).toBeUndefined();
    expect(commonOf(of(literal(STRING)), of(literal(INT64)))).toBeUndefined();
  });

  it("ignores a log record's leaves beside other operands, and is STRING for leaves alone", () => {
    expect(commonOf(lenient(STRING), column(INT64))).toBe("INT64");
    expect(commonOf(column(DATE), lenient(INT64))).toBeUndefined();
    expect(commonOf(lenient(STRING), lenient(INT64))).toBe("STRING");
    expect(commonOf(lenient(STRING), column(INT64), column(FLOAT64))).toBe("FLOAT64");
    expect(commonOf(column(STRING), column(INT64))).toBeUndefined();
    expect(commonOf(lenient(STRING), column(STRING), column(INT64))).toBeUndefined();
    expect(commonOf(column(arrayOf(MIXED)), column(arrayOf(STRING)))).toBe("ARRAY<STRING>");
  });

  it("has the field names of the first named struct at every depth", () => {
    const inner = (name: string, type: SqlType) => structOf([{ name, type }]);
    const first = of({
      kind: "MakeStruct",
      type: structOf([
        { name: "a", type: INT64 },
        { name: "s", type: inner("x", INT64) },
      ]),
      fields: [literal(INT64), structLiteral(literal(INT64))],
      span,
    });
    const second = column(
      structOf([
        { name: "b", type: FLOAT64 },
        { name: "t", type: inner("y", FLOAT64) },
      ]),
    );
    expect(commonOf(first, second)).toBe("STRUCT<a FLOAT64, s STRUCT<x FLOAT64>>");
    const unnamed = of(structLiteral(literal(INT64), structLiteral(literal(INT64))));
    expect(commonOf(unnamed, second)).toBe("STRUCT<b FLOAT64, t STRUCT<y FLOAT64>>");
  });

  it("counts leaves of other types as FLOAT64 where a number is required", () => {
    const numericOf = (...operands: readonly Operand[]) => commonNumericType(operands)?.kind;
    expect(numericOf(column(INT64), column(NUMERIC))).toBe("NUMERIC");
    expect(numericOf(lenient(STRING), column(INT64))).toBe("FLOAT64");
    expect(numericOf(lenient(INT64), column(INT64))).toBe("INT64");
    expect(numericOf(column(MIXED), column(NUMERIC))).toBe("FLOAT64");
    expect(numericOf(lenient(UNKNOWN), column(NUMERIC))).toBe("NUMERIC");
    expect(numericOf(of(literal(UNKNOWN)))).toBe("UNKNOWN");
    expect(numericOf(column(STRING), column(STRING))).toBeUndefined();
    expect(numericOf(lenient(DATE), lenient(DATE))).toBeUndefined();
    expect(numericOf(column(STRING), column(INT64))).toBeUndefined();
  });
});

describe("isMixed and isScalar", () => {
  it("distinguish values of several shapes from values of a single type", () => {
    const types = [MIXED, arrayOf(MIXED), arrayOf(STRING), STRING, RECORD, structOf([]), DATE_RANGE, UNKNOWN];
    expect(types.map(isMixed)).toEqual([true, true, false, false, false, false, false, false]);
    expect(types.map(isScalar)).toEqual([false, false, false, true, false, false, false, true]);
  });
});
