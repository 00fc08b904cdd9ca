/**
 * How aggregate and window calls are printed. A row of the aggregate and window tables prints the *complete* DuckDB
 * expression: the modifiers written inside the call (DISTINCT, ORDER BY, LIMIT, IGNORE NULLS, HAVING MAX), FILTER and
 * OVER included. Only the row knows where they go: `ARRAY_AGG(x LIMIT 2) OVER w` is a slice around
 * `list(x) OVER w`, and an average of NUMERIC is a quotient of two aggregates with the same FILTER and OVER.
 */

import type { AggregateCall, WindowCall } from "../../../../googlesql/resolved.ts";
import { nameSql } from "../../sql/atoms.ts";
import { EMPTY, joinMapped, joinSql, type Sql, sql } from "../../sql/sql.ts";
import type { CallContext } from "../types.ts";

/** HAVING MAX or MIN: only rows whose key is the greatest or least count. */
export interface AggregateHaving {
  readonly kind: "MAX" | "MIN";
  readonly expressionSql: Sql;
  /** Then the greatest and the least of all are NaN, which no row's key equals. */
  readonly mayBeNaN: boolean;
}

/** The clauses around the arguments of an aggregate or window call, each printed as DuckDB SQL. */
export interface AggregateModifiers {
  readonly isDistinct: boolean;
  /** `x ASC NULLS FIRST, y DESC NULLS LAST`, from inside the call; absent without ORDER BY. */
  readonly orderBySql?: Sql | undefined;
  /** A boolean expression on the input rows. */
  readonly filterSql?: Sql | undefined;
  readonly nulls?: "IGNORE" | "RESPECT" | undefined;
  /** A BIGINT expression that reads no column. */
  readonly limitSql?: Sql | undefined;
  readonly having?: AggregateHaving | undefined;
  /** `OVER (PARTITION BY ... ORDER BY ... ROWS ...)`, complete; absent for a grouped call. */
  readonly overSql?: Sql | undefined;
}

/** The context of an aggregate's row, which prints for GROUP BY (`AggregateCall`) and for OVER (`WindowCall`) alike. */
export interface AggregateContext extends CallContext<AggregateCall | WindowCall> {
  readonly modifiers: AggregateModifiers;
  /** Prints what an argument sorts by: of several shapes a key of its own (see `mixed.ts`), itself otherwise. */
  readonly sortKey: (index: number) => Sql;
  /** The first argument is known to be no NaN. */
  readonly isNeverNaN: boolean;
}

/** The context of a window function's row; `modifiers.overSql` is always there. */
export type WindowContext = CallContext<WindowCall> & Pick<AggregateContext, "modifiers" | "isNeverNaN">;

export type PrintAggregate = (context: AggregateContext) => Sql;
export type PrintWindow = (context: WindowContext) => Sql;

/** Upper-case catalogue name (`$count_star` too) -> how DuckDB computes the aggregate, grouped or windowed. */
export type AggregateTable = Readonly<Record<string, PrintAggregate>>;

/** Upper-case catalogue name -> how DuckDB computes a navigation, numbering or statistical window function. */
export type WindowTable = Readonly<Record<string, PrintWindow>>;

/**
 * `name(DISTINCT args ORDER BY ...) FILTER (WHERE ...) OVER (...)`. Neither LIMIT, null handling nor HAVING: rows
 * that allow them print them in their own way. `alsoFilter` is joined to the call's own filter with AND.
 */
export function printAggregate(
  name: string,
  args: readonly Sql[],
  modifiers: AggregateModifiers,
  alsoFilter?: Sql,
): Sql {
  const order = modifiers.orderBySql === undefined ? EMPTY : sql` ORDER BY ${modifiers.orderBySql}`;
  const distinct = modifiers.isDistinct ? sql`DISTINCT ` : EMPTY;
  const conditions = [modifiers.filterSql, alsoFilter].filter((condition) => condition !== undefined);
  const filter =
    conditions.length === 0
      ? EMPTY
      : sql` FILTER (WHERE ${joinMapped(conditions, " AND ", (condition) => sql`(${condition})`)})`;
  const over = modifiers.overSql === undefined ? EMPTY : sql` ${modifiers.overSql}`;
  return sql`${nameSql(name)}(${distinct}${joinSql(args, ", ")}${order})${filter}${over}`;
}
