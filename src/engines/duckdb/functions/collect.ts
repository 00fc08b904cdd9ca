/** Aggregates that go by way of a list: ARRAY_AGG and its like, and every aggregate with HAVING MAX or MIN. */
import { type AggregateContext, type AggregateModifiers, printAggregate } from "./aggregate-shape.ts";
import { computeOnce } from "./compute-once.ts";

/** The values of the rows whose HAVING key is the greatest (least), in order, as a list; repeated values once under DISTINCT. */
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
    const extreme = having.kind === "MAX" ? "list_max" : "list_min";
    return computeOnce([`${extreme}(list_transform(${all}, lambda lw_row: lw_row.k))`], "extreme", (best) => {
      const hasValue = skipsNulls ? " AND lw_row.v IS NOT NULL" : "";
      return `list_transform(list_filter(${all}, lambda lw_row: lw_row.k = ${best}${hasValue}), lambda lw_row: lw_row.v)`;
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
  return modifiers.limitSql === undefined ? list : `(${list})[1:${modifiers.limitSql}]`;
}

/** An aggregate of one argument that DuckDB knows under `name`, HAVING MAX or MIN included. */
export function aggregate(context: AggregateContext, name: string, value: string, alsoFilter?: string): string {
  const { modifiers } = context;
  if (modifiers.having === undefined) return printAggregate(name, [value], modifiers, alsoFilter);
  return `list_aggregate(${restrictedList(value, modifiers, true)}, '${name}')`;
}
