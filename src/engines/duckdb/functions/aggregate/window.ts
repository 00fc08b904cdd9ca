/** Navigation and numbering functions; each prints its OVER. */
import { quoteString, raiseError } from "../../sql-text.ts";
import { literalInteger } from "../compute-once.ts";
import type { PrintWindow, WindowContext, WindowTable } from "./aggregate-shape.ts";
import { percentileCont, percentileDisc } from "./percentile.ts";

function printCall(name: string, args: readonly string[], { modifiers }: WindowContext): string {
  const nulls = modifiers.nulls === undefined ? "" : ` ${modifiers.nulls} NULLS`;
  return `${name}(${args.join(", ")}${nulls}) ${modifiers.overSql ?? "OVER ()"}`;
}

function native(name: string): PrintWindow {
  return (context) => printCall(name, context.args, context);
}

/** A count of rows that must not be below `least`, nor NULL; it is a literal or a parameter. */
function checked(name: string, count: string, least: bigint): string {
  const literal = literalInteger(count);
  if (literal !== undefined && literal >= least) return count;
  const failure = raiseError(quoteString(`${name}: the number of rows or buckets must be at least ${least}`));
  return `CASE WHEN ${count} >= ${least} THEN ${count} ELSE ${failure} END`;
}

function shifted(name: "LAG" | "LEAD"): PrintWindow {
  return (context) => {
    const [value = "", offset, ...rest] = context.args;
    return printCall(name, offset === undefined ? [value] : [value, checked(name, offset, 0n), ...rest], context);
  };
}

export const windowFunctions: WindowTable = {
  FIRST_VALUE: native("first_value"),
  LAST_VALUE: native("last_value"),
  NTH_VALUE: (context) => {
    const [value = "", position = ""] = context.args;
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
  NTILE: (context) => printCall("ntile", [checked("NTILE", context.args[0] ?? "", 1n)], context),
  ROW_NUMBER: native("row_number"),
};
