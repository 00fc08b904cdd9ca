import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { decodeBatch } from "../../../../test/support/engines/duckdb/batch/decode-batch.ts";
import type { LogEvent } from "../../contract/query-engine.ts";
import { BatchBuilder, type BatchType, type BatchValue } from "./batch.ts";

function eventOf(id: string, hasGeneratedId: boolean): LogEvent {
  return { id, hasGeneratedId, timestampUs: -5n, eventMessage: null, fields: {} };
}

const cell: fc.Arbitrary<readonly [BatchType, BatchValue]> = fc.oneof(
  fc.tuple(fc.constant<BatchType>("STRING"), fc.string({ unit: codePoint })),
  fc.tuple(fc.constant<BatchType>("INT64"), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  fc.tuple(fc.constant<BatchType>("FLOAT64"), fc.double()),
  fc.tuple(fc.constant<BatchType>("BOOL"), fc.boolean()),
  fc.tuple(
    fc.constant<BatchType>("STRING[]"),
    fc.array(fc.string()).map((items) => JSON.stringify(items)),
  ),
);

describe("an encoded batch", () => {
  it("decodes to the rows that were added, with gaps where rows have no value", () => {
    const rows = fc.array(fc.dictionary(fc.constantFrom("c1", "c2", "c3"), cell, { maxKeys: 3 }), { maxLength: 12 });
    fc.assert(
      fc.property(rows, (sent) => {
        const builder = new BatchBuilder();
        for (const cells of sent) {
          const row = builder.addRow(eventOf(`e${builder.rowCount}`, true));
          for (const [name, [type, value]] of Object.entries(cells)) builder.put(row, `${name} ${type}`, type, value);
        }
        const received: Record<string, BatchValue>[] = sent.map(() => ({}));
        for (const { column, rows: numbers, values } of decodeBatch(builder.encode())) {
          values.forEach((value, i) => {
            const target = received[numbers?.[i] ?? i];
            if (target !== undefined) target[column] = value;
          });
        }
        const expected = sent.map((cells, i) => ({
          id: `e${i}`,
          timestamp: -5n,
          ...Object.fromEntries(Object.entries(cells).map(([name, [type, value]]) => [`${name} ${type}`, value])),
        }));
        expect(received).toEqual(expected);
      }),
    );
  });

  it("preserves integers given as numbers up to the largest safe integer", () => {
    const builder = new BatchBuilder();
    for (const value of [0, -1, 1, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      builder.put(builder.addRow(eventOf("e", true)), "n", "INT64", value);
    }
    const column = decodeBatch(builder.encode()).find((candidate) => candidate.column === "n");
    expect(column?.values).toEqual([0n, -1n, 1n, 4294967296n, -4294967297n, 9007199254740991n, -9007199254740991n]);
  });

  it("preserves short and long texts, and replaces lone surrogates in both", () => {
    const texts = ["x".repeat(200), "", "\u00e9\u{1f600}".repeat(50), "\ud83d", "\ude00 after a half", "y".repeat(300)];
    for (const first of [0, 1]) {
      const builder = new BatchBuilder();
      const sent = texts.slice(first);
      for (const text of sent) builder.put(builder.addRow(eventOf("e", true)), "t", "STRING", text);
      const column = decodeBatch(builder.encode()).find((candidate) => candidate.column === "t");
      expect(column?.values).toEqual(sent.map((text) => text.toWellFormed()));
    }
  });

  it("lists the rows whose ids the sender chose", () => {
    const builder = new BatchBuilder();
    for (const isGenerated of [true, false, true, false]) builder.addRow(eventOf("e", isGenerated));
    expect(builder.encode().header.ownIdRows).toEqual([1, 3]);
    const own = new BatchBuilder();
    own.addRow(eventOf("e", false));
    expect(own.encode().header.ownIdRows).toBe("all");
  });

  it("is rejected when its payload is truncated", () => {
    const builder = new BatchBuilder();
    builder.addRow(eventOf("some id", false));
    const { header, payload } = builder.encode();
    expect(() => decodeBatch({ header, payload: payload.subarray(0, 3) })).toThrow(RangeError);
  });
});
