/** KLL_QUANTILES.*: a list is collected and JavaScript makes the sketch of it (see hll.ts for the like). */

import { nameSql, numberSql } from "../../sql/atoms.ts";
import { callSql } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import type { FunctionTable, PrintCall } from "../types.ts";
import { type AggregateContext, type AggregateTable, type PrintAggregate, printAggregate } from "./aggregate-shape.ts";

function init(type: "int64" | "float64"): PrintAggregate {
  return ({ args, modifiers }) => {
    const [value = EMPTY, precision = numberSql(1000)] = args;
    const values = printAggregate("list", [value], modifiers, sql`${value} IS NOT NULL`);
    return callSql(`lw_kll_init_${type}`, [values, precision]);
  };
}

function merged({ args, modifiers }: AggregateContext): Sql {
  const [sketch = EMPTY] = args;
  return sql`lw_kll_merge(${printAggregate("list", [sql`to_base64(${sketch})`], modifiers, sql`${sketch} IS NOT NULL`)})`;
}

function ofMerged(name: string): PrintAggregate {
  return (context) => sql`${nameSql(`lw_kll_${name}`)}(${merged(context)}, ${context.args[1] ?? EMPTY})`;
}

function ofOne(name: string): PrintCall {
  return ({ args }) => callSql(`lw_kll_${name}`, args);
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
