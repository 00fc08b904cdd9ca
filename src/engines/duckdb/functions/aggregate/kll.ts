/** KLL_QUANTILES.*: a list is collected and JavaScript makes the sketch of it (see hll.ts for the like). */

import type { FunctionTable, PrintCall } from "../types.ts";
import { type AggregateContext, type AggregateTable, type PrintAggregate, printAggregate } from "./aggregate-shape.ts";

function init(type: "int64" | "float64"): PrintAggregate {
  return ({ args, modifiers }) => {
    const [value = "", precision = "1000"] = args;
    return `lw_kll_init_${type}(${printAggregate("list", [value], modifiers, `${value} IS NOT NULL`)}, ${precision})`;
  };
}

function merged({ args, modifiers }: AggregateContext): string {
  const [sketch = ""] = args;
  return `lw_kll_merge(${printAggregate("list", [`to_base64(${sketch})`], modifiers, `${sketch} IS NOT NULL`)})`;
}

function ofMerged(name: string): PrintAggregate {
  return (context) => `lw_kll_${name}(${merged(context)}, ${context.args[1]})`;
}

function ofOne(name: string): PrintCall {
  return ({ args }) => `lw_kll_${name}(${args.join(", ")})`;
}

export const kllFunctions: AggregateTable = {
  "KLL_QUANTILES.INIT_INT64": init("int64"),
  "KLL_QUANTILES.INIT_FLOAT64": init("float64"),
  "KLL_QUANTILES.MERGE_PARTIAL": merged,
  "KLL_QUANTILES.MERGE_INT64": ofMerged("quantiles_int64"),
  "KLL_QUANTILES.MERGE_FLOAT64": ofMerged("quantiles_float64"),
  "KLL_QUANTILES.MERGE_POINT_INT64": ofMerged("point_int64"),
  "KLL_QUANTILES.MERGE_POINT_FLOAT64": ofMerged("point_float64"),
};

export const kllScalarFunctions: FunctionTable = {
  "KLL_QUANTILES.EXTRACT_INT64": ofOne("quantiles_int64"),
  "KLL_QUANTILES.EXTRACT_FLOAT64": ofOne("quantiles_float64"),
  "KLL_QUANTILES.EXTRACT_POINT_INT64": ofOne("point_int64"),
  "KLL_QUANTILES.EXTRACT_POINT_FLOAT64": ofOne("point_float64"),
};
