import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type MemoryDatabase,
  openMemoryDatabase,
} from "../../../../test/support/engines/duckdb/driver/memory-database.ts";
import {
  arrayOf,
  BIGNUMERIC,
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  INTERVAL,
  JSON_TYPE,
  NUMERIC,
  type SqlType,
  STRING,
  structOf,
  TIME,
  TIMESTAMP,
  UNKNOWN,
} from "../../../googlesql/types.ts";

const RECORD: SqlType = { kind: "RECORD", fields: [], isRepeated: false, isOpen: false };

/** Name of the case, DuckDB expression, type, value in an object, value in a cell where it differs. */
type Case = readonly [name: string, expression: string, type: SqlType, inObject: unknown, inCell?: unknown];
const cases: readonly Case[] = [
  ["a small integer", "7::BIGINT", INT64, 7],
  ["2^53", "9007199254740992::BIGINT", INT64, 9007199254740992],
  ["2^53 + 1", "9007199254740993::BIGINT", INT64, "9007199254740993"],
  ["the least integer", "(-9223372036854775808)::BIGINT", INT64, "-9223372036854775808"],
  ["a sum, which DuckDB makes a HUGEINT", "sum(5::BIGINT)", INT64, 5],
  ["a 32-bit integer", "7::INTEGER", INT64, 7],
  ["a NULL integer", "NULL::BIGINT", INT64, null],
  ["a float", "1.5::DOUBLE", FLOAT64, 1.5],
  ["a large float", "1e300::DOUBLE", FLOAT64, 1e300],
  ["NaN", "'nan'::DOUBLE", FLOAT64, "NaN"],
  ["infinity", "'inf'::DOUBLE", FLOAT64, "Infinity"],
  ["negative infinity", "'-inf'::DOUBLE", FLOAT64, "-Infinity"],
  ["a numeric", "1.500000000::DECIMAL(38,9)", NUMERIC, "1.5"],
  ["a whole numeric", "(-100)::DECIMAL(38,9)", NUMERIC, "-100"],
  [
    "the largest numeric",
    "99999999999999999999999999999.999999999::DECIMAL(38,9)",
    NUMERIC,
    "99999999999999999999999999999.999999999",
  ],
  ["zero numeric", "0::DECIMAL(38,9)", NUMERIC, "0"],
  ["a bignumeric", `'${1234n * 10n ** 36n}'::BIGNUM`, BIGNUMERIC, "12.34"],
  ["a negative bignumeric of all digits", "'-1'::BIGNUM", BIGNUMERIC, `-0.${"1".padStart(38, "0")}`],
  ["a boolean", "true", BOOL, true],
  ["a string with what JSON escapes", "'a\"b\\c' || chr(10) || chr(1) || '€𝄞'", STRING, 'a"b\\c\n\u0001€𝄞'],
  ["an empty string", "''", STRING, ""],
  ["bytes", "'\\x00\\xFF'::BLOB", BYTES, "AP8="],
  ["no bytes", "''::BLOB", BYTES, ""],
  ["a date", "DATE '2024-02-29'", DATE, "2024-02-29"],
  ["the first date", "DATE '0001-01-01'", DATE, "0001-01-01"],
  ["the last date", "DATE '9999-12-31'", DATE, "9999-12-31"],
  ["a time", "TIME '01:02:03'", TIME, "01:02:03"],
  ["a time with a fraction", "TIME '23:59:59.000120'", TIME, "23:59:59.000120"],
  ["a datetime", "TIMESTAMP '2026-08-20 09:00:00'", DATETIME, "2026-08-20T09:00:00"],
  ["a datetime with a fraction", "TIMESTAMP '1969-12-31 23:59:59.5'", DATETIME, "1969-12-31T23:59:59.500000"],
  ["a timestamp", "TIMESTAMP '2026-08-20 09:00:00.000001'", TIMESTAMP, 1787216400000001],
  ["a timestamp before 1970", "TIMESTAMP '1969-12-31 23:59:59.999999'", TIMESTAMP, -1],
  ["a timestamp with time zone", "TIMESTAMPTZ '1970-01-01 00:00:01+00'", TIMESTAMP, 1000000],
  ["an interval", "INTERVAL '14 months 3 days 04:05:06.789'", INTERVAL, "1-2 3 4:5:6.789"],
  ["a negative interval", "INTERVAL '-1 months -2 days -00:00:00.000001'", INTERVAL, "-0-1 -2 -0:0:0.000001"],
  ["no interval", "INTERVAL '0 days'", INTERVAL, "0-0 0 0:0:0"],
  ["JSON", `'{"a":[1,null]}'::JSON`, JSON_TYPE, { a: [1, null] }, '{"a":[1,null]}'],
  ["a NULL of unknown type", "NULL", UNKNOWN, null],
  ["an array", "[1, NULL, 3]::BIGINT[]", arrayOf(INT64), [1, null, 3]],
  ["an empty array", "[]::VARCHAR[]", arrayOf(STRING), []],
  ["a NULL array", "NULL::VARCHAR[]", arrayOf(STRING), [], null],
  [
    "a struct with unnamed and repeated fields",
    "{'f1': 1::BIGINT, 'f2': 'x', 'f3': NULL::VARCHAR}",
    structOf([{ name: "a", type: INT64 }, { type: STRING }, { name: "c", type: STRING }]),
    { a: 1, _field_2: "x", c: null },
    [1, "x", null],
  ],
  [
    "an array of structs that hold arrays",
    "[{'f1': [1.5::DOUBLE]}, NULL]",
    arrayOf(structOf([{ name: "n", type: arrayOf(FLOAT64) }])),
    [{ n: [1.5] }, null],
    [[[1.5]], null],
  ],
  [
    "a range of dates",
    "{'start': DATE '2020-01-01', 'end': NULL::DATE}",
    { kind: "RANGE", element: DATE },
    "[2020-01-01, UNBOUNDED)",
  ],
  [
    "a range of timestamps",
    "{'start': TIMESTAMP '2020-01-01 00:00:00', 'end': TIMESTAMP '2020-01-02 00:00:00.5'}",
    { kind: "RANGE", element: TIMESTAMP },
    "[2020-01-01 00:00:00+00, 2020-01-02 00:00:00.500000+00)",
  ],
  ["a record", `'{"request":[{"path":"/"}]}'`, RECORD, { request: [{ path: "/" }] }, '{"request":[{"path":"/"}]}'],
  ["a record field", `'[{"n":12.50}]'`, arrayOf(RECORD), [{ n: 12.5 }], '[{"n":12.50}]'],
  ["a missing record field", "NULL::VARCHAR", arrayOf(RECORD), [], null],
];

describe("row encoding", () => {
  let database: MemoryDatabase;
  beforeAll(async () => {
    database = await openMemoryDatabase();
  });
  afterAll(() => database.close());

  const named = cases.map(([name, expression, type, inObject, ...inCell]) => ({
    name,
    expression,
    columns: [{ name: "v", type }],
    inObject,
    inCell: inCell.length === 0 ? inObject : inCell[0],
  }));
  it.each(named)("writes $name", async ({ expression, columns, inObject, inCell }) => {
    expect(await database.encode(`SELECT ${expression}`, columns, "objects")).toEqual([{ v: inObject }]);
    expect(await database.encode(`SELECT ${expression}`, columns, "cells")).toEqual([[inCell]]);
  });

  it("preserves the order of columns and rows over several chunks", async () => {
    const columns = [
      { name: "b", type: INT64 },
      { name: 'a"', type: STRING },
    ];
    const rows = await database.encode("SELECT i, 'r' || i FROM range(5000) t(i)", columns, "objects");
    expect(rows).toHaveLength(5000);
    expect(JSON.stringify(rows[4999])).toBe('{"b":4999,"a\\"":"r4999"}');
  });

  it("copies JSON text without changing its numbers", async () => {
    const reader = await database.query(`SELECT '{"n":1.10}'`);
    expect(reader.rows).toEqual([['{"n":1.10}']]);
  });

  it("rejects a value that does not match the column's type", async () => {
    await expect(database.encode("SELECT 'x'", [{ name: "v", type: INT64 }], "cells")).rejects.toThrow(
      "The engine answered string for a column of type INT64",
    );
  });
});
