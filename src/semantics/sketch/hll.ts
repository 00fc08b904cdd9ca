import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import { createSketch, decodeSketch, encodeSketch, estimate, mergeSketches, type Sketch } from "./hll-sketch.ts";

/** Sketches as base64, since a list of BLOBs does not cross into JavaScript. */
function mergeAll(sketches: readonly (string | null)[]): Sketch | undefined {
  let merged: Sketch | undefined;
  for (const text of sketches) {
    if (text === null) continue;
    const sketch = decodeSketch(Buffer.from(text, "base64"));
    merged = merged === undefined ? sketch : mergeSketches(merged, sketch);
  }
  return merged;
}

function present(hashes: readonly (bigint | null)[]): bigint[] {
  return hashes.filter((hash) => hash !== null);
}

/** Functions behind HLL_COUNT.*: the aggregation itself is a list of hashes, or of sketches. */
export const hllFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_hll_init", ["INT64[]", "INT64", "INT64"], "BYTES", (hashes, precision, typeCode) =>
    encodeSketch(createSketch(present(hashes), Number(precision), Number(typeCode))),
  ),
  defineFunction("lw_hll_extract", ["BYTES"], "INT64", (sketch) => estimate(decodeSketch(sketch))),
  defineFunction("lw_hll_merge", ["STRING[]"], "INT64", (sketches) => {
    const merged = mergeAll(sketches);
    return merged === undefined ? null : estimate(merged);
  }),
  defineFunction("lw_hll_merge_partial", ["STRING[]"], "BYTES", (sketches) => {
    const merged = mergeAll(sketches);
    return merged === undefined ? null : encodeSketch(merged);
  }),
];
