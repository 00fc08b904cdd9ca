/**
 * Statistical aggregate functions. DuckDB computes them for doubles of common size; what is not finite, or so large
 * that its square is out of range, is collected and joined to the rest in JavaScript. Decimals are computed exactly,
 * there too.
 */

import { bignumericToString } from "../number/bignumeric.ts";
import { numericToString } from "../number/numeric.ts";
import { type AggregateContext, type AggregateTable, type PrintAggregate, printAggregate } from "./aggregate-shape.ts";
import { collect } from "./collect.ts";

/** The square root of the largest double, and some room for sums. */
const LARGE = "1e150::DOUBLE";

function decimalText(kind: string | undefined): ((value: string) => string) | undefined {
  return kind === "NUMERIC" ? numericToString : kind === "BIGNUMERIC" ? bignumericToString : undefined;
}

function ofOne(name: string): PrintAggregate {
  return (context) => {
    const [x = ""] = context.args;
    const toText = decimalText(context.types[0]?.kind);
    if (toText !== undefined) {
      const texts = `list_transform(${collect(context, x, true)}, lambda lw_item: ${toText("lw_item")})`;
      return `lw_decimal_statistic(${texts}, CAST([] AS VARCHAR[]), '${name}')`;
    }
    if (context.modifiers.having !== undefined) {
      return `lw_statistic([0.0::DOUBLE], ${collect(context, x, true)}, CAST([] AS DOUBLE[]), '${name}')`;
    }
    const isSmall = `abs(${x}) < ${LARGE}`;
    const small = (aggregate: string) => printAggregate(aggregate, [x], context.modifiers, isSmall);
    const large = printAggregate("list", [x], context.modifiers, `abs(${x}) >= ${LARGE}`);
    const moments = `[CAST(${small("count")} AS DOUBLE), ${small("avg")}, ${small("var_pop")}]`;
    const joined = `lw_statistic(${moments}, ${large}, CAST([] AS DOUBLE[]), '${name}')`;
    return `CASE WHEN ${large} IS NULL THEN ${small(name)} ELSE ${joined} END`;
  };
}

/** The pairs of which neither is NULL, under HAVING, as one list each of their sides. */
function restrictedPairs(context: AggregateContext, x: string, y: string): readonly [string, string] {
  const pairs =
    `list_filter(${collect(context, `{'x': ${x}, 'y': ${y}}`, false)}, lambda lw_pair: lw_pair.x IS NOT NULL ` +
    "AND lw_pair.y IS NOT NULL)";
  const side = (name: string) => `list_transform(${pairs}, lambda lw_pair: lw_pair.${name})`;
  return [side("x"), side("y")];
}

function ofPairs(name: string): PrintAggregate {
  return (context) => {
    const [x = "", y = ""] = context.args;
    const toText = decimalText(context.types[0]?.kind);
    const { having } = context.modifiers;
    if (toText !== undefined) {
      const [left, right] = restrictedPairs(context, toText(x), toText(y));
      return `lw_decimal_statistic(${left}, ${right}, '${name}')`;
    }
    if (having !== undefined) {
      return `lw_statistic([0.0::DOUBLE], ${restrictedPairs(context, x, y).join(", ")}, '${name}')`;
    }
    const isSmall = `abs(${x}) < ${LARGE} AND abs(${y}) < ${LARGE}`;
    const isLarge = `${x} IS NOT NULL AND ${y} IS NOT NULL AND NOT (${isSmall})`;
    const small = (aggregate: string, ...args: readonly string[]) =>
      printAggregate(aggregate, args, context.modifiers, isSmall);
    const large = (side: string) => printAggregate("list", [side], context.modifiers, isLarge);
    const moments = [
      `CAST(${small("count", "*")} AS DOUBLE)`,
      ...[small("avg", x), small("var_pop", x), small("avg", y), small("var_pop", y), small("covar_pop", x, y)],
    ];
    const joined = `lw_statistic([${moments.join(", ")}], ${large(x)}, ${large(y)}, '${name}')`;
    // DuckDB's correlation of a single pair is NaN.
    const plain =
      name === "corr" ? `CASE WHEN ${small("count", "*")} >= 2 THEN ${small("corr", x, y)} END` : small(name, x, y);
    return `CASE WHEN ${large(x)} IS NULL THEN ${plain} ELSE ${joined} END`;
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
