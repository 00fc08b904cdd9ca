import { defineFunction, type ScalarFunction, withoutNulls } from "../scalar-function.ts";
import { createKll, decodeKll, encodeKll, mergeKll, pointOf, quantilesOf } from "./kll-sketch.ts";
import { mergeTexts } from "./merge-texts.ts";

function integers(values: readonly (bigint | number)[]): bigint[] {
  return values.map((value) => BigInt(value));
}

function doubles(values: readonly (bigint | number)[]): number[] {
  return values.map(Number);
}

/** Functions behind KLL_QUANTILES.*: the aggregation itself is a list of values, or of sketches. */
export const kllFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_kll_init_int64", ["INT64[]", "INT64"], "BYTES", (values, precision) => {
    return encodeKll(createKll("INT64", withoutNulls(values), Number(precision)));
  }),
  defineFunction("lw_kll_init_float64", ["FLOAT64[]", "INT64"], "BYTES", (values, precision) => {
    return encodeKll(createKll("FLOAT64", withoutNulls(values), Number(precision)));
  }),
  defineFunction("lw_kll_merge", ["STRING[]"], "BYTES", (sketches) => {
    const merged = mergeTexts(sketches, decodeKll, mergeKll);
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
