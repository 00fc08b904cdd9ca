/**
 * Outer joins whose condition DuckDB has no form for: rows of both sides are numbered, an inner join finds the pairs of
 * numbers that belong together, and both sides are joined to these by number. An inner join takes any condition.
 */
import type { Expr } from "../../../../googlesql/resolved.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { exportAs } from "../../../sql/select.ts";
import { columnOf, NULL, nameSql } from "../../sql/atoms.ts";
import { select } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { type Compilation, nextAlias, type SelectBuilder } from "../compilation.ts";
import { outsideBinding } from "../exports.ts";
import { printExpression } from "../expression/expressions.ts";
import { renderSelect } from "../render.ts";
import { cheapBinding } from "../scope.ts";
import { newSelect, wrapSelect } from "../select-builder.ts";
import { printInSelect } from "./shaping.ts";

/** A side whose rows have numbers, read in two places that have to agree about them: its rows are kept. */
interface NumberedSide {
  readonly builder: SelectBuilder;
  readonly name: string;
  /** Its number, as a column under this name. */
  readonly number: string;
}

function numberRows(side: SelectBuilder): NumberedSide {
  const builder = wrapSelect(side);
  const { alias: number } = exportAs(
    builder,
    "number",
    nextAlias(side.compilation, "number_"),
    () => sql`row_number() OVER ()`,
  );
  return { builder, name: nextAlias(side.compilation, "side_"), number };
}

/** The side in FROM of the SELECT, under the alias that is answered. */
function readSide(reader: SelectBuilder, { builder, name }: NumberedSide) {
  const alias = nextAlias(reader.compilation, "s");
  const find = (id: number) => {
    const inside = findColumn(builder, id);
    return inside === undefined ? undefined : outsideBinding(builder, alias, id, inside);
  };
  reader.sources = [...reader.sources, find];
  return { alias, from: sql`${nameSql(name)} AS ${nameSql(alias)}` };
}

/** The numbers of both sides' rows for which the conditions hold. */
function printPairs(left: NumberedSide, right: NumberedSide, conditions: readonly Expr[]) {
  const pairs = newSelect(left.builder.compilation, left.builder.outer);
  const [one, other] = [readSide(pairs, left), readSide(pairs, right)];
  const from = sql`${one.from} CROSS JOIN ${other.from}`;
  pairs.from = { print: () => from };
  for (const [id, { alias }, { number }] of [[LEFT, one, left] as const, [RIGHT, other, right] as const]) {
    pairs.bindings.set(id, cheapBinding(columnOf(alias, number)));
  }
  const { builder, texts } = printInSelect(pairs, (scope) => conditions.map((each) => printExpression(each, scope)));
  builder.where.push(...texts);
  const number = (id: number, alias: string) => ({ alias, sql: findColumn(builder, id)?.sql() ?? NULL });
  return renderSelect(builder, [number(LEFT, "one"), number(RIGHT, "other")]);
}

/** Ids that no column of a query has. */
const [LEFT, RIGHT] = [-1, -2];

/**
 * The pairs, and each row of a side that is in none: a FULL JOIN without one, through which DuckDB correlates no
 * sub-query.
 */
function printAllPairs(compilation: Compilation, pairs: Sql, sides: readonly NumberedSide[]): Sql {
  const parts = sides.map(({ name, number }, index) => {
    const [lone, paired] = [nextAlias(compilation, "s"), nextAlias(compilation, "s")];
    const own = columnOf(lone, number);
    const found = columnOf(paired, index === 0 ? "one" : "other");
    const both = index === 0 ? sql`${own}, NULL` : sql`NULL, ${own}`;
    const join = sql`${nameSql(name)} AS ${nameSql(lone)} LEFT JOIN ${pairs} AS ${nameSql(paired)} ON ${own} = ${found}`;
    return select(sql`${both} FROM ${join} WHERE ${found} IS NULL`);
  });
  return joinSql([select(sql`one, other FROM ${pairs}`), ...parts], " UNION ALL ");
}

const JOINS = { LEFT: ["LEFT", "LEFT"], RIGHT: ["INNER", "RIGHT"], FULL: ["RIGHT", "LEFT"] } as const;

/** The join of the sides on conditions with sub-queries over both, or over columns of the query around it. */
export function joinByNumbers(
  type: keyof typeof JOINS,
  sides: { readonly left: SelectBuilder; readonly right: SelectBuilder },
  conditions: readonly Expr[],
): SelectBuilder {
  const { compilation } = sides.left;
  const left = numberRows(sides.left);
  const right = numberRows(sides.right);
  const pairs = printPairs(left, right, conditions);
  const joined = newSelect(compilation, sides.left.outer, Math.max(left.builder.depth, right.builder.depth) + 1);
  const [one, other] = [readSide(joined, left), readSide(joined, right)];
  const [name, alias] = [nameSql(nextAlias(compilation, "pairs_")), nextAlias(compilation, "s")];
  const found = type === "FULL" ? sql`(${printAllPairs(compilation, name, [left, right])})` : name;
  const on = (side: { readonly alias: string }, { number }: NumberedSide, key: string): Sql =>
    sql`${columnOf(side.alias, number)} = ${columnOf(alias, key)}`;
  const [first, second] = JOINS[type].map(nameSql);
  const from = joinSql(
    [
      sql`${one.from} ${first ?? EMPTY} JOIN ${found} AS ${nameSql(alias)} ON ${on(one, left, "one")}`,
      sql`${second ?? EMPTY} JOIN ${other.from} ON ${on(other, right, "other")}`,
    ],
    " ",
  );
  joined.from = { print: () => from };
  const outside = wrapSelect(joined);
  const outsideName = nameSql(outside.inner?.alias ?? "");
  outside.from = {
    print: () => {
      // Readers before what they read, which they may ask for columns.
      const body = renderSelect(joined);
      const kept = [left, right].map((side) => printKept(nameSql(side.name), renderSelect(side.builder)));
      return sql`(WITH ${joinSql([...kept, printKept(name, pairs)], ", ")} ${body}) AS ${outsideName}`;
    },
  };
  return outside;
}

const printKept = (name: Sql, query: Sql): Sql => sql`${name} AS MATERIALIZED (${query})`;
