import { defineFunction, type ScalarFunction, withoutNulls } from "../scalar-function.ts";
import { createSketch, decodeSketch, encodeSketch, estimate, mergeSketches } from "./hll-sketch.ts";
import { mergeTexts } from "./merge-texts.ts";

const mergeAll = (sketches: readonly (string | null)[]) => mergeTexts(sketches, decodeSketch, mergeSketches);

/** Functions behind HLL_COUNT.*: the aggregation itself is a list of hashes, or of sketches. */
export const hllFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_hll_init", ["INT64[]", "INT64", "INT64"], "BYTES", (hashes, precision, typeCode) =>
    encodeSketch(createSketch(withoutNulls(hashes), Number(precision), Number(typeCode))),
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
