/**
 * Statistical aggregate functions. DuckDB computes them for doubles of common size; what is not finite, or so large
 * or small that its square is out of range, is collected and joined to the rest in JavaScript. Decimals are computed
 * exactly, there too.
 */

import { columnOf, textSql, variableSql } from "../../sql/atoms.ts";
import { castTo, filterList, mapList } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { DOUBLE } from "../../sql/types.ts";
import { decimalOf } from "../number/decimal.ts";
import { type AggregateContext, type AggregateTable, type PrintAggregate, printAggregate } from "./aggregate-shape.ts";
import { collect } from "./collect.ts";

/** The square root of the largest double, and some room for sums; that of the smallest with all of its digits. */
const LARGE = sql`1e150::DOUBLE`;
const TINY = sql`1e-140::DOUBLE`;

/** Is the square within the range of doubles? */
function isModest(value: Sql): Sql {
  return sql`abs(${value}) < ${LARGE} AND (abs(${value}) > ${TINY} OR ${value} = 0)`;
}

function ofOne(name: string): PrintAggregate {
  return (context) => {
    const [x = EMPTY] = context.args;
    const toText = decimalOf(context.types[0]?.kind)?.toText;
    if (toText !== undefined) {
      const texts = mapList(collect(context, x, true), "lw_item", toText(variableSql("lw_item")));
      return sql`lw_decimal_statistic(${texts}, CAST([] AS VARCHAR[]), ${textSql(name)})`;
    }
    if (context.modifiers.having !== undefined) {
      return sql`lw_statistic([0.0::DOUBLE], ${collect(context, x, true)}, CAST([] AS DOUBLE[]), ${textSql(name)})`;
    }
    const small = (aggregate: string) => printAggregate(aggregate, [x], context.modifiers, isModest(x));
    const large = printAggregate("list", [x], context.modifiers, sql`NOT (${isModest(x)})`);
    const moments = sql`[CAST(${small("count")} AS DOUBLE), ${small("avg")}, ${small("var_pop")}]`;
    const joined = sql`lw_statistic(${moments}, ${large}, CAST([] AS DOUBLE[]), ${textSql(name)})`;
    return sql`CASE WHEN ${large} IS NULL THEN ${small(name)} ELSE ${joined} END`;
  };
}

/** The pairs of which neither is NULL, under HAVING, as one list each of their sides. */
function restrictedPairs(context: AggregateContext, x: Sql, y: Sql): readonly [Sql, Sql] {
  const pairs = filterList(
    collect(context, sql`{'x': ${x}, 'y': ${y}}`, false),
    "lw_pair",
    sql`lw_pair.x IS NOT NULL AND lw_pair.y IS NOT NULL`,
  );
  const side = (name: string) => mapList(pairs, "lw_pair", columnOf("lw_pair", name));
  return [side("x"), side("y")];
}

function ofPairs(name: string): PrintAggregate {
  return (context) => {
    const [x = EMPTY, y = EMPTY] = context.args;
    const toText = decimalOf(context.types[0]?.kind)?.toText;
    const { having } = context.modifiers;
    if (toText !== undefined) {
      const [left, right] = restrictedPairs(context, toText(x), toText(y));
      return sql`lw_decimal_statistic(${left}, ${right}, ${textSql(name)})`;
    }
    if (having !== undefined) {
      return sql`lw_statistic([0.0::DOUBLE], ${joinSql(restrictedPairs(context, x, y), ", ")}, ${textSql(name)})`;
    }
    const isSmall = sql`${isModest(x)} AND ${isModest(y)}`;
    const isLarge = sql`${x} IS NOT NULL AND ${y} IS NOT NULL AND NOT (${isSmall})`;
    const small = (aggregate: string, ...args: readonly Sql[]) =>
      printAggregate(aggregate, args, context.modifiers, isSmall);
    const large = (side: Sql) => printAggregate("list", [side], context.modifiers, isLarge);
    const moments = [
      castTo(small("count", sql`*`), DOUBLE),
      ...[small("avg", x), small("var_pop", x), small("avg", y), small("var_pop", y), small("covar_pop", x, y)],
    ];
    const joined = sql`lw_statistic([${joinSql(moments, ", ")}], ${large(x)}, ${large(y)}, ${textSql(name)})`;
    // DuckDB's correlation of a single pair is NaN.
    const plain =
      name === "corr"
        ? sql`CASE WHEN ${small("count", sql`*`)} >= 2 THEN ${small("corr", x, y)} END`
        : small(name, x, y);
    return sql`CASE WHEN ${large(x)} IS NULL THEN ${plain} ELSE ${joined} END`;
  };
}

export const statisticalFunctions: AggregateTable = {
  CORR: ofPairs("corr"),
  COVAR_POP: ofPairs("covar_pop"),
  COVAR_SAMP: ofPairs("covar_samp"),
  STDDEV_POP: ofOne("stddev_pop"),
  STDDEV_SAMP: ofOne("stddev_samp"),
  VAR_POP: ofOne("var_pop"),
  VAR_SAMP: ofOne("var_samp"),
};
