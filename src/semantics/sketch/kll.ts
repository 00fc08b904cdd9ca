import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import {
  createKll,
  decodeKll,
  encodeKll,
  type KllSketch,
  type KllType,
  mergeKll,
  pointOf,
  quantilesOf,
} from "./kll-sketch.ts";

/** Sketches as base64, since a list of BLOBs does not cross into JavaScript. */
function mergeAll(sketches: readonly (string | null)[], type?: KllType): KllSketch | undefined {
  let merged: KllSketch | undefined;
  for (const text of sketches) {
    if (text === null) continue;
    const sketch = decodeKll(Buffer.from(text, "base64"), type);
    merged = merged === undefined ? sketch : mergeKll(merged, sketch);
  }
  return merged;
}

function present<T>(values: readonly (T | null)[]): T[] {
  return values.filter((value) => value !== null);
}

function integers(values: readonly (bigint | number)[]): bigint[] {
  return values.map((value) => BigInt(value));
}

function doubles(values: readonly (bigint | number)[]): number[] {
  return values.map(Number);
}

/** Functions behind KLL_QUANTILES.*: the aggregation itself is a list of values, or of sketches. */
export const kllFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_kll_init_int64", ["INT64[]", "INT64"], "BYTES", (values, precision) => {
    return encodeKll(createKll("INT64", present(values), Number(precision)));
  }),
  defineFunction("lw_kll_init_float64", ["FLOAT64[]", "INT64"], "BYTES", (values, precision) => {
    return encodeKll(createKll("FLOAT64", present(values), Number(precision)));
  }),
  defineFunction("lw_kll_merge", ["STRING[]"], "BYTES", (sketches) => {
    const merged = mergeAll(sketches);
    return merged === undefined ? null : encodeKll(merged);
  }),
  defineFunction("lw_kll_quantiles_int64", ["BYTES", "INT64"], "INT64[]", (sketch, groups) => {
    return integers(quantilesOf(decodeKll(sketch, "INT64"), Number(groups)));
  }),
  defineFunction("lw_kll_quantiles_float64", ["BYTES", "INT64"], "FLOAT64[]", (sketch, groups) => {
    return doubles(quantilesOf(decodeKll(sketch, "FLOAT64"), Number(groups)));
  }),
  defineFunction("lw_kll_point_int64", ["BYTES", "FLOAT64"], "INT64", (sketch, share) => {
    return BigInt(pointOf(decodeKll(sketch, "INT64"), share));
  }),
  defineFunction("lw_kll_point_float64", ["BYTES", "FLOAT64"], "FLOAT64", (sketch, share) => {
    return Number(pointOf(decodeKll(sketch, "FLOAT64"), share));
  }),
];
