/** Aggregates that go by way of a list: ARRAY_AGG and its like, and every aggregate with HAVING MAX or MIN. */
import { raiseError } from "../../sql-text.ts";
import { computeOnce, literalInteger } from "../compute-once.ts";
import { type AggregateContext, type AggregateModifiers, printAggregate } from "./aggregate-shape.ts";

/**
 * The values of the rows whose HAVING key is the greatest (least), in order, as a list; repeated values once under
 * DISTINCT.
 */
function restrictedList(value: string, modifiers: AggregateModifiers, skipsNulls: boolean): string {
  const { having, isDistinct, ...rest } = modifiers;
  if (having === undefined) throw new Error("A call without HAVING MAX or MIN");
  const key = having.expressionSql;
  const rows = printAggregate(
    "list",
    [`{'k': ${key}, 'v': ${value}}`],
    { ...rest, isDistinct: false },
    `${key} IS NOT NULL`,
  );
  const kept = computeOnce([rows], "rows", (all) => {
    const keys = `list_transform(${all}, lambda lw_row: lw_row.k)`;
    const least = having.mayBeNaN ? `-list_max(list_transform(${all}, lambda lw_row: -lw_row.k))` : `list_min(${keys})`;
    return computeOnce([having.kind === "MAX" ? `list_max(${keys})` : least], "extreme", (best) => {
      const hasValue = skipsNulls ? " AND lw_row.v IS NOT NULL" : "";
      const isNumber = having.mayBeNaN ? ` AND NOT isnan(${best})` : "";
      return (
        `list_transform(list_filter(${all}, lambda lw_row: lw_row.k = ${best}${isNumber}${hasValue}), lambda ` +
        "lw_row: lw_row.v)"
      );
    });
  });
  return isDistinct ? `list_distinct(${kept})` : kept;
}

/** The values of the rows as a list, with every modifier applied; NULL without rows. */
export function collect(context: AggregateContext, value: string, skipsNulls: boolean): string {
  const { modifiers } = context;
  const list =
    modifiers.having === undefined
      ? printAggregate("list", [value], modifiers, skipsNulls ? `${value} IS NOT NULL` : undefined)
      : restrictedList(value, modifiers, skipsNulls);
  const { limitSql } = modifiers;
  if (limitSql === undefined) return list;
  const limited = `(${list})[1:${checkedLimit(limitSql)}]`;
  // No row at all is NULL.
  return (literalInteger(limitSql) ?? 0n) > 0n ? limited : `CASE WHEN ${limitSql} = 0 THEN NULL ELSE ${limited} END`;
}

/** A parameter may be NULL or negative, a literal cannot. */
function checkedLimit(limit: string): string {
  if ((literalInteger(limit) ?? -1n) >= 0n) return limit;
  const failure = raiseError("'The LIMIT of an aggregate must be non-negative and not NULL'");
  return `CASE WHEN ${limit} >= 0 THEN ${limit} ELSE ${failure} END`;
}

/** Does the call look at some of the rows only, or at different values only? Then it goes by way of a list. */
function isSelective({ isDistinct, having }: AggregateModifiers): boolean {
  return isDistinct || having !== undefined;
}

/** The aggregate `name` of what `compute` makes of each value; DISTINCT and HAVING look at the values themselves. */
export function aggregateOf(context: AggregateContext, name: string, compute: (value: string) => string): string {
  const [value = ""] = context.args;
  if (!isSelective(context.modifiers)) return printAggregate(name, [compute(value)], context.modifiers);
  const values = collect(context, value, true);
  return `list_aggregate(list_transform(${values}, lambda lw_item: ${compute("lw_item")}), '${name}')`;
}

/** An aggregate of one argument that DuckDB knows under `name`, HAVING MAX or MIN included. */
export function aggregate(context: AggregateContext, name: string, value: string, alsoFilter?: string): string {
  const { modifiers } = context;
  if (modifiers.having === undefined) return printAggregate(name, [value], modifiers, alsoFilter);
  return `list_aggregate(${restrictedList(value, modifiers, true)}, '${name}')`;
}
