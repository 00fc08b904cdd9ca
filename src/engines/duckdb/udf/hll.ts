import { createSketch, decodeSketch, encodeSketch, estimate, mergeSketches, type Sketch } from "./hll-sketch.ts";
import { defineUdf, type ScalarUdf } from "./udf.ts";

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

/** What HLL_COUNT.* is made of: the aggregation itself is a list of hashes, or of sketches. */
export const hllUdfs: readonly ScalarUdf[] = [
  defineUdf("lw_hll_init", ["BIGINT[]", "BIGINT", "BIGINT"], "BLOB", (hashes, precision, typeCode) =>
    encodeSketch(createSketch(present(hashes), Number(precision), Number(typeCode))),
  ),
  defineUdf("lw_hll_extract", ["BLOB"], "BIGINT", (sketch) => estimate(decodeSketch(sketch))),
  defineUdf("lw_hll_merge", ["VARCHAR[]"], "BIGINT", (sketches) => {
    const merged = mergeAll(sketches);
    return merged === undefined ? null : estimate(merged);
  }),
  defineUdf("lw_hll_merge_partial", ["VARCHAR[]"], "BLOB", (sketches) => {
    const merged = mergeAll(sketches);
    return merged === undefined ? null : encodeSketch(merged);
  }),
];
