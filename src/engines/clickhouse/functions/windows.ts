/** Functions that need OVER. */
import { isWrapped } from "../compile/physical-types.ts";
import type { AggregateContext, AggregateTable } from "./types.ts";

type PrintWindow = (context: AggregateContext) => string;

function ranking(name: string): PrintWindow {
  return ({ over }) => `toInt64(${name}()${over})`;
}

/** A value of another row: NULLs are values like others. */
function navigation(name: string): PrintWindow {
  return (context) => {
    const { args, call, over, type } = context;
    if (call.nullHandling === "IGNORE") return context.refuse("IGNORE NULLS");
    return isWrapped(type) ? context.refuse("arrays and structs") : `${name}(${args[0]}) RESPECT NULLS${over}`;
  };
}

/** A count that the query says. */
function literalCount({ call, refuse }: AggregateContext, index: number, least: number): number | undefined {
  const argument = call.arguments[index];
  if (argument === undefined) return undefined;
  const count = argument.kind === "Literal" && argument.value !== null ? Number(argument.value) : Number.NaN;
  return count >= least && count <= 1_000_000 ? count : refuse("a number of rows that is no small literal");
}

function nthValue(context: AggregateContext): string {
  if (context.call.nullHandling === "IGNORE") return context.refuse("IGNORE NULLS");
  if (isWrapped(context.type)) return context.refuse("arrays and structs");
  return `nth_value(toNullable(${context.args[0]}), ${literalCount(context, 1, 1)})${context.over}`;
}

/** The row at a distance in the whole partition: the frame that ClickHouse takes it from is that. */
function shifted(name: "lagInFrame" | "leadInFrame"): PrintWindow {
  return (context) => {
    const { args, over, type, refuse } = context;
    if (isWrapped(type)) return refuse("arrays and structs");
    const distance = literalCount(context, 1, 0) ?? 1;
    const whole = `${over.slice(0, -1)} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`;
    const found = `${name}(toNullable(${args[0]}), ${distance}, NULL)${whole}`;
    if (args.length < 3) return found;
    return `if(${name}(toUInt8(1), ${distance}, toUInt8(0))${whole} = 1, ${found}, ${args[2]})`;
  };
}

function ntile(context: AggregateContext): string {
  return `toInt64(ntile(${literalCount(context, 0, 1)})${context.over})`;
}

export const windowFunctions: AggregateTable = {
  CUME_DIST: ({ over }) => `cume_dist()${over}`,
  DENSE_RANK: ranking("dense_rank"),
  FIRST_VALUE: navigation("first_value"),
  LAG: shifted("lagInFrame"),
  LAST_VALUE: navigation("last_value"),
  LEAD: shifted("leadInFrame"),
  NTH_VALUE: nthValue,
  NTILE: ntile,
  PERCENT_RANK: ({ over }) => `percent_rank()${over}`,
  RANK: ranking("rank"),
  ROW_NUMBER: ranking("row_number"),
};
