import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../test/support/code-point.ts";
import { RowBatch } from "./row-batch.ts";

const texts = fc.string({ unit: codePoint, minLength: 1 });

/** The text's bytes, cut at the places. */
function cut(text: string, places: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe("a batch of rows", () => {
  it("has the same text and bytes, whatever it was made of and wherever that was cut", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 6 }), (text, places) => {
        for (const batch of [new RowBatch(text, 1), new RowBatch(cut(text, places), 1)]) {
          const bytes = Buffer.concat(batch.chunks.map((chunk) => Buffer.from(chunk)));
          expect([bytes.toString(), batch.json]).toEqual([text, text]);
        }
      }),
    );
    expect([new RowBatch([], 0).json, new RowBatch([], 0).chunks]).toEqual(["", [""]]);
  });

  it("has a tail that begins with a character and is at least as long as asked", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 6 }), fc.nat(), (text, places, count) => {
        const batch = new RowBatch(cut(text, places), 1);
        const byteCount = count % (Buffer.byteLength(text) + 2);
        const tail = batch.tail(byteCount);
        expect(text.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(tail)).toBeGreaterThanOrEqual(Math.min(byteCount, Buffer.byteLength(text)));
        expect(text.endsWith(new RowBatch(text, 1).tail(byteCount))).toBe(true);
      }),
    );
  });

  it("cannot be copied with another text and the bytes of the first", () => {
    const copy = { ...new RowBatch([Buffer.from("[1]")], 1) };
    expect(copy).toEqual({ rowCount: 1 });
  });
});
