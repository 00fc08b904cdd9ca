import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packedFieldName } from "../../../semantics/can-fail.ts";
import { defineFunction } from "../../../semantics/scalar-function.ts";
import { type DuckDBConnection, DuckDBInstance } from "./driver.ts";
import { registerFunctions } from "./udf-registration.ts";

describe("registered functions", () => {
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;
  /** All functions are called as if they may fail: with their arguments packed in a struct. */
  const call = (name: string, args: readonly string[]) => {
    const fields = args.map((value, index) => `'${packedFieldName(index)}': ${value}`);
    return `${name}(${args.length === 0 ? "" : `{${fields.join(", ")}}`})`;
  };
  const evaluate = async (expression: string) =>
    (await connection.runAndReadAll(`SELECT (${expression})::VARCHAR`)).getRows()[0]?.[0];

  beforeAll(async () => {
    instance = await DuckDBInstance.create(":memory:");
    connection = await instance.connect();
    registerFunctions(connection, [
      defineFunction("lw_varchar", ["STRING"], "STRING", (text) => `${text}!`),
      defineFunction("lw_bigint", ["INT64", "INT64"], "INT64", (a, b) => a + b),
      defineFunction("lw_double", ["FLOAT64"], "FLOAT64", (x) => x / 2),
      defineFunction("lw_numeric", ["NUMERIC"], "NUMERIC", (value) => value * 2n),
      defineFunction("lw_bignumeric", ["BIGNUMERIC", "BIGNUMERIC"], "BIGNUMERIC", (a, b) => a * b),
      defineFunction("lw_boolean", ["BOOL"], "BOOL", (x) => !x),
      defineFunction("lw_blob", ["BYTES"], "BYTES", (bytes) => Uint8Array.from(bytes).reverse()),
      defineFunction("lw_timestamp", ["TIMESTAMP"], "TIMESTAMP", (micros) => micros + 1n),
      defineFunction("lw_date", ["DATE"], "DATE", (days) => days + 1),
      defineFunction("lw_time", ["TIME"], "TIME", (micros) => micros + 1n),
      defineFunction("lw_varchars", ["STRING[]"], "STRING[]", (list) => [...list, "z"]),
      defineFunction("lw_bigints", ["INT64[]"], "INT64[]", (list) => [...list, 9n]),
      defineFunction("lw_doubles", ["FLOAT64[]"], "FLOAT64[]", (list) => [...list, 0.5]),
      defineFunction("lw_none", ["STRING"], "STRING", () => null),
      defineFunction("lw_constant", [], "STRING", () => "k"),
      defineFunction("lw_fails", ["STRING"], "STRING", (text) => {
        throw new Error(`Cannot use ${text}`);
      }),
      { ...defineFunction("lw_null", ["STRING"], "STRING", (text) => `got ${text}`), acceptsNull: true },
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
  ])("compute %s of %j", async (name, args, expected) => {
    expect(await evaluate(call(name, args))).toBe(expected);
  });

  it("cannot be called with arguments outside a struct", async () => {
    await expect(evaluate("lw_none(chr(65))")).rejects.toThrow(/No function matches/);
  });

  it("fail the query with their own message", async () => {
    await expect(evaluate(call("lw_fails", ["'x'"]))).rejects.toThrow(/Cannot use x$/);
  });

  it("compute many rows that include NULLs", async () => {
    const value = call("lw_varchar", ["CASE WHEN i % 3 = 0 THEN NULL ELSE i::VARCHAR END"]);
    const sql = `SELECT count(${value})::INTEGER FROM range(9000) t(i)`;
    expect((await connection.runAndReadAll(sql)).getRows()).toEqual([[6000]]);
  });
});
