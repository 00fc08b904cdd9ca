/**
 * Sketches of HLL_COUNT and KLL_QUANTILES: DuckDB has no user-defined aggregates, so a list is collected and JavaScript
 * makes the sketch of it.
 */

import type { SqlType } from "../../../../googlesql/types.ts";
import { nameSql, numberSql } from "../../sql/atoms.ts";
import { callSql, castTo } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { VARCHAR } from "../../sql/types.ts";
import { DECIMALS } from "../number/decimal.ts";
import type { FunctionTable, PrintCall } from "../types.ts";
import {
  type AggregateContext,
  type AggregateModifiers,
  type AggregateTable,
  type PrintAggregate,
  printAggregate,
} from "./aggregate-shape.ts";

/** A text that is the same for equal values of one type, and the type's code in a sketch. */
function hashedText(value: Sql, type: SqlType | undefined): { readonly text: Sql; readonly code: number } {
  switch (type?.kind) {
    case "STRING":
      return { text: value, code: 2 };
    case "BYTES":
      return { text: sql`hex(${value})`, code: 3 };
    case "NUMERIC":
      return { text: DECIMALS.NUMERIC.toText(value), code: 4 };
    case "BIGNUMERIC":
      return { text: DECIMALS.BIGNUMERIC.toText(value), code: 5 };
    default:
      return { text: castTo(value, VARCHAR), code: 1 };
  }
}

function initHll(context: AggregateContext): Sql {
  const [value = EMPTY, precision = numberSql(15)] = context.args;
  const { text, code } = hashedText(value, context.types[0]);
  // A half of MD5, less a bit to fit a BIGINT.
  const hash = sql`CAST(md5_number_lower(${text}) >> 1 AS BIGINT)`;
  const hashes = printAggregate("list", [hash], { ...context.modifiers, isDistinct: true }, sql`${value} IS NOT NULL`);
  return sql`lw_hll_init(${hashes}, ${precision}, ${numberSql(code)})`;
}

/** The sketches as a list of texts. */
function sketches({ args: [sketch = EMPTY] }: AggregateContext, modifiers: AggregateModifiers): Sql {
  return printAggregate("list", [sql`to_base64(${sketch})`], modifiers, sql`${sketch} IS NOT NULL`);
}

function differentSketches(context: AggregateContext): Sql {
  return sketches(context, { ...context.modifiers, isDistinct: true });
}

function initKll(type: "int64" | "float64"): PrintAggregate {
  return ({ args, modifiers }) => {
    const [value = EMPTY, precision = numberSql(1000)] = args;
    const values = printAggregate("list", [value], modifiers, sql`${value} IS NOT NULL`);
    return callSql(`lw_kll_init_${type}`, [values, precision]);
  };
}

function merged(context: AggregateContext): Sql {
  return sql`lw_kll_merge(${sketches(context, context.modifiers)})`;
}

function ofMerged(name: string): PrintAggregate {
  return (context) => sql`${nameSql(`lw_kll_${name}`)}(${merged(context)}, ${context.args[1] ?? EMPTY})`;
}

const ofOne =
  (name: string): PrintCall =>
  ({ args }) =>
    callSql(`lw_kll_${name}`, args);

export const sketchFunctions: AggregateTable = {
  "HLL_COUNT.INIT": initHll,
  "HLL_COUNT.MERGE": (context) => sql`coalesce(lw_hll_merge(${differentSketches(context)}), 0)`,
  "HLL_COUNT.MERGE_PARTIAL": (context) => sql`lw_hll_merge_partial(${differentSketches(context)})`,
  "KLL_QUANTILES.INIT_INT64": initKll("int64"),
  "KLL_QUANTILES.INIT_FLOAT64": initKll("float64"),
  "KLL_QUANTILES.MERGE_PARTIAL": merged,
  "KLL_QUANTILES.MERGE_INT64": ofMerged("quantiles_int64"),
  "KLL_QUANTILES.MERGE_FLOAT64": ofMerged("quantiles_float64"),
  "KLL_QUANTILES.MERGE_POINT_INT64": ofMerged("point_int64"),
  "KLL_QUANTILES.MERGE_POINT_FLOAT64": ofMerged("point_float64"),
};

export const sketchScalarFunctions: FunctionTable = {
  "HLL_COUNT.EXTRACT": ({ args }) => sql`coalesce(lw_hll_extract(${args[0] ?? EMPTY}), 0)`,
  "KLL_QUANTILES.EXTRACT_INT64": ofOne("quantiles_int64"),
  "KLL_QUANTILES.EXTRACT_FLOAT64": ofOne("quantiles_float64"),
  "KLL_QUANTILES.EXTRACT_POINT_INT64": ofOne("point_int64"),
  "KLL_QUANTILES.EXTRACT_POINT_FLOAT64": ofOne("point_float64"),
};
