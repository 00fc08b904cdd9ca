/**
 * Outer joins whose condition DuckDB has no form for: rows of both sides are numbered, an inner join finds the pairs of
 * numbers that belong together, and both sides are joined to these by number. An inner join takes any condition.
 */
import type { Expr } from "../../../../googlesql/resolved.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { columnOf, nameSql } from "../../sql/atoms.ts";
import { joinSql, type Sql, sql } from "../../sql/sql.ts";
import { type Block, newBlock, scopeOf, wrapBlock } from "../block.ts";
import { type Compilation, nextAlias } from "../compilation.ts";
import { exportAs, outsideBinding } from "../exports.ts";
import { printExpression } from "../expression/expressions.ts";
import { renderBlock } from "../render.ts";

/** A side whose rows have numbers, read in two places that have to agree about them: its rows are kept. */
interface NumberedSide {
  readonly block: Block;
  readonly name: string;
  /** Its number, as a column under this name. */
  readonly number: string;
}

function numberRows(compilation: Compilation, side: Block): NumberedSide {
  const block = wrapBlock(compilation, side);
  const number = exportAs(block, "number", nextAlias(compilation, "number_"), () => sql`row_number() OVER ()`);
  return { block, name: nextAlias(compilation, "side_"), number };
}

/** The side in FROM of the block, under the alias that is answered. */
function readSide(compilation: Compilation, reader: Block, { block, name }: NumberedSide) {
  const alias = nextAlias(compilation, "s");
  reader.sources.push((id) => {
    const inside = findColumn(block, id);
    return inside === undefined ? undefined : outsideBinding(compilation, block, alias, id, inside);
  });
  return { alias, from: sql`${nameSql(name)} AS ${nameSql(alias)}` };
}

/** The numbers of both sides' rows for which the conditions hold. */
function printPairs(compilation: Compilation, left: NumberedSide, right: NumberedSide, conditions: readonly Expr[]) {
  const pairs = newBlock(undefined);
  const [one, other] = [readSide(compilation, pairs, left), readSide(compilation, pairs, right)];
  const from = sql`${one.from} CROSS JOIN ${other.from}`;
  pairs.from = { print: () => from };
  pairs.where = conditions.map((each) => printExpression(compilation, each, scopeOf(compilation, pairs)));
  return renderBlock(pairs, [
    { alias: "one", sql: columnOf(one.alias, left.number) },
    { alias: "other", sql: columnOf(other.alias, right.number) },
  ]);
}

const JOINS = { LEFT: ["LEFT", "LEFT"], RIGHT: ["INNER", "RIGHT"], FULL: ["FULL", "FULL"] } as const;

/** The join of the sides, neither of which reads columns around it, on conditions with sub-queries over both. */
export function joinByNumbers(
  compilation: Compilation,
  type: keyof typeof JOINS,
  sides: { readonly left: Block; readonly right: Block },
  conditions: readonly Expr[],
): Block {
  const left = numberRows(compilation, sides.left);
  const right = numberRows(compilation, sides.right);
  const pairs = printPairs(compilation, left, right, conditions);
  const joined = newBlock(undefined, Math.max(left.block.depth, right.block.depth) + 1);
  const [one, other] = [readSide(compilation, joined, left), readSide(compilation, joined, right)];
  const alias = nextAlias(compilation, "s");
  const on = (side: { readonly alias: string }, { number }: NumberedSide, name: string): Sql =>
    sql`${columnOf(side.alias, number)} = ${columnOf(alias, name)}`;
  const [first, second] = JOINS[type];
  const found = sql`${nameSql(first)} JOIN (${pairs}) AS ${nameSql(alias)} ON ${on(one, left, "one")}`;
  const from = sql`${one.from} ${found} ${nameSql(second)} JOIN ${other.from} ON ${on(other, right, "other")}`;
  joined.from = { print: () => from };
  const outside = { ...wrapBlock(compilation, joined), outer: sides.left.outer };
  const name = nameSql(outside.inner?.alias ?? "");
  outside.from = { print: () => sql`(${printShared(joined, [left, right])}) AS ${name}` };
  return outside;
}

/** Readers before what they read, which they may ask for columns. */
function printShared(joined: Block, sides: readonly NumberedSide[]): Sql {
  const body = renderBlock(joined);
  const kept = sides.map(({ block, name }) => sql`${nameSql(name)} AS MATERIALIZED (${renderBlock(block)})`);
  return sql`WITH ${joinSql(kept, ", ")} ${body}`;
}
