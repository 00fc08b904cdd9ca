/** Aggregate functions, grouped or with OVER. */
import { quoteString, raiseError } from "../sql-text.ts";
import { type AggregateContext, type AggregateTable, type PrintAggregate, printAggregate } from "./aggregate-shape.ts";
import { bignumericCheckedSum, bignumericDivide, bignumericFromInt64 } from "./bignumeric.ts";
import { aggregate, collect } from "./collect.ts";
import { computeOnce } from "./compute-once.ts";
import { isLiteralText } from "./join-texts.ts";
import { numericCheckedSum, numericDivide, numericFromInt64 } from "./numeric.ts";
import { asList, fromList } from "./record-arrays.ts";

function first(context: AggregateContext): string {
  return context.args[0] ?? "";
}

/** An aggregate that DuckDB computes as GoogleSQL does. */
function native(name: string): PrintAggregate {
  return (context) => aggregate(context, name, first(context));
}

/** DuckDB has no sum of INTERVALs; their three parts are added one by one. */
function sumOfIntervals(context: AggregateContext): string {
  const x = first(context);
  const sum = (part: string) => `CAST(${aggregate(context, "sum", part)} AS BIGINT)`;
  const months = sum(`date_part('year', ${x}) * 12 + date_part('month', ${x})`);
  const days = sum(`date_part('day', ${x})`);
  const micros = sum(
    `date_part('hour', ${x}) * 3600000000 + date_part('minute', ${x}) * 60000000 + date_part('microsecond', ${x})`,
  );
  return `(to_months(CAST(${months} AS INTEGER)) + to_days(CAST(${days} AS INTEGER)) + to_microseconds(${micros}))`;
}

/** SAFE.SUM: an overflow is NULL. TRY takes no aggregate, so the sum is bound outside of it. */
function safely(context: AggregateContext, total: string, check: (total: string) => string): string {
  return context.call.isSafe ? computeOnce([total], "safe_sum", (value) => `TRY(${check(value)})`) : check(total);
}

function sum(context: AggregateContext): string {
  if (context.type.kind === "INTERVAL") return sumOfIntervals(context);
  const total = aggregate(context, "sum", first(context));
  switch (context.type.kind) {
    case "FLOAT64":
      return total;
    case "NUMERIC":
      return safely(context, total, numericCheckedSum);
    case "BIGNUMERIC":
      return safely(context, total, bignumericCheckedSum);
    default:
      // DuckDB's sum of BIGINTs is a HUGEINT; the cast fails where GoogleSQL's would overflow.
      return safely(context, total, (value) => `CAST(${value} AS BIGINT)`);
  }
}

function average(context: AggregateContext): string {
  const x = first(context);
  const count = () => aggregate(context, "count", x);
  switch (context.type.kind) {
    case "NUMERIC":
      return numericDivide(sum(context), numericFromInt64(`nullif(${count()}, 0)`));
    case "BIGNUMERIC":
      return bignumericDivide(sum(context), bignumericFromInt64(`nullif(${count()}, 0)`));
    default:
      return aggregate(context, "avg", x);
  }
}

/** NaN is the result if any value is NaN; DuckDB holds it to be the greatest, so the least is asked for as the greatest inverse. */
function minimum(context: AggregateContext): string {
  if (context.type.kind !== "FLOAT64") return aggregate(context, "min", first(context));
  return `(-${aggregate(context, "max", `(-${first(context)})`)})`;
}

function countIf(context: AggregateContext): string {
  const { modifiers } = context;
  if (modifiers.isDistinct || modifiers.having !== undefined) {
    return `coalesce(${aggregate(context, "count", `CASE WHEN ${first(context)} THEN true END`)}, 0)`;
  }
  return printAggregate("count", ["*"], modifiers, first(context));
}

/** The value of the row with the greatest (least) key; rows whose value is NULL count as well. */
function valueBy(name: "arg_max_null" | "arg_min_null", value: string, key: string, context: AggregateContext): string {
  const { having: _, ...modifiers } = context.modifiers;
  return printAggregate(name, [value, key], modifiers, `${key} IS NOT NULL`);
}

function anyValue(context: AggregateContext): string {
  const { having } = context.modifiers;
  if (having === undefined) return printAggregate("any_value", [first(context)], context.modifiers);
  return valueBy(
    having.kind === "MAX" ? "arg_max_null" : "arg_min_null",
    first(context),
    having.expressionSql,
    context,
  );
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
    const hexes = `list_transform(${collect(context, value, true)}, lambda lw_bytes: hex(lw_bytes))`;
    return `unhex(lw_join(${hexes}, hex(${delimiter})))`;
  }
  const isPlain = modifiers.limitSql === undefined && modifiers.having === undefined && isLiteralText(delimiter);
  if (isPlain) return printAggregate("string_agg", [value, delimiter], modifiers);
  return `lw_join(${collect(context, value, true)}, ${delimiter})`;
}

export const aggregateFunctions: AggregateTable = {
  $count_star: ({ modifiers }) => printAggregate("count", ["*"], modifiers),
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
  MAX: native("max"),
  MAX_BY: (context) => valueBy("arg_max_null", first(context), context.args[1] ?? "", context),
  MIN: minimum,
  MIN_BY: (context) => valueBy("arg_min_null", first(context), context.args[1] ?? "", context),
  STRING_AGG: stringAggregate,
  SUM: sum,
};
