import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import type { SchemaElement } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, describe, expect, it } from "vitest";
import { sampleOf, sampleSize } from "../../../test/support/sample-size.ts";
import { CliError } from "../context.ts";
import { parquetLines } from "./parquet-lines.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-parquet-"));
const path = join(folder, "file.parquet");

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function linesOf(): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const { bytes } of parquetLines(path)) lines.push(bytes.toString());
  return lines;
}

async function linesOfQuery(sql: string): Promise<readonly string[]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  return linesOf();
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Names that objects, readers and paths have a meaning for. */
const oddName = fc.constantFrom("__proto__", "constructor", "a.b", "a", "b", "00", "key", "value", "list", "id", "ä'");
const decimal = fc.tuple(fc.bigInt(-(10n ** 38n) + 1n, 10n ** 38n - 1n), fc.integer({ min: 0, max: 38 }));

/** A value in DuckDB's SQL, and in the JSON of an event. */
type Value = readonly [sql: string, json: string];

const { value } = fc.letrec<{ value: Value; struct: Value; map: Value; list: Value; leaf: Value }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, tie("leaf"), tie("struct"), tie("map"), tie("list")),
  leaf: fc.oneof(
    decimal.map(([whole, scale]): Value => {
      const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, "0");
      const point = scale === 0 ? "" : `.${digits.slice(-scale)}`;
      const text = `${whole < 0n ? "-" : ""}${scale === 0 ? digits : digits.slice(0, -scale)}${point}`;
      return [`CAST('${text}' AS DECIMAL(38,${scale}))`, text];
    }),
    fc.constantFrom<Value>(["'__proto__'", '"__proto__"'], ["TRUE", "true"], ["NULL::INTEGER", "null"]),
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((n): Value => [`CAST('${n}' AS BIGINT)`, `${n}`]),
    fc.uint8Array({ minLength: 1, maxLength: 3 }).map((bytes): Value => {
      // No text, whatever follows.
      const all = Buffer.from([0xff, ...bytes]);
      return [`from_hex('${all.toString("hex")}')`, JSON.stringify(all.toString("base64"))];
    }),
  ),
  struct: fc
    .uniqueArray(fc.tuple(oddName, tie("value")), { minLength: 1, maxLength: 4, selector: ([name]) => name })
    .map(
      (parts): Value => [
        `{${parts.map(([name, [sql]]) => `${quote(name)}: ${sql}`).join()}}`,
        `{${parts.map(([name, [, json]]) => `${JSON.stringify(name)}:${json}`).join()}}`,
      ],
    ),
  map: fc
    .tuple(oddName, tie("value"))
    .map(([key, [sql, json]]): Value => [`MAP {${quote(key)}: ${sql}}`, `{${JSON.stringify(key)}:${json}}`]),
  list: tie("value").map(([sql, json]): Value => [`[${sql}, ${sql}]`, `[${json},${json}]`]),
}));

describe("the rows of Parquet", () => {
  it("are events of the same values, whatever their types and the names of their fields", async () => {
    const columns = fc.uniqueArray(fc.tuple(oddName, value), {
      minLength: 1,
      maxLength: 4,
      selector: ([name]) => name,
    });
    await fc.assert(
      fc.asyncProperty(columns, async (all) => {
        const sql = all.map(([name, [text]]) => `${text} AS "${name}"`).join();
        const line = `{${all.map(([name, [, json]]) => `${JSON.stringify(name)}:${json}`).join()}}`;
        expect(await linesOfQuery(`SELECT ${sql} FROM range(2)`)).toEqual([line, line]);
      }),
      {
        numRuns: sampleSize(10, 300),
        examples: [
          [[["a", ["CAST(0.3 AS DECIMAL(3,1))", "0.3"]]]],
          [[["a", ["MAP {'__proto__': 1}", '{"__proto__":1}']]]],
          [[["a", ["{'b.c': 1, 'b': {'c': 2}}", '{"b.c":1,"b":{"c":2}}']]]],
        ],
      },
    );
  });

  it("have whole dates, and JSON with all digits", async () => {
    const dates = "DATE '12000-01-01' AS late, DATE '-4000-01-01' AS early";
    expect(await linesOfQuery(`SELECT ${dates}, '{"a":1e400,"b":12345678901234567890}'::JSON AS j`)).toEqual([
      '{"late":"12000-01-01","early":"-4000-01-01","j":{"a":1e400,"b":12345678901234567890}}',
    ]);
  });

  it("are refused where only the newer of two annotations says their type, which would be overlooked", async () => {
    const element = { name: "price", type: "INT32", repetition_type: "REQUIRED" } as const;
    for (const logical_type of [{ type: "DECIMAL", scale: 1, precision: 9 }, { type: "DATE" }] as const) {
      const schema: SchemaElement[] = [
        { name: "root", num_children: 1 },
        { ...element, logical_type },
      ];
      writeFileSync(path, Buffer.from(parquetWriteBuffer({ schema, columnData: [{ name: "price", data: [3] }] })));
      await expect(linesOf()).rejects.toThrow('the type of "price" has no converted_type');
    }
  });

  it("are refused where a name stands twice, of whose values one would be lost", async () => {
    const element = { type: "INT32", repetition_type: "REQUIRED" } as const;
    for (const [one, other] of [
      ["a", "a"],
      ["a", "A"],
    ] as const) {
      const columnData = [one, other].map((name) => ({ name, data: [1] }));
      const leaves: SchemaElement[] = [one, other].map((name) => ({ ...element, name }));
      writeFileSync(
        path,
        Buffer.from(parquetWriteBuffer({ schema: [{ name: "root", num_children: 2 }, ...leaves], columnData })),
      );
      await expect(linesOf()).rejects.toThrow(`two columns named "${other}"`);
    }
    const schema: SchemaElement[] = [
      { name: "root", num_children: 1 },
      { name: "s", num_children: 2, repetition_type: "REQUIRED" },
      { ...element, name: "a" },
      { ...element, name: "A" },
    ];
    writeFileSync(
      path,
      Buffer.from(parquetWriteBuffer({ schema, columnData: [{ name: "s", data: [{ a: 1, A: 2 }] }] })),
    );
    await expect(linesOf()).rejects.toThrow('two columns named "A"');
  });

  it("end, whatever bytes of the file are changed", async () => {
    const nested =
      "[{'a': range, 'b': ['x', NULL]}, NULL] AS l, CAST(range AS DECIMAL(20,2)) AS d, MAP {'k': range} AS m";
    expect(await linesOfQuery(`SELECT ${nested} FROM range(3)`)).toHaveLength(3);
    const whole = readFileSync(path);
    let damaged = 0;
    for (const at of sampleOf([...whole.keys()], 0.03)) {
      const bytes = Buffer.from(whole);
      bytes[at] = (whole[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(path, bytes);
      await linesOf().catch((error: unknown) => {
        expect(error).toBeInstanceOf(CliError);
        damaged++;
      });
    }
    expect(damaged).toBeGreaterThan(10);
  });
});
