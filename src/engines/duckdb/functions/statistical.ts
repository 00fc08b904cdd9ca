/**
 * Statistical aggregate functions. They give NaN where an input is NaN or infinite; DuckDB's own fail there, so they see
 * the finite inputs only and a second aggregate tells whether there were others.
 */
import { type AggregateContext, type AggregateTable, type PrintAggregate, printAggregate } from "./aggregate-shape.ts";

function nanUnlessFinite(context: AggregateContext, probe: string, result: string): string {
  const { isDistinct: _, ...modifiers } = context.modifiers;
  const isBad = printAggregate("bool_or", [`NOT isfinite(${probe})`], { ...modifiers, isDistinct: false });
  return `CASE WHEN ${isBad} THEN 'NaN'::DOUBLE ELSE ${result} END`;
}

function ofOne(name: string): PrintAggregate {
  return (context) => {
    const [x = ""] = context.args;
    return nanUnlessFinite(context, x, printAggregate(name, [x], context.modifiers, `isfinite(${x})`));
  };
}

function ofPairs(name: string): PrintAggregate {
  return (context) => {
    const [x = "", y = ""] = context.args;
    // NULL where either is NULL, not finite where either is not.
    const probe = `${x} - ${y}`;
    const result = printAggregate(name, [x, y], context.modifiers, `isfinite(${probe})`);
    return nanUnlessFinite(context, probe, result);
  };
}

/** DuckDB's correlation of a single pair is NaN. */
function correlation(context: AggregateContext): string {
  const count = printAggregate("regr_count", context.args, context.modifiers);
  return `CASE WHEN ${count} >= 2 THEN ${ofPairs("corr")(context)} END`;
}

export const statisticalFunctions: AggregateTable = {
  CORR: correlation,
  COVAR_POP: ofPairs("covar_pop"),
  COVAR_SAMP: ofPairs("covar_samp"),
  STDDEV_POP: ofOne("stddev_pop"),
  STDDEV_SAMP: ofOne("stddev_samp"),
  VAR_POP: ofOne("var_pop"),
  VAR_SAMP: ofOne("var_samp"),
};
