/** The finished text of a SELECT. */

import type { Expr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { createRenderer, type Select, type SelectItem, sortItem } from "../../sql/select.ts";
import { hasSortKey, sortKey } from "../functions/sort-key.ts";
import { nameSql, numberSql } from "../sql/atoms.ts";
import { isConstantKey } from "../sql/forms.ts";
import { joinSql, type Sql, sql } from "../sql/sql.ts";
import type { Binding, Scope } from "./scope.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface SelectBuilder extends Omit<Mutable<Select<Binding>>, "where"> {
  /** The sub-select that is all of FROM, when it is one. */
  inner: { readonly builder: SelectBuilder; readonly alias: string } | undefined;
  where: Sql[];
  /** Conditions that may fail: each is computed only where all others, and those before it, hold. */
  lastWhere: Sql[];
  /** Columns computed here that are more than a column or literal, with how often each is read in the whole query. */
  computed: Map<number, number>;
  /** Those of them that can as well be computed after ORDER BY and LIMIT. */
  deferrable: Map<number, Expr>;
  /** Columns were computed here, literals included: an outer join must not print them over missing rows. */
  hasComputed: boolean;
  /** Columns with another value each time were computed here: rows must not be multiplied in this SELECT. */
  hasRandom: boolean;
  /** Its rows come from a SELECT with LIMIT, by columns that DuckDB sees through: see `sealLimited`. */
  isLimited: boolean;
  /** The common table expressions whose definitions are printed here: their columns have the same ids in each copy. */
  readonly copies: Set<number>;
  /** FROM holds a join: in parentheses where it stands right of another. */
  isJoin: boolean;
  readonly outer: Scope | undefined;
  /** Columns of outer queries are carried in by `inner`, because a lambda cannot mix them with its own. */
  importsOuter: boolean;
  /** In a correlated sub-query: expressions that give the rows the order that their array had. */
  naturalOrder: readonly Sql[];
}

/** The names that columns have in a select list. */
function aliasesOf(items: readonly SelectItem[]): ReadonlyMap<number | undefined, string> {
  return new Map(items.map(({ id, alias }) => [id, alias]));
}

/** Prints the sort key of a value, from the columns alone if these are sufficient. */
function printKey({ as, sql: print }: Binding, type: SqlType): Sql {
  return (type.kind === "MIXED" ? as?.(type) : undefined) ?? sortKey(type, print());
}

/** The keys of ORDER BY. */
export function orderKeys(builder: SelectBuilder, items: readonly SelectItem[]): readonly Sql[] {
  const aliases = aliasesOf(items);
  const parts: Sql[] = [];
  if (items.length === 0) return parts;
  for (const { id, binding, type, isDescending, nullsFirst } of builder.order) {
    // In ARRAY(...) DuckDB finds no aliases.
    const alias = builder.outer === undefined ? aliases.get(id) : undefined;
    // GoogleSQL sorts NaN before all other numbers, DuckDB after them.
    if (type?.kind === "FLOAT64" && binding.isNeverNaN !== true) {
      parts.push(sortItem(sql`isnan(${binding.sql()})`, !isDescending, nullsFirst));
    }
    const isKeyed = type !== undefined && hasSortKey(type);
    const plain = () => (alias === undefined ? binding.sql() : nameSql(alias));
    const key = isKeyed ? printKey(binding, type) : plain();
    if (!isConstantKey(key)) parts.push(sortItem(key, isDescending, nullsFirst));
  }
  return parts;
}

/** Keys by their positions where they are selected, be it as another column: a copy has lambdas of other names. */
function groupNames(items: readonly SelectItem[]): (key: Sql) => Sql {
  return (key) => {
    const position = items.findIndex((item) => item.sql === key);
    return position < 0 ? key : numberSql(position + 1);
  };
}

/**
 * The conditions of WHERE. One that may fail holds all that are computed before it, in branches of a CASE: DuckDB
 * computes those in their order, and the parts of an AND in any.
 */
export function conditionsOf({ where, lastWhere }: SelectBuilder): readonly Sql[] {
  const last = lastWhere.at(-1);
  if (last === undefined) return where;
  const first = [...(where.length === 0 ? [] : [joinSql(where, " AND ")]), ...lastWhere.slice(0, -1)];
  if (first.length === 0) return [last];
  const branches = first.map((each) => sql`WHEN (${each}) IS DISTINCT FROM true THEN false`);
  return [...where, sql`CASE ${joinSql(branches, " ")} ELSE ${last} END`];
}

/** The finished SELECT: the given items, or everything that was exported. */
export const renderSelect = createRenderer<SelectBuilder>({ orderKeys, groupNames, conditionsOf });
