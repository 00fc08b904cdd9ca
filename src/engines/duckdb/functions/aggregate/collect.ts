/** Aggregates that go by way of a list: ARRAY_AGG and its like, and every aggregate with HAVING MAX or MIN. */

import { textSql, variableSql } from "../../sql/atoms.ts";
import { filterList, lambda, mapList, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import { type AggregateContext, type AggregateModifiers, printAggregate } from "./aggregate-shape.ts";

/**
 * The values of the rows whose HAVING key is the greatest (least), in order, as a list; repeated values once under
 * DISTINCT.
 */
function restrictedList({ modifiers, types }: AggregateContext, value: Sql, skipsNulls: boolean): Sql {
  const { having, isDistinct, ...rest } = modifiers;
  const isFloat = types[0]?.kind === "FLOAT64";
  if (having === undefined) throw new Error("A call without HAVING MAX or MIN");
  const key = having.expressionSql;
  const rows = printAggregate(
    "list",
    [sql`{'k': ${key}, 'v': ${value}}`],
    { ...rest, isDistinct: false },
    sql`${key} IS NOT NULL`,
  );
  const values = computeOnce([rows], "rows", (all) => {
    const keys = mapList(all, "lw_row", variableSql("lw_row.k"));
    const least = having.mayBeNaN ? sql`-list_max(${mapList(all, "lw_row", sql`-lw_row.k`)})` : sql`list_min(${keys})`;
    return computeOnce([having.kind === "MAX" ? sql`list_max(${keys})` : least], "extreme", (best) => {
      const hasValue = skipsNulls ? sql` AND lw_row.v IS NOT NULL` : EMPTY;
      const isNumber = having.mayBeNaN ? sql` AND NOT isnan(${best})` : EMPTY;
      const kept = filterList(all, "lw_row", sql`lw_row.k = ${best}${isNumber}${hasValue}`);
      return mapList(kept, "lw_row", variableSql("lw_row.v"));
    });
  });
  return isDistinct ? distinctValues(values, isFloat) : values;
}

/** Different values of a list. DuckDB leaves out NULL, and takes each NaN for another value. */
function distinctValues(values: Sql, isFloat: boolean): Sql {
  return computeOnce([values], "distinct", (all = EMPTY) => {
    const item = variableSql("lw_item");
    const kept = isFloat ? filterList(all, "lw_item", sql`isnan(${item}) IS NOT TRUE`) : all;
    const firstOf = (isOne: Sql) => sql`(${filterList(all, "lw_item", isOne)})[1:1]`;
    const rest = [firstOf(sql`${item} IS NULL`), ...(isFloat ? [firstOf(sql`isnan(${item})`)] : [])];
    return sql`flatten([${joinSql([sql`list_distinct(${kept})`, ...rest], ", ")}])`;
  });
}

/** Prints NULL for an aggregate of no values, also where LIMIT 0 or HAVING left none. */
export function unlessEmpty(list: Sql): Sql {
  return computeOnce([list], "values", (values) => sql`CASE WHEN len(${values}) > 0 THEN ${values} END`);
}

/** Takes the first of equal intervals, which differ in their fields, for DISTINCT: DuckDB's windows take another. */
function wholeList({ modifiers, types }: AggregateContext, value: Sql, skipsNulls: boolean): Sql {
  const isFirstOfEqual = modifiers.isDistinct && modifiers.overSql !== undefined && types[0]?.kind === "INTERVAL";
  const condition = skipsNulls ? sql`${value} IS NOT NULL` : undefined;
  const list = printAggregate(
    "list",
    [value],
    isFirstOfEqual ? { ...modifiers, isDistinct: false } : modifiers,
    condition,
  );
  if (!isFirstOfEqual) return list;
  return computeOnce([list], "equal", (all = EMPTY) => {
    const [each, index] = [variableSql("lw_item"), variableSql("lw_index")];
    return sql`list_filter(${all}, ${lambda([each, index], sql`NOT list_contains((${all})[1:${index} - 1], ${each})`)})`;
  });
}

/** The values of the rows as a list, with every modifier applied; NULL without rows. */
export function collect(context: AggregateContext, value: Sql, skipsNulls: boolean): Sql {
  const { modifiers } = context;
  const list =
    modifiers.having === undefined
      ? wholeList(context, value, skipsNulls)
      : unlessEmpty(restrictedList(context, value, skipsNulls));
  const { limitSql } = modifiers;
  if (limitSql === undefined) return list;
  const limited = sql`(${list})[1:${checkedLimit(limitSql)}]`;
  // No row at all is NULL.
  return (limitSql.integer ?? 0n) > 0n ? limited : sql`CASE WHEN ${limitSql} = 0 THEN NULL ELSE ${limited} END`;
}

/** A parameter may be NULL or negative, a literal cannot. */
function checkedLimit(limit: Sql): Sql {
  if ((limit.integer ?? -1n) >= 0n) return limit;
  const failure = raiseText("The LIMIT of an aggregate must be non-negative and not NULL");
  return sql`CASE WHEN ${limit} >= 0 THEN ${limit} ELSE ${failure} END`;
}

/** Does the call look at some of the rows only, or at different values only? Then it goes by way of a list. */
function isSelective({ isDistinct, having }: AggregateModifiers): boolean {
  return isDistinct || having !== undefined;
}

/** The aggregate `name` of what `compute` makes of each value; DISTINCT and HAVING look at the values themselves. */
export function aggregateOf(context: AggregateContext, name: string, compute: (value: Sql) => Sql): Sql {
  const [value = EMPTY] = context.args;
  if (!isSelective(context.modifiers)) return printAggregate(name, [compute(value)], context.modifiers);
  const values = collect(context, value, true);
  return sql`list_aggregate(${mapList(values, "lw_item", compute(variableSql("lw_item")))}, ${textSql(name)})`;
}

/** An aggregate of one argument that DuckDB knows under `name`, HAVING MAX or MIN included. */
export function aggregate(context: AggregateContext, name: string, value: Sql, alsoFilter?: Sql): Sql {
  const { modifiers } = context;
  if (modifiers.having === undefined) return printAggregate(name, [value], modifiers, alsoFilter);
  return sql`list_aggregate(${restrictedList(context, value, true)}, ${textSql(name)})`;
}
