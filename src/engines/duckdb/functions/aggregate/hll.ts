/** HLL_COUNT.*: DuckDB has no user-defined aggregates, so a list is collected and JavaScript makes the sketch of it. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { numberSql } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { VARCHAR } from "../../sql/types.ts";
import { DECIMALS } from "../number/decimal.ts";
import type { FunctionTable } from "../types.ts";
import { type AggregateContext, type AggregateTable, printAggregate } from "./aggregate-shape.ts";

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

function init(context: AggregateContext): Sql {
  const [value = EMPTY, precision = numberSql(15)] = context.args;
  const { text, code } = hashedText(value, context.types[0]);
  // A half of MD5, less a bit to fit a BIGINT.
  const hash = sql`CAST(md5_number_lower(${text}) >> 1 AS BIGINT)`;
  const hashes = printAggregate("list", [hash], { ...context.modifiers, isDistinct: true }, sql`${value} IS NOT NULL`);
  return sql`lw_hll_init(${hashes}, ${precision}, ${numberSql(code)})`;
}

function sketches(context: AggregateContext): Sql {
  const [sketch = EMPTY] = context.args;
  return printAggregate(
    "list",
    [sql`to_base64(${sketch})`],
    { ...context.modifiers, isDistinct: true },
    sql`${sketch} IS NOT NULL`,
  );
}

export const hllFunctions: AggregateTable = {
  "HLL_COUNT.INIT": init,
  "HLL_COUNT.MERGE": (context) => sql`coalesce(lw_hll_merge(${sketches(context)}), 0)`,
  "HLL_COUNT.MERGE_PARTIAL": (context) => sql`lw_hll_merge_partial(${sketches(context)})`,
};

export const hllScalarFunctions: FunctionTable = {
  "HLL_COUNT.EXTRACT": ({ args }) => sql`coalesce(lw_hll_extract(${args[0] ?? EMPTY}), 0)`,
};
