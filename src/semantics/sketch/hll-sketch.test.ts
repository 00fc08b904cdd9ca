import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSketch, decodeSketch, encodeSketch, estimate, mergeSketches } from "./hll-sketch.ts";

function hashes(from: number, count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => {
    const digest = createHash("md5")
      .update(String(from + i))
      .digest();
    return digest.readBigUInt64BE() >> 1n;
  });
}

/** The relative error of an estimate. */
function errorOf(estimated: bigint, exact: number): number {
  return Math.abs(Number(estimated) - exact) / exact;
}

describe("HyperLogLog++ sketches", () => {
  it("count few values exactly", () => {
    for (const count of [0, 1, 100, 4096]) expect(estimate(createSketch(hashes(0, count), 15, 1))).toBe(BigInt(count));
  });

  it.each([
    [10, 20_000, 0.1],
    [12, 30_000, 0.05],
    [15, 40_000, 0.015],
    [15, 4_200, 0.015],
  ])("of precision %i estimate %i values within a share of %f", (precision, count, bound) => {
    expect(errorOf(estimate(createSketch(hashes(0, count), precision, 1)), count)).toBeLessThan(bound);
  });

  it("survive encoding and decoding unchanged", () => {
    for (const count of [0, 5, 5_000]) {
      const sketch = createSketch(hashes(0, count), 10, 2);
      const bytes = encodeSketch(sketch);
      expect(encodeSketch(decodeSketch(bytes))).toEqual(bytes);
      expect(estimate(decodeSketch(bytes))).toBe(estimate(sketch));
    }
  });

  it("do not depend on the order or repetition of values", () => {
    const values = hashes(0, 50);
    expect(encodeSketch(createSketch([...values, ...values].reverse(), 11, 1))).toEqual(
      encodeSketch(createSketch(values, 11, 1)),
    );
  });

  it("merge to the sketch of all values together", () => {
    const [a, b] = [hashes(0, 3_000), hashes(2_000, 3_000)];
    for (const precision of [10, 14]) {
      const merged = mergeSketches(createSketch(a, precision, 1), createSketch(b, precision, 1));
      expect(encodeSketch(merged)).toEqual(encodeSketch(createSketch([...a, ...b], precision, 1)));
    }
  });

  it("merge different precisions to a sketch of the lower one", () => {
    const [a, b] = [hashes(0, 30_000), hashes(20_000, 30_000)];
    const merged = mergeSketches(createSketch(a, 14, 1), createSketch(b, 11, 1));
    expect(encodeSketch(merged)).toEqual(encodeSketch(createSketch([...a, ...b], 11, 1)));
  });

  it("of different types do not merge", () => {
    expect(() => mergeSketches(createSketch([], 10, 1), createSketch([], 10, 2))).toThrow("different types");
  });

  it.each([9, 25])("cannot have a precision of %i", (precision) => {
    expect(() => createSketch([], precision, 1)).toThrow("precision");
  });

  it("cannot be decoded from other bytes", () => {
    const bytes = encodeSketch(createSketch(hashes(0, 2_000), 10, 1));
    for (const other of [
      new Uint8Array(),
      bytes.subarray(0, 20),
      bytes.map((byte, i) => (i === 7 ? 200 : byte)),
      bytes.subarray(1),
    ]) {
      expect(() => decodeSketch(other)).toThrow("no sketch");
    }
  });
});
