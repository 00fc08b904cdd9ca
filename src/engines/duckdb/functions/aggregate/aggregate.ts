/** Aggregate functions, grouped or with OVER. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { constant, nameSql, TRUE, textSql } from "../../sql/atoms.ts";
import { filterList, mapList, raiseText } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { asList, fromList } from "../array/record-arrays.ts";
import { valueOfKey } from "../mixed.ts";
import { type AggregateContext, type AggregateTable, type PrintAggregate, printAggregate } from "./aggregate-shape.ts";
import { aggregate, collect, unlessEmpty } from "./collect.ts";
import { average, sum } from "./sums.ts";

function first(context: AggregateContext): Sql {
  return context.args[0] ?? EMPTY;
}

/** An aggregate that DuckDB computes as GoogleSQL does. */
function native(name: string): PrintAggregate {
  return (context) => aggregate(context, name, first(context));
}

/**
 * NaN is the result if any value is NaN; DuckDB holds it to be the greatest, so the least is asked for as the
 * greatest inverse.
 */
function minimum(context: AggregateContext): Sql {
  if (context.type.kind === "MIXED") return mixedExtreme("min")(context);
  if (hasOwnOrder(context.type)) return ownExtreme("MIN")(context);
  if (context.type.kind !== "FLOAT64") return aggregate(context, "min", first(context));
  return sql`(-${aggregate(context, "max", sql`(-${first(context)})`)})`;
}

/** Values of several shapes: by their keys, in which they are. */
function mixedExtreme(name: "min" | "max"): PrintAggregate {
  return (context) => valueOfKey(aggregate(context, name, context.sortKey(0)));
}

function countIf(context: AggregateContext): Sql {
  const { modifiers } = context;
  if (modifiers.isDistinct || modifiers.having !== undefined) {
    return sql`coalesce(${aggregate(context, "count", sql`CASE WHEN ${first(context)} THEN true END`)}, 0)`;
  }
  return printAggregate("count", [rowMark(context)], modifiers, first(context));
}

/**
 * Prints the argument of `count` that counts rows. In a frame that ends before it begins, DuckDB's `count(*)` is below
 * zero.
 */
function rowMark({ call }: AggregateContext): Sql {
  const frame = "frame" in call ? call.frame : undefined;
  return frame !== undefined && "offset" in frame.start && "offset" in frame.end ? TRUE : sql`*`;
}

/**
 * The value of the row with the greatest (least) key; rows whose value is NULL count as well. A NaN is the greatest
 * and the least of all keys, and no row's key equals it.
 */
function valueBy(kind: "MAX" | "MIN", value: Sql, key: Sql, mayBeNaN: boolean, context: AggregateContext): Sql {
  const { having: _, ...modifiers } = context.modifiers;
  const name = kind === "MAX" ? "arg_max_null" : "arg_min_null";
  const best = printAggregate(name, [value, key], { ...modifiers, isDistinct: false }, sql`${key} IS NOT NULL`);
  if (!mayBeNaN) return best;
  const hasNaN = printAggregate("bool_or", [sql`isnan(${key})`], { ...modifiers, isDistinct: false });
  return sql`CASE WHEN coalesce(${hasNaN}, false) THEN NULL ELSE ${best} END`;
}

function anyValue(context: AggregateContext): Sql {
  const { having, ...modifiers } = context.modifiers;
  if (having === undefined) return printAggregate("any_value", [first(context)], { ...modifiers, isDistinct: false });
  return valueBy(having.kind, first(context), having.expressionSql, having.mayBeNaN, context);
}

/** Does DuckDB order values of the type in another way than GoogleSQL, which a key mends? */
const hasOwnOrder = ({ kind }: SqlType): boolean => kind === "INTERVAL" || kind === "RANGE";

/** MAX and MIN of values that are ordered by a key. */
function ownExtreme(kind: "MAX" | "MIN"): PrintAggregate {
  return (context) => {
    if (context.modifiers.having === undefined) return by(kind, 0)(context);
    const pairs = collect(context, sql`{'k': ${context.sortKey(0)}, 'v': ${first(context)}}`, true);
    const kept = filterList(pairs, "lw_pair", sql`lw_pair.k IS NOT NULL`);
    return sql`struct_extract(${nameSql(kind === "MAX" ? "list_max" : "list_min")}(${kept}), 'v')`;
  };
}

/** MAX_BY and MIN_BY. */
function by(kind: "MAX" | "MIN", key: 0 | 1 = 1): PrintAggregate {
  return (context) =>
    valueBy(kind, first(context), context.sortKey(key), context.types[key]?.kind === "FLOAT64", context);
}

/** Are these intervals, of all rows? */
const isIntervals = ({ types, modifiers }: AggregateContext): boolean =>
  types[0]?.kind === "INTERVAL" && modifiers.having === undefined;

function maximum(context: AggregateContext): Sql {
  if (context.type.kind === "MIXED") return mixedExtreme("max")(context);
  return (hasOwnOrder(context.type) ? ownExtreme("MAX") : native("max"))(context);
}

function arrayAggregate(context: AggregateContext): Sql {
  if (context.types[0]?.kind === "ARRAY") {
    return raiseText("ARRAY_AGG: an array cannot hold arrays; put them into a STRUCT");
  }
  return fromList(collect(context, first(context), context.modifiers.nulls === "IGNORE"), context.type);
}

function arrayConcatAggregate(context: AggregateContext): Sql {
  const arrays = collect(context, asList(first(context), context.types[0]), true);
  return fromList(sql`flatten(${arrays})`, context.type);
}

function stringAggregate(context: AggregateContext): Sql {
  const { modifiers } = context;
  const [value = EMPTY, delimiter = context.type.kind === "BYTES" ? constant`','::BLOB` : textSql(",")] = context.args;
  if (context.type.kind === "BYTES") {
    const hexes = mapList(unlessEmpty(collect(context, value, true)), "lw_bytes", sql`hex(lw_bytes)`);
    return sql`unhex(lw_join(${hexes}, hex(${delimiter})))`;
  }
  const isPlain =
    modifiers.limitSql === undefined && modifiers.having === undefined && delimiter.literalText !== undefined;
  if (isPlain) return printAggregate("string_agg", [value, delimiter], modifiers);
  return sql`lw_join(${unlessEmpty(collect(context, value, true))}, ${delimiter})`;
}

export const aggregateFunctions: AggregateTable = {
  $count_star: (context) =>
    context.modifiers.having === undefined
      ? printAggregate("count", [rowMark(context)], context.modifiers)
      : sql`coalesce(${aggregate(context, "count", TRUE)}, 0)`,
  ANY_VALUE: anyValue,
  ARRAY_AGG: arrayAggregate,
  ARRAY_CONCAT_AGG: arrayConcatAggregate,
  AVG: average,
  BIT_AND: native("bit_and"),
  BIT_OR: native("bit_or"),
  BIT_XOR: native("bit_xor"),
  COUNT: (context) => {
    const isOwn = context.modifiers.isDistinct && isIntervals(context);
    const count = aggregate(context, "count", isOwn ? context.sortKey(0) : first(context));
    return context.modifiers.having === undefined ? count : sql`coalesce(${count}, 0)`;
  },
  COUNTIF: countIf,
  GROUPING: ({ args }) => sql`grouping(${args[0] ?? EMPTY})`,
  LOGICAL_AND: native("bool_and"),
  LOGICAL_OR: native("bool_or"),
  MAX: maximum,
  MAX_BY: by("MAX"),
  MIN: minimum,
  MIN_BY: by("MIN"),
  STRING_AGG: stringAggregate,
  SUM: sum,
};
