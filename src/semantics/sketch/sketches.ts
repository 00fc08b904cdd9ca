/** Functions behind HLL_COUNT.* and KLL_QUANTILES.*: the aggregation itself is a list of values, or of sketches. */
import { defineFunction, type ScalarFunction, withoutNulls } from "../scalar-function.ts";
import { createSketch, decodeSketch, encodeSketch, estimate, mergeSketches } from "./hll-sketch.ts";
import { createKll, decodeKll, encodeKll, mergeKll, pointOf, quantilesOf } from "./kll-sketch.ts";

/**
 * A function of all sketches in a list, in base64, since a list of BLOBs does not cross into JavaScript; NULL where all
 * of it is NULL.
 */
function merging<Sketch, Result>(
  decode: (bytes: Uint8Array) => Sketch,
  merge: (left: Sketch, right: Sketch) => Sketch,
  read: (merged: Sketch) => Result,
): (texts: readonly (string | null)[]) => Result | null {
  return (texts) => {
    let merged: Sketch | undefined;
    for (const text of withoutNulls(texts)) {
      const sketch = decode(Buffer.from(text, "base64"));
      merged = merged === undefined ? sketch : merge(merged, sketch);
    }
    return merged === undefined ? null : read(merged);
  };
}

export const sketchFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_hll_init", ["INT64[]", "INT64", "INT64"], "BYTES", (hashes, precision, typeCode) =>
    encodeSketch(createSketch(withoutNulls(hashes), Number(precision), Number(typeCode))),
  ),
  defineFunction("lw_hll_extract", ["BYTES"], "INT64", (sketch) => estimate(decodeSketch(sketch))),
  defineFunction("lw_hll_merge", ["STRING[]"], "INT64", merging(decodeSketch, mergeSketches, estimate)),
  defineFunction("lw_hll_merge_partial", ["STRING[]"], "BYTES", merging(decodeSketch, mergeSketches, encodeSketch)),
  defineFunction("lw_kll_init_int64", ["INT64[]", "INT64"], "BYTES", (values, precision) =>
    encodeKll(createKll("INT64", withoutNulls(values), Number(precision))),
  ),
  defineFunction("lw_kll_init_float64", ["FLOAT64[]", "INT64"], "BYTES", (values, precision) =>
    encodeKll(createKll("FLOAT64", withoutNulls(values), Number(precision))),
  ),
  defineFunction("lw_kll_merge", ["STRING[]"], "BYTES", merging(decodeKll, mergeKll, encodeKll)),
  defineFunction("lw_kll_quantiles_int64", ["BYTES", "INT64"], "INT64[]", (sketch, groups) =>
    quantilesOf(decodeKll(sketch, "INT64"), Number(groups)).map(BigInt),
  ),
  defineFunction("lw_kll_quantiles_float64", ["BYTES", "INT64"], "FLOAT64[]", (sketch, groups) =>
    quantilesOf(decodeKll(sketch, "FLOAT64"), Number(groups)).map(Number),
  ),
  defineFunction("lw_kll_point_int64", ["BYTES", "FLOAT64"], "INT64", (sketch, share) =>
    BigInt(pointOf(decodeKll(sketch, "INT64"), share)),
  ),
  defineFunction("lw_kll_point_float64", ["BYTES", "FLOAT64"], "FLOAT64", (sketch, share) =>
    Number(pointOf(decodeKll(sketch, "FLOAT64"), share)),
  ),
];
