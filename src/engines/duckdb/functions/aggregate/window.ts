/** Navigation and numbering functions; each prints its OVER. */

import { nameSql, numberSql } from "../../sql/atoms.ts";
import { raiseText } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import type { PrintWindow, WindowContext, WindowTable } from "./aggregate-shape.ts";
import { percentileCont, percentileDisc } from "./percentile.ts";

function printCall(name: string, args: readonly Sql[], { modifiers }: WindowContext): Sql {
  const nulls = modifiers.nulls === undefined ? EMPTY : sql` ${nameSql(modifiers.nulls)} NULLS`;
  return sql`${nameSql(name)}(${joinSql(args, ", ")}${nulls}) ${modifiers.overSql ?? sql`OVER ()`}`;
}

function native(name: string): PrintWindow {
  return (context) => printCall(name, context.args, context);
}

/** A count of rows that must not be below `least`, nor NULL; it is a literal or a parameter. */
function checked(name: string, count: Sql, least: bigint): Sql {
  const literal = count.integer;
  if (literal !== undefined && literal >= least) return count;
  const failure = raiseText(`${name}: the number of rows or buckets must be at least ${least}`);
  return sql`CASE WHEN ${count} >= ${numberSql(least)} THEN ${count} ELSE ${failure} END`;
}

function shifted(name: "LAG" | "LEAD"): PrintWindow {
  return (context) => {
    const [value = EMPTY, offset, ...rest] = context.args;
    return printCall(name, offset === undefined ? [value] : [value, checked(name, offset, 0n), ...rest], context);
  };
}

export const windowFunctions: WindowTable = {
  FIRST_VALUE: native("first_value"),
  LAST_VALUE: native("last_value"),
  NTH_VALUE: (context) => {
    const [value = EMPTY, position = EMPTY] = context.args;
    return printCall("nth_value", [value, checked("NTH_VALUE", position, 1n)], context);
  },
  LAG: shifted("LAG"),
  LEAD: shifted("LEAD"),
  PERCENTILE_CONT: percentileCont,
  PERCENTILE_DISC: percentileDisc,
  RANK: native("rank"),
  DENSE_RANK: native("dense_rank"),
  PERCENT_RANK: native("percent_rank"),
  CUME_DIST: native("cume_dist"),
  NTILE: (context) => printCall("ntile", [checked("NTILE", context.args[0] ?? EMPTY, 1n)], context),
  ROW_NUMBER: native("row_number"),
};
