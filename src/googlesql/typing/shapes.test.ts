import { describe, expect, it } from "vitest";
import {
  arrayOf,
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  INTERVAL,
  JSON_TYPE,
  MIXED,
  type MixedType,
  NUMERIC,
  type RecordField,
  type RecordType,
  type ScalarType,
  type SqlType,
  STRING,
  structOf,
  TIME,
  TIMESTAMP,
  UNKNOWN,
} from "../types.ts";
import { isCastable, isFormatCastable } from "./explicit.ts";
import { arrayOfValues, implicitCost, mixedTypeOf, supertype } from "./implicit.ts";
import { isCollated, isComparable, isGroupable, isOrderable, isPartitionable, isSameType } from "./same-type.ts";

const CI: ScalarType = { kind: "STRING", collation: "und:ci" };
const DATE_RANGE: SqlType = { kind: "RANGE", element: DATE };
const NO_FIELDS = recordOf([]);
const A = recordOf([{ name: "a", type: INT64 }]);
const B = recordOf([{ name: "b", type: STRING }]);
const STRUCT = structOf([{ name: "a", type: INT64 }]);

function recordOf(fields: readonly RecordField[], some: Partial<RecordType> = {}): RecordType {
  return { kind: "RECORD", fields, isRepeated: false, isOpen: false, ...some };
}

function mixedWith(record: RecordType): MixedType {
  return { kind: "MIXED", record };
}

describe("isSameType", () => {
  const records = [
    A,
    B,
    NO_FIELDS,
    recordOf(A.fields, { isRepeated: true }),
    recordOf(A.fields, { isOpen: true }),
    recordOf([{ name: "A", type: INT64 }]),
    recordOf([{ name: "a", type: FLOAT64 }]),
    recordOf([{ name: "a", type: INT64, isDeclared: true }]),
    recordOf([{ name: "a", type: INT64, names: ["a", "A"] }]),
    recordOf([{ name: "a", type: INT64, names: ["a", "Á"] }]),
    recordOf([...A.fields, ...B.fields]),
  ];
  const types: readonly SqlType[] = [
    STRING,
    INT64,
    UNKNOWN,
    arrayOf(STRING),
    arrayOf(INT64),
    DATE_RANGE,
    { kind: "RANGE", element: DATETIME },
    STRUCT,
    structOf([]),
    structOf([{ type: INT64 }]),
    structOf([{ name: "a", type: STRING }]),
    structOf([...STRUCT.fields, { name: "b", type: INT64 }]),
    MIXED,
    mixedWith(A),
    mixedWith(B),
    ...records,
  ];

  it("holds exactly for types with the same definition", () => {
    const copies = types.map((type) => structuredClone(type));
    for (const [i, type] of types.entries()) {
      expect(copies.map((copy) => isSameType(type, copy))).toEqual(types.map((_, j) => i === j));
    }
  });
});

describe("the predicates of types", () => {
  const types = [INT64, FLOAT64, STRING, CI, JSON_TYPE, MIXED, A, STRUCT, DATE_RANGE, arrayOf(INT64)];
  const inside = [
    arrayOf(JSON_TYPE),
    structOf([{ type: CI }]),
    arrayOf(FLOAT64),
    recordOf([{ name: "a", type: arrayOf(CI) }]),
  ];
  const allBut = (...not: readonly SqlType[]) => [...types, ...inside].filter((type) => !not.includes(type));
  const [ofJson, ofCi, ofFloats, recordOfCi] = inside as [SqlType, SqlType, SqlType, SqlType];
  const those = (test: (type: SqlType) => boolean) => [...types, ...inside].filter(test);

  it("depend on the type and on the types that it contains", () => {
    expect(those(isComparable)).toEqual(allBut(JSON_TYPE, ofJson));
    expect(those(isOrderable)).toEqual(allBut(JSON_TYPE, A, STRUCT, types[9] as SqlType, ...inside));
    expect(those(isCollated)).toEqual([CI, ofCi, recordOfCi]);
    expect(those(isGroupable)).toEqual(allBut(JSON_TYPE, ofJson, CI, ofCi, recordOfCi));
    expect(those(isPartitionable)).toEqual(allBut(JSON_TYPE, ofJson, CI, ofCi, recordOfCi, FLOAT64, ofFloats));
  });
});

describe("isCastable and isFormatCastable", () => {
  it.each<[string, SqlType, readonly SqlType[], readonly SqlType[]]>([
    ["NULL", UNKNOWN, [INT64, arrayOf(INT64), STRUCT, MIXED, A, DATE_RANGE], []],
    [
      "several shapes",
      MIXED,
      [MIXED, JSON_TYPE, STRING, INT64, DATE, BYTES, arrayOf(INT64), mixedWith(A), DATE_RANGE],
      [STRUCT, A],
    ],
    ["an array", arrayOf(INT64), [arrayOf(STRING), MIXED], [INT64, STRING, STRUCT, arrayOf(DATE)]],
    [
      "a struct",
      STRUCT,
      [structOf([{ type: STRING }])],
      [MIXED, STRING, structOf([]), structOf([{ type: DATE }]), JSON_TYPE],
    ],
    ["a range", DATE_RANGE, [STRING, DATE_RANGE], [MIXED, DATE, arrayOf(DATE), BYTES]],
    ["a record", A, [B, STRING, JSON_TYPE, MIXED], [INT64, STRUCT, arrayOf(A), BYTES]],
    ["a text", STRING, [DATE_RANGE, MIXED], [arrayOf(STRING), STRUCT, A, JSON_TYPE]],
    ["a date", DATE, [MIXED], [DATE_RANGE, arrayOf(DATE), STRUCT, A]],
  ])("hold exactly for the listed casts of %s", (_, from, to, not) => {
    expect(to.filter((type) => !isCastable(from, type))).toEqual([]);
    expect(not.filter((type) => isCastable(from, type))).toEqual([]);
  });

  it("hold exactly for the listed casts with FORMAT", () => {
    const types = [INT64, FLOAT64, NUMERIC, BOOL, BYTES, DATE, DATETIME, TIME, TIMESTAMP, INTERVAL, JSON_TYPE];
    const dated = [BYTES, DATE, DATETIME, TIME, TIMESTAMP];
    expect(types.filter((type) => isFormatCastable(type, STRING))).toEqual([INT64, FLOAT64, NUMERIC, ...dated]);
    expect(types.filter((type) => isFormatCastable(STRING, type))).toEqual(dated);
    expect(types.filter((type) => isFormatCastable(BYTES, type))).toEqual([]);
    expect(isFormatCastable({ kind: "BIGNUMERIC" }, STRING)).toBe(true);
  });
});

describe("implicitCost", () => {
  it("rises with the distance between types and adds up over fields", () => {
    const ofTwo = (a: SqlType, b: SqlType) => structOf([{ type: a }, { type: b }]);
    expect(implicitCost(arrayOf(INT64), arrayOf(NUMERIC))).toBe(2);
    expect(implicitCost(arrayOf(INT64), INT64)).toBeUndefined();
    expect(implicitCost(INT64, arrayOf(INT64))).toBeUndefined();
    expect(implicitCost(UNKNOWN, STRUCT)).toBe(1);
    expect(implicitCost(A, B)).toBe(1);
    expect(implicitCost(A, STRUCT)).toBeUndefined();
    expect(implicitCost(STRUCT, A)).toBeUndefined();
    expect([MIXED, arrayOf(INT64), A].map((type) => implicitCost(type, mixedWith(B)))).toEqual([1, 1, 1]);
    expect([INT64, STRING, STRUCT].map((type) => implicitCost(type, MIXED))).toEqual([undefined, undefined, undefined]);
    expect(implicitCost(ofTwo(INT64, DATE), ofTwo(NUMERIC, DATETIME))).toBe(1 + 2 + 1);
    expect(implicitCost(ofTwo(INT64, DATE), structOf([{ type: INT64 }]))).toBeUndefined();
    expect(implicitCost(DATETIME, DATE)).toBeUndefined();
    expect([NUMERIC, { kind: "BIGNUMERIC" } as const, FLOAT64].map((type) => implicitCost(INT64, type))).toEqual([
      2, 3, 1,
    ]);
    expect(implicitCost(NUMERIC, FLOAT64)).toBe(2);
    expect(implicitCost(NUMERIC, STRING)).toBeUndefined();
  });
});

describe("the supertype of values of several shapes and other values", () => {
  it.each<[string, SqlType, SqlType, SqlType | undefined]>([
    ["integers", MIXED, INT64, FLOAT64],
    ["other scalars", MIXED, DATE, DATE],
    ["texts", MIXED, STRING, STRING],
    ["structs", MIXED, STRUCT, undefined],
    ["JSON", MIXED, JSON_TYPE, undefined],
    ["others of several shapes", mixedWith(A), mixedWith(B), mixedWith(recordOf([...A.fields, ...B.fields]))],
    ["others that have no record", mixedWith(A), MIXED, mixedWith(A)],
    ["records", MIXED, A, mixedWith(A)],
    ["records beside theirs", mixedWith(B), A, mixedWith(recordOf([...B.fields, ...A.fields]))],
    ["lists of records", MIXED, arrayOf(A), mixedWith(A)],
    ["lists of scalars", mixedWith(B), arrayOf(INT64), mixedWith(B)],
  ])("is the documented type for %s", (_, a, b, expected) => {
    expect(supertype(a, b)).toEqual(expected);
    const names = (type: SqlType | undefined) =>
      type?.kind === "MIXED" ? type.record?.fields.map(({ name }) => name).sort() : type;
    expect(names(supertype(b, a))).toEqual(names(expected));
  });

  it("mixedTypeOf returns a type for every type that events' values can have, and none for others", () => {
    const [record, list, scalars] = [
      recordOf(A.fields, { isRepeated: true }),
      arrayOf(A),
      [INT64, FLOAT64, BOOL, STRING],
    ];
    expect([...scalars, arrayOf(INT64)].map(mixedTypeOf)).toEqual([MIXED, MIXED, MIXED, MIXED, MIXED]);
    expect([record, list].map(mixedTypeOf)).toEqual([mixedWith(record), mixedWith(A)]);
    expect([DATE, STRUCT, MIXED, arrayOf(MIXED), DATE_RANGE].map(mixedTypeOf)).toEqual(Array(5).fill(undefined));
  });

  it("arrayOfValues marks the record of a list as repeated", () => {
    expect(arrayOfValues(A)).toEqual(arrayOf({ ...A, isRepeated: true }));
    expect(arrayOfValues(INT64)).toEqual(arrayOf(INT64));
  });
});

describe("the supertype of two records or two structs", () => {
  it("is open, repeated or declared if either is", () => {
    const [open, repeated] = [recordOf([], { isOpen: true }), recordOf([], { isRepeated: true })];
    expect(supertype(open, repeated)).toEqual(recordOf([], { isOpen: true, isRepeated: true }));
    expect(supertype(repeated, open)).toEqual(recordOf([], { isOpen: true, isRepeated: true }));
    const declared = recordOf([{ name: "a", type: INT64, isDeclared: true }]);
    for (const merged of [supertype(A, declared), supertype(declared, A)]) expect(merged).toEqual(declared);
  });

  it("has each field once with all its spellings, and several shapes if the types differ", () => {
    const upper = recordOf([{ name: "A", type: FLOAT64, names: ["A", "a"] }]);
    expect(supertype(A, upper)).toEqual(recordOf([{ name: "a", type: FLOAT64, names: ["a", "A"] }]));
    expect(supertype(recordOf([{ name: "a", type: A }]), recordOf([{ name: "a", type: STRING }]))).toEqual(
      recordOf([{ name: "a", type: mixedWith(A) }]),
    );
    expect(supertype(recordOf([{ name: "a", type: MIXED }]), recordOf([{ name: "a", type: DATE }]))).toEqual(
      recordOf([{ name: "a", type: MIXED }]),
    );
  });

  it("has the first names that a struct gives its fields, and lenient fields stay lenient", () => {
    const [plain, lenient] = [structOf([{ type: INT64 }]), structOf([{ name: "b", type: FLOAT64, isLenient: true }])];
    expect(supertype(plain, lenient)).toEqual(lenient);
    expect(supertype(lenient, plain)).toEqual(lenient);
    expect(supertype(STRUCT, lenient)).toEqual(structOf([{ name: "a", type: FLOAT64, isLenient: true }]));
    expect(supertype(STRUCT, structOf([]))).toBeUndefined();
    expect(supertype(STRUCT, structOf([{ type: BOOL }]))).toBeUndefined();
    expect(supertype(STRUCT, A)).toBeUndefined();
    expect(supertype(DATETIME, DATE)).toEqual(DATETIME);
    expect(supertype(DATETIME, STRING)).toBeUndefined();
    expect(supertype(STRING, DATE)).toBeUndefined();
    expect(supertype(INT64, DATE)).toBeUndefined();
  });
});
