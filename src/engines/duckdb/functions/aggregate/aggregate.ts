/** Aggregate functions, grouped or with OVER. */
import { quoteString, raiseError } from "../../sql-text.ts";
import { asList, fromList } from "../array/record-arrays.ts";
import { computeOnce } from "../compute-once.ts";
import { valueOfKey } from "../mixed.ts";
import { isLiteralText } from "../text/join-texts.ts";
import { type AggregateContext, type AggregateTable, type PrintAggregate, printAggregate } from "./aggregate-shape.ts";
import { aggregate, collect } from "./collect.ts";
import { average, sum } from "./sums.ts";

function first(context: AggregateContext): string {
  return context.args[0] ?? "";
}

/** An aggregate that DuckDB computes as GoogleSQL does. */
function native(name: string): PrintAggregate {
  return (context) => aggregate(context, name, first(context));
}

/**
 * NaN is the result if any value is NaN; DuckDB holds it to be the greatest, so the least is asked for as the
 * greatest inverse.
 */
function minimum(context: AggregateContext): string {
  if (context.type.kind === "MIXED") return mixedExtreme("min")(context);
  if (context.type.kind !== "FLOAT64") return aggregate(context, "min", first(context));
  return `(-${aggregate(context, "max", `(-${first(context)})`)})`;
}

/** Values of several shapes: by their keys, in which they are. */
function mixedExtreme(name: "min" | "max"): PrintAggregate {
  return (context) => valueOfKey(aggregate(context, name, context.sortKey(0)));
}

function countIf(context: AggregateContext): string {
  const { modifiers } = context;
  if (modifiers.isDistinct || modifiers.having !== undefined) {
    return `coalesce(${aggregate(context, "count", `CASE WHEN ${first(context)} THEN true END`)}, 0)`;
  }
  return printAggregate("count", ["*"], modifiers, first(context));
}

/**
 * The value of the row with the greatest (least) key; rows whose value is NULL count as well. A NaN is the greatest
 * and the least of all keys, and no row's key equals it.
 */
function valueBy(
  kind: "MAX" | "MIN",
  value: string,
  key: string,
  mayBeNaN: boolean,
  context: AggregateContext,
): string {
  const { having: _, ...modifiers } = context.modifiers;
  const name = kind === "MAX" ? "arg_max_null" : "arg_min_null";
  const best = printAggregate(name, [value, key], { ...modifiers, isDistinct: false }, `${key} IS NOT NULL`);
  if (!mayBeNaN) return best;
  const hasNaN = printAggregate("bool_or", [`isnan(${key})`], { ...modifiers, isDistinct: false });
  return `CASE WHEN coalesce(${hasNaN}, false) THEN NULL ELSE ${best} END`;
}

function anyValue(context: AggregateContext): string {
  const { having, ...modifiers } = context.modifiers;
  if (having === undefined) return printAggregate("any_value", [first(context)], { ...modifiers, isDistinct: false });
  return valueBy(having.kind, first(context), having.expressionSql, having.mayBeNaN, context);
}

/** MAX_BY and MIN_BY. */
function by(kind: "MAX" | "MIN"): PrintAggregate {
  return (context) => valueBy(kind, first(context), context.sortKey(1), context.types[1]?.kind === "FLOAT64", context);
}

function arrayAggregate(context: AggregateContext): string {
  if (context.types[0]?.kind === "ARRAY") {
    return raiseError(quoteString("ARRAY_AGG: an array cannot hold arrays; put them into a STRUCT"));
  }
  return fromList(collect(context, first(context), context.modifiers.nulls === "IGNORE"), context.type);
}

function arrayConcatAggregate(context: AggregateContext): string {
  const arrays = collect(context, asList(first(context), context.types[0]), true);
  return fromList(`flatten(${arrays})`, context.type);
}

function stringAggregate(context: AggregateContext): string {
  const { modifiers } = context;
  const [value = "", delimiter = context.type.kind === "BYTES" ? "','::BLOB" : "','"] = context.args;
  if (context.type.kind === "BYTES") {
    const hexes = `list_transform(${unlessEmpty(collect(context, value, true))}, lambda lw_bytes: hex(lw_bytes))`;
    return `unhex(lw_join(${hexes}, hex(${delimiter})))`;
  }
  const isPlain = modifiers.limitSql === undefined && modifiers.having === undefined && isLiteralText(delimiter);
  if (isPlain) return printAggregate("string_agg", [value, delimiter], modifiers);
  return `lw_join(${unlessEmpty(collect(context, value, true))}, ${delimiter})`;
}

/** Of no values at all an aggregate is NULL, also where LIMIT 0 or HAVING left none. */
function unlessEmpty(list: string): string {
  return computeOnce([list], "values", (values) => `CASE WHEN len(${values}) > 0 THEN ${values} END`);
}

export const aggregateFunctions: AggregateTable = {
  $count_star: (context) =>
    context.modifiers.having === undefined
      ? printAggregate("count", ["*"], context.modifiers)
      : `coalesce(${aggregate(context, "count", "true")}, 0)`,
  ANY_VALUE: anyValue,
  ARRAY_AGG: arrayAggregate,
  ARRAY_CONCAT_AGG: arrayConcatAggregate,
  AVG: average,
  BIT_AND: native("bit_and"),
  BIT_OR: native("bit_or"),
  BIT_XOR: native("bit_xor"),
  COUNT: (context) => {
    const count = aggregate(context, "count", first(context));
    return context.modifiers.having === undefined ? count : `coalesce(${count}, 0)`;
  },
  COUNTIF: countIf,
  GROUPING: ({ args }) => `grouping(${args[0]})`,
  LOGICAL_AND: native("bool_and"),
  LOGICAL_OR: native("bool_or"),
  MAX: (context) => (context.type.kind === "MIXED" ? mixedExtreme : native)("max")(context),
  MAX_BY: by("MAX"),
  MIN: minimum,
  MIN_BY: by("MIN"),
  STRING_AGG: stringAggregate,
  SUM: sum,
};
