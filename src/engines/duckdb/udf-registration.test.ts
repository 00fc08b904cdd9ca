import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DuckDBConnection, DuckDBInstance } from "./driver.ts";
import { packedFields } from "./udf/can-fail.ts";
import { defineUdf } from "./udf/udf.ts";
import { registerUdfs } from "./udf-registration.ts";

describe("registered functions", () => {
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;
  /** A function with arguments may fail: all are taken for such. */
  const call = (name: string, args: readonly string[]) => `${name}(${args.length === 0 ? "" : packedFields(args)})`;
  const evaluate = async (expression: string) =>
    (await connection.runAndReadAll(`SELECT (${expression})::VARCHAR`)).getRows()[0]?.[0];

  beforeAll(async () => {
    instance = await DuckDBInstance.create(":memory:");
    connection = await instance.connect();
    registerUdfs(connection, [
      defineUdf("lw_varchar", ["VARCHAR"], "VARCHAR", (text) => `${text}!`),
      defineUdf("lw_bigint", ["BIGINT", "BIGINT"], "BIGINT", (a, b) => a + b),
      defineUdf("lw_double", ["DOUBLE"], "DOUBLE", (x) => x / 2),
      defineUdf("lw_numeric", ["NUMERIC"], "NUMERIC", (value) => value * 2n),
      defineUdf("lw_bignumeric", ["BIGNUMERIC", "BIGNUMERIC"], "BIGNUMERIC", (a, b) => a * b),
      defineUdf("lw_boolean", ["BOOLEAN"], "BOOLEAN", (x) => !x),
      defineUdf("lw_blob", ["BLOB"], "BLOB", (bytes) => Uint8Array.from(bytes).reverse()),
      defineUdf("lw_timestamp", ["TIMESTAMP"], "TIMESTAMP", (micros) => micros + 1n),
      defineUdf("lw_date", ["DATE"], "DATE", (days) => days + 1),
      defineUdf("lw_time", ["TIME"], "TIME", (micros) => micros + 1n),
      defineUdf("lw_varchars", ["VARCHAR[]"], "VARCHAR[]", (list) => [...list, "z"]),
      defineUdf("lw_bigints", ["BIGINT[]"], "BIGINT[]", (list) => [...list, 9n]),
      defineUdf("lw_doubles", ["DOUBLE[]"], "DOUBLE[]", (list) => [...list, 0.5]),
      defineUdf("lw_none", ["VARCHAR"], "VARCHAR", () => null),
      defineUdf("lw_constant", [], "VARCHAR", () => "k"),
      defineUdf("lw_fails", ["VARCHAR"], "VARCHAR", (text) => {
        throw new Error(`Cannot use ${text}`);
      }),
      { ...defineUdf("lw_null", ["VARCHAR"], "VARCHAR", (text) => `got ${text}`), acceptsNull: true },
    ]);
  });
  afterAll(() => {
    connection.closeSync();
    instance.closeSync();
  });

  it.each([
    ["lw_varchar", ["'é'"], "é!"],
    ["lw_bigint", ["9223372036854775806", "1"], "9223372036854775807"],
    ["lw_double", ["3"], "1.5"],
    ["lw_numeric", ["-1.5::DECIMAL(38, 9)"], "-3.000000000"],
    [
      "lw_bignumeric",
      ["'-99999999999999999999'::BIGNUM", "'99999999999999999999'::BIGNUM"],
      "-9999999999999999999800000000000000000001",
    ],
    ["lw_boolean", ["true"], "false"],
    ["lw_blob", ["'ab'::BLOB"], "ba"],
    ["lw_timestamp", ["TIMESTAMP '2020-01-01'"], "2020-01-01 00:00:00.000001"],
    ["lw_date", ["DATE '2020-02-28'"], "2020-02-29"],
    ["lw_time", ["TIME '00:00:00'"], "00:00:00.000001"],
    ["lw_varchars", ["['a', NULL]"], "[a, NULL, z]"],
    ["lw_bigints", ["[]::BIGINT[]"], "[9]"],
    ["lw_doubles", ["[1, NULL]"], "[1.0, NULL, 0.5]"],
    ["lw_none", ["'a'"], null],
    ["lw_constant", [], "k"],
    ["lw_varchar", ["NULL"], null],
    ["lw_bigint", ["1", "NULL"], null],
    ["lw_null", ["NULL"], "got null"],
  ])("computes %s of %j", async (name, args, expected) => {
    expect(await evaluate(call(name, args))).toBe(expected);
  });

  it("do not exist for arguments that stand in no struct", async () => {
    await expect(evaluate("lw_none(chr(65))")).rejects.toThrow(/No function matches/);
  });

  it("fails the query with the function's own message", async () => {
    await expect(evaluate(call("lw_fails", ["'x'"]))).rejects.toThrow(/Cannot use x$/);
  });

  it("computes many rows, NULLs among them", async () => {
    const value = call("lw_varchar", ["CASE WHEN i % 3 = 0 THEN NULL ELSE i::VARCHAR END"]);
    const sql = `SELECT count(${value})::INTEGER FROM range(9000) t(i)`;
    expect((await connection.runAndReadAll(sql)).getRows()).toEqual([[6000]]);
  });
});
