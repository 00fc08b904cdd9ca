import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import type { SchemaElement } from "hyparquet";
import { ByteWriter, parquetWriteBuffer } from "hyparquet-writer";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { afterAll, describe, expect, it } from "vitest";
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
        numRuns: 30,
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

  it("are read by annotations that only newer files have", async () => {
    const element = { type: "INT32", repetition_type: "REQUIRED" } as const;
    const schema: SchemaElement[] = [
      { name: "root", num_children: 2 },
      { ...element, name: "price", logical_type: { type: "DECIMAL", scale: 1, precision: 9 } },
      { ...element, name: "day", logical_type: { type: "DATE" } },
    ];
    const columnData = ["price", "day"].map((name) => ({ name, data: [3] }));
    writeFileSync(path, Buffer.from(parquetWriteBuffer({ schema, columnData })));
    expect(await linesOf()).toEqual(['{"price":0.3,"day":"1970-01-04"}']);
  });

  it("are refused where a name stands twice, of whose values one would be lost", async () => {
    const element = { name: "a", type: "INT32", repetition_type: "REQUIRED" } as const;
    const columnData = [1, 2].map((value) => ({ name: "a", data: [value] }));
    const schema: SchemaElement[] = [{ name: "root", num_children: 2 }, element, element];
    writeFileSync(path, Buffer.from(parquetWriteBuffer({ schema, columnData })));
    await expect(linesOf()).rejects.toThrow('two columns named "a"');
  });

  it("end where a part has fewer children than none, which the search for geographic columns does not", async () => {
    const data = new Uint8Array(Buffer.from("PAR1"));
    const footer = new ByteWriter();
    serializeTCompactProtocol(footer, {
      field_1: 1,
      field_2: [
        { field_4: "root", field_5: 1 },
        { field_3: 1, field_4: "a", field_5: -1 },
      ],
      field_3: 0n,
      field_4: [],
    });
    footer.appendUint32(footer.offset);
    writeFileSync(path, Buffer.concat([data, new Uint8Array(footer.getBytes()), data]));
    expect(await linesOf()).toEqual([]);
  });
});
