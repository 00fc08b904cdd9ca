import { expect, it } from "vitest";
import { printSql } from "../../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import {
  arrayOf,
  DATE,
  INT64,
  INTERVAL,
  type RecordType,
  STRING,
  TIMESTAMP,
  UNKNOWN,
} from "../../../../googlesql/types.ts";
import { storedColumnOf, textSql } from "../../sql/atoms.ts";
import { physicalTypeSql, printLiteral, printNull, printPart } from "./literals.ts";

const record: RecordType = { kind: "RECORD", fields: [], isRepeated: false, isOpen: false };

it("each type has a type of DuckDB that holds its values", () => {
  const struct = { kind: "STRUCT", fields: [{ type: arrayOf(INT64) }, { type: record }] } as const;
  const types = [
    [arrayOf(STRING), "VARCHAR[]"],
    [record, "VARCHAR"],
    [arrayOf(record), "VARCHAR"],
    [{ kind: "MIXED" }, "VARCHAR"],
    [arrayOf({ kind: "MIXED" }), "VARCHAR[]"],
    [struct, "STRUCT(f1 BIGINT[], f2 VARCHAR)"],
    [{ kind: "STRUCT", fields: [] }, "STRUCT(f1 BOOLEAN)"],
    [{ kind: "RANGE", element: DATE }, 'STRUCT("start" DATE, "end" DATE)'],
  ] as const;
  for (const [type, text] of types) expect(printSql(physicalTypeSql(type))).toBe(text);
});

it("NULL has its type unless none is known, as a part has of what is no column", () => {
  expect([printNull(TIMESTAMP), printNull(UNKNOWN)].map(printSql)).toEqual(["CAST(NULL AS TIMESTAMP)", "NULL"]);
  const part = textSql("part");
  expect(printPart(part, storedColumnOf("t", "c"), INT64)).toBe(part);
  expect(printPart(part, textSql("whole"), UNKNOWN)).toBe(part);
  expect(printSql(printPart(part, textSql("whole"), INT64))).toBe("CAST('part' AS BIGINT)");
});

it.each([
  ["BOOL", "true", "true"],
  ["BOOL", "false", "false"],
  ["INT64", "-9223372036854775808", "CAST('-9223372036854775808' AS BIGINT)"],
  ["FLOAT64", "0.1", "CAST('0.1' AS DOUBLE)"],
  ["FLOAT64", "-0", "CAST('-0' AS DOUBLE)"],
  ["FLOAT64", "0", "CAST('0' AS DOUBLE)"],
  ["FLOAT64", "NaN", "CAST('NaN' AS DOUBLE)"],
  ["FLOAT64", "-Infinity", "CAST('-Infinity' AS DOUBLE)"],
  ["BYTES", "YQ==", "from_base64('YQ==')"],
  ["DATE", "2024-01-02", "CAST('2024-01-02' AS DATE)"],
  ["TIME", "01:02:03", "CAST('01:02:03' AS TIME)"],
  ["DATETIME", "2024-01-02 03:04:05", "CAST('2024-01-02 03:04:05' AS TIMESTAMP)"],
  ["TIMESTAMP", "-1", "make_timestamp(CAST('-1' AS BIGINT))"],
  ["STRING", "it's", "'it''s'"],
  ["JSON", "{}", "'{}'"],
] as const)("a literal of %s is one of the physical type: %s", (kind, value, text) => {
  expect(printSql(printLiteral({ kind }, value))).toBe(text);
});

it("an INTERVAL that cannot be read is an error of ours", () => {
  expect(() => printLiteral(INTERVAL, "soon")).toThrow("Invalid INTERVAL value 'soon'");
});
