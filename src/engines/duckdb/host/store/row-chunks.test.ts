import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { useDatabase } from "../../../../../test/support/engines/duckdb/driver/test-database.ts";
import { BatchBuilder, type BatchValue } from "../../batch/batch.ts";
import { viewBatch } from "../../batch/batch-reader.ts";
import { DuckDBListValue, type DuckDBValue } from "../../driver/driver.ts";
import { buildChunks, type PickedRows, type TableColumn } from "./row-chunks.ts";

const table: readonly TableColumn[] = [
  { name: "id", type: "STRING" },
  { name: "timestamp", type: "TIMESTAMP" },
  { name: "run", type: "RUN" },
  { name: "text", type: "STRING" },
  { name: "whole", type: "INT64" },
  { name: "real", type: "FLOAT64" },
  { name: "flag", type: "BOOL" },
  { name: "numbers", type: "INT64[]" },
  { name: "texts", type: "STRING[]" },
  { name: "absent", type: "STRING" },
];

interface Sent {
  readonly text?: string | undefined;
  readonly whole?: bigint | undefined;
  readonly real?: number | undefined;
  readonly flag?: boolean | undefined;
  readonly numbers?: readonly bigint[] | undefined;
  readonly texts?: readonly string[] | undefined;
}

const types = {
  text: "STRING",
  whole: "INT64",
  real: "FLOAT64",
  flag: "BOOL",
  numbers: "INT64[]",
  texts: "STRING[]",
} as const;
const names = Object.keys(types) as (keyof Sent)[];

const text = fc.oneof(
  fc.string({ maxLength: 16 }),
  fc.string({ unit: "grapheme", maxLength: 16 }),
  fc.string({ minLength: 200, maxLength: 300 }),
);
const sentRow: fc.Arbitrary<Sent> = fc.record(
  {
    text,
    whole: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    real: fc.double({ noNaN: true }),
    flag: fc.boolean(),
    numbers: fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 3 }),
    texts: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

function toBatchValue(value: Sent[keyof Sent]): BatchValue {
  if (!Array.isArray(value)) return value as BatchValue;
  return `[${value.map((item) => (typeof item === "bigint" ? String(item) : JSON.stringify(item))).join(",")}]`;
}

function makePart(rows: readonly (Sent & { readonly isPicked: boolean })[], name: string): PickedRows {
  const builder = new BatchBuilder();
  rows.forEach((sent, index) => {
    const row = builder.addRow({
      id: `${name}${index}`,
      hasGeneratedId: true,
      timestampUs: BigInt(index),
      eventMessage: null,
      fields: {},
    });
    for (const column of names) {
      const value = sent[column];
      if (value !== undefined) builder.put(row, column, types[column], toBatchValue(value));
    }
  });
  const picked = rows.flatMap(({ isPicked }, index) => (isPicked ? [index] : []));
  return { columns: viewBatch(builder.encode()), rows: picked, rowCount: rows.length };
}

function plain(value: DuckDBValue | undefined): unknown {
  return value instanceof DuckDBListValue ? value.items : (value ?? undefined);
}

describe("the chunks built from batches", () => {
  const duckdb = useDatabase();
  beforeAll(async () => {
    await duckdb.connection.all(
      `CREATE TABLE t (id VARCHAR, timestamp TIMESTAMP, run INTEGER, text VARCHAR, whole BIGINT, real DOUBLE,
       flag BOOLEAN, numbers BIGINT[], texts VARCHAR[], absent VARCHAR)`,
    );
  });

  async function store(parts: readonly PickedRows[]): Promise<DuckDBValue[][]> {
    await duckdb.connection.all("DELETE FROM t");
    await duckdb.connection.append("t", buildChunks(table, parts));
    return duckdb.connection.all(
      "SELECT id, text, whole, real, flag, numbers, texts, absent, run FROM t ORDER BY rowid",
    );
  }

  it("contain the selected rows of every part, with NULL where a row has no value", async () => {
    const row = fc.tuple(sentRow, fc.boolean()).map(([sent, isPicked]) => ({ ...sent, isPicked }));
    const parts = fc.array(fc.array(row, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(parts, async (sent) => {
        const rows = await store(sent.map((part, index) => makePart(part, `part${index}-`)));
        const expected = sent.flatMap((part, index) =>
          part.flatMap((one, at) =>
            one.isPicked ? [[`part${index}-${at}`, ...names.map((name) => one[name]), undefined, undefined]] : [],
          ),
        );
        expect(rows.map((cells) => cells.map(plain))).toEqual(expected);
      }),
    );
  });

  it("are as few as the rows need, however the rows are spread over parts", async () => {
    const long = (index: number) => ({
      text: `${"long text, ".repeat(3)}${index}`,
      whole: BigInt(index),
      isPicked: true,
    });
    const part = (name: string) =>
      makePart(
        Array.from({ length: 1500 }, (_, index) => long(index)),
        name,
      );
    const rows = await store([part("a"), part("b"), part("c")]);
    expect(rows).toHaveLength(4500);
    expect(rows.every(([, value, whole]) => value === long(Number(whole)).text)).toBe(true);
    expect(rows.map(([id]) => id)).toEqual(
      ["a", "b", "c"].flatMap((name) => Array.from({ length: 1500 }, (_, i) => `${name}${i}`)),
    );
  });

  it("replace lone surrogates, even if two adjacent rows would form a pair", async () => {
    const rows = await store([
      makePart(
        [
          { text: "a\ud83d", isPicked: true },
          { text: "\ude00b", isPicked: true },
        ],
        "x",
      ),
    ]);
    expect(rows.map(([, value]) => value)).toEqual(["a\ufffd", "\ufffdb"]);
  });

  it("are rejected for a column of another type", () => {
    const builder = new BatchBuilder();
    const row = builder.addRow({ id: "x", hasGeneratedId: true, timestampUs: 0n, eventMessage: null, fields: {} });
    builder.put(row, "text", "INT64", 1);
    const part = { columns: viewBatch(builder.encode()), rows: [0], rowCount: 1 };
    expect(() => buildChunks(table, [part])).toThrow("no column text of INT64");
  });
});
