import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKll, decodeKll, encodeKll, type KllSketch, mergeKll, pointOf, quantilesOf } from "./kll-sketch.ts";

/** 0, 1, ..., n - 1 in a scattered order. */
function scattered(count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => BigInt((i * 7919) % count));
}

function worstError(sketch: KllSketch, count: number): number {
  const quantiles = quantilesOf(sketch, 100);
  return Math.max(...quantiles.map((value, i) => Math.abs(Number(value) / count - i / 100)));
}

describe("quantile sketches", () => {
  it("are exact for few distinct values", () => {
    expect(quantilesOf(createKll("INT64", [1n, 1n, 1n, 4n, 5n, 6n, 7n, 8n, 9n, 10n], 1000), 2)).toEqual([1n, 5n, 10n]);
    expect([0, 0.1, 0.5, 1].map((share) => pointOf(createKll("FLOAT64", [3.5, 1.5, 2.5], 10), share))).toEqual([
      1.5, 1.5, 2.5, 3.5,
    ]);
  });

  it.each([10, 100, 1000])("of precision %i bound the rank error", (precision) => {
    const sketch = createKll("INT64", scattered(100_003), precision);
    expect(worstError(sketch, 100_003)).toBeLessThan(1 / precision + 1e-4);
    expect(sketch.entries.length).toBeLessThanOrEqual(precision * 16 + 2);
  });

  it("bound the rank error when merged from many parts", () => {
    const values = scattered(50_021);
    const parts = Array.from({ length: 20 }, (_, i) => createKll("INT64", values.slice(i * 2502, (i + 1) * 2502), 50));
    const sketch = parts.reduce(mergeKll);
    expect(worstError(sketch, 50_021)).toBeLessThan(1 / 50);
  });

  it("preserve the minimum and the maximum", () => {
    const sketch = createKll("INT64", scattered(100_003), 1);
    expect([pointOf(sketch, 0), pointOf(sketch, 1)]).toEqual([0n, 100_002n]);
  });

  it("survive encoding and decoding unchanged", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { minLength: 1 }), (values) => {
        const sketch = createKll("INT64", values, 100);
        expect(decodeKll(encodeKll(sketch), "INT64")).toEqual(sketch);
      }),
    );
  });

  it("are rejected for invalid bytes, types, precisions and quantiles", () => {
    const sketch = createKll("INT64", [1n], 100);
    expect(() => createKll("INT64", [1n], 0)).toThrow("precision");
    expect(() => decodeKll(encodeKll(sketch), "FLOAT64")).toThrow("not of FLOAT64");
    expect(() => mergeKll(sketch, createKll("FLOAT64", [1], 100))).toThrow("different types");
    expect(() => decodeKll(Uint8Array.from([1, 2, 3]))).toThrow("no sketch");
    expect(() => pointOf(sketch, 1.5)).toThrow("from 0 to 1");
    expect(() => quantilesOf(sketch, 0)).toThrow("number of groups");
  });
});
