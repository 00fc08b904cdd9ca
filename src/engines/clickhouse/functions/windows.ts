/** Functions that need OVER. */
import { isWrapped } from "../compile/expression/literals.ts";
import { NULL, nameSql, numberSql } from "../sql/atoms.ts";
import { callSql, EMPTY, type Sql, sql } from "../sql/sql.ts";
import type { AggregateContext, AggregateTable } from "./types.ts";

type PrintWindow = (context: AggregateContext) => Sql;

function ranking(name: string): PrintWindow {
  return ({ over }) => sql`toInt64(${nameSql(name)}()${over})`;
}

/** A value of another row: NULLs are values like others. */
function navigation(name: string): PrintWindow {
  return (context) => {
    const { args, call, over, type } = context;
    if (call.nullHandling === "IGNORE") return context.refuse("IGNORE NULLS");
    return isWrapped(type)
      ? context.refuse("arrays and structs")
      : sql`${nameSql(name)}(${args[0] ?? EMPTY}) RESPECT NULLS${over}`;
  };
}

/** A count that the query says. */
function literalCount({ call, refuse }: AggregateContext, index: number, least: number): number | undefined {
  const argument = call.arguments[index];
  if (argument === undefined) return undefined;
  const count = argument.kind === "Literal" && argument.value !== null ? Number(argument.value) : Number.NaN;
  if (count >= least && count <= 1_000_000) return count;
  refuse("a number of rows that is no small literal");
  return undefined;
}

function nthValue(context: AggregateContext): Sql {
  if (context.call.nullHandling === "IGNORE") return context.refuse("IGNORE NULLS");
  if (isWrapped(context.type)) return context.refuse("arrays and structs");
  return sql`nth_value(toNullable(${context.args[0] ?? EMPTY}), ${numberSql(literalCount(context, 1, 1) ?? 1)})${context.over}`;
}

/** The row at a distance in the whole partition: the frame that ClickHouse takes it from is that. */
function shifted(name: "lagInFrame" | "leadInFrame"): PrintWindow {
  return (context) => {
    const { args, overPartition: over, type, refuse } = context;
    if (isWrapped(type)) return refuse("arrays and structs");
    const distance = literalCount(context, 1, 0) ?? 1;
    const shift = (value: Sql, missing: Sql) => sql`${callSql(name, [value, numberSql(distance), missing])}${over}`;
    const found = shift(sql`toNullable(${args[0] ?? EMPTY})`, NULL);
    const [, , other] = args;
    if (other === undefined) return found;
    return sql`if(${shift(sql`toUInt8(1)`, sql`toUInt8(0)`)} = 1, ${found}, ${other})`;
  };
}

function ntile(context: AggregateContext): Sql {
  return sql`toInt64(ntile(${numberSql(literalCount(context, 0, 1) ?? 1)})${context.over})`;
}

export const windowFunctions: AggregateTable = {
  CUME_DIST: ({ over }) => sql`cume_dist()${over}`,
  DENSE_RANK: ranking("dense_rank"),
  FIRST_VALUE: navigation("first_value"),
  LAG: shifted("lagInFrame"),
  LAST_VALUE: navigation("last_value"),
  LEAD: shifted("leadInFrame"),
  NTH_VALUE: nthValue,
  NTILE: ntile,
  PERCENT_RANK: ({ over }) => sql`percent_rank()${over}`,
  RANK: ranking("rank"),
  ROW_NUMBER: ranking("row_number"),
};
