/** Aggregate functions, grouped or with OVER. */
import { castTo, isWrapped } from "../compile/expression/literals.ts";
import { numberSql, textSql } from "../sql/atoms.ts";
import { both, isTrue } from "../sql/forms.ts";
import { Refusal } from "../sql/refusal.ts";
import { callSql, EMPTY, type Sql, sql } from "../sql/sql.ts";
import { toNumeric } from "./arithmetic.ts";
import { isComparable } from "./comparisons.ts";
import { statisticalFunctions } from "./statistics.ts";
import type { AggregateContext, AggregateTable } from "./types.ts";

/** The rows that count, as the argument: aggregates pass NULLs over. */
function counted({ args: [value = EMPTY], filter }: AggregateContext): Sql {
  return filter === undefined ? value : sql`if(${filter}, ${value}, NULL)`;
}

/** One zero and one NaN, where values are distinguished by their bits. */
export function canonicalFloat(value: Sql): Sql {
  return sql`if(isNaN(${value}), CAST('nan', 'Float64'), ${value} + 0.)`;
}

function distinctValue(context: AggregateContext): Sql {
  const value = counted(context);
  return context.types[0]?.kind === "FLOAT64" ? context.bind([value], canonicalFloat) : value;
}

function refuseModifiers(context: AggregateContext): void {
  if (context.order.length > 0 || context.limit !== undefined) context.refuse("ORDER BY or LIMIT in the call");
}

function requireComparable(context: AggregateContext): void {
  const [type] = context.types;
  if (type === undefined || !isComparable(type)) context.refuse("values of this type");
}

function countStar({ filter, over }: AggregateContext): Sql {
  return filter === undefined ? sql`toInt64(count()${over})` : sql`toInt64(countIf(${filter})${over})`;
}

function count(context: AggregateContext): Sql {
  const [type] = context.types;
  const { over, filter, args } = context;
  if (context.isDistinct) {
    requireComparable(context);
    return sql`toInt64(uniqExact(${distinctValue(context)})${over})`;
  }
  if (type !== undefined && isWrapped(type)) {
    return countStar({ ...context, filter: both(filter, sql`notEmpty(${args[0] ?? EMPTY})`) });
  }
  // Over a window the server reads count(x) as a sub-column that its plan does not have: NOT_FOUND_COLUMN_IN_BLOCK.
  if (over !== EMPTY) return countStar({ ...context, filter: both(filter, sql`isNotNull(${args[0] ?? EMPTY})`) });
  return sql`toInt64(count(${counted(context)}))`;
}

function countIf(context: AggregateContext): Sql {
  if (context.isDistinct) context.refuse("DISTINCT");
  return countStar({ ...context, filter: both(context.filter, context.args[0]) });
}

/** The call of an aggregate function, perhaps with OVER. */
function overRows({ over }: AggregateContext, name: string, value: Sql): Sql {
  return sql`${callSql(name, [value])}${over}`;
}

function total(context: AggregateContext, value: Sql): Sql {
  return overRows(context, context.isDistinct ? "sumDistinctOrNull" : "sumOrNull", value);
}

function sum(context: AggregateContext): Sql {
  const value = counted(context);
  switch (context.type.kind) {
    case "INT64":
      return sql`accurateCast(${total(context, sql`toInt128(${value})`)}, 'Nullable(Int64)')`;
    case "NUMERIC":
      return toNumeric(context, total(context, sql`toDecimal256(${value}, 9)`));
    case "FLOAT64": {
      if (context.isDistinct) context.refuse("DISTINCT over FLOAT64");
      return sumOfFloats(context, value);
    }
    default:
      return context.refuse("values of this type");
  }
}

/** A sum that leaves the range of doubles is distinguished from one of infinities by that of 2^-64 of each. */
function sumOfFloats(context: AggregateContext, value: Sql): Sql {
  const reduced = sql`sumOrNull(${value} * 5.421010862427522e-20)${context.over}`;
  return context.bind([total(context, value), reduced], (whole, small) => {
    const wide = sql`${small} * 18446744073709551616.`;
    const fails = sql`NOT isFinite(${whole}) AND isFinite(${small}) AND NOT isFinite(${wide})`;
    const isPlain = sql`isNull(${whole}) OR isFinite(${whole})`;
    const result = sql`multiIf(${isPlain}, ${whole}, NOT isFinite(${small}), ${small}, ${wide})`;
    return context.failIf(fails, "double overflow", result);
  });
}

function average(context: AggregateContext): Sql {
  const value = counted(context);
  if (context.isDistinct) return context.refuse("DISTINCT");
  switch (context.types[0]?.kind) {
    case "INT64":
      return sql`avgOrNull(toInt128(${value}))${context.over}`;
    case "FLOAT64": {
      const reduced = sql`avgOrNull(${value} * 5.421010862427522e-20)${context.over}`;
      return context.bind([sql`avgOrNull(${value})${context.over}`, reduced], (mean, small) => {
        return sql`if(isNull(${mean}) OR isFinite(${mean}), ${mean}, ${small} * 18446744073709551616.)`;
      });
    }
    default:
      return context.refuse("values of this type");
  }
}

/** NaN is the result if any value is. */
function extreme(name: "min" | "max"): (context: AggregateContext) => Sql {
  return (context) => {
    requireComparable(context);
    const value = counted(context);
    const plain = overRows(context, `${name}OrNull`, value);
    if (context.types[0]?.kind !== "FLOAT64") return plain;
    return sql`if(countIf(isNaN(${value}))${context.over} > 0, CAST('nan', 'Float64'), ${plain})`;
  };
}

function anyValue(context: AggregateContext): Sql {
  requireComparable(context);
  return sql`anyOrNull(${counted(context)})${context.over}`;
}

function bits(name: string): (context: AggregateContext) => Sql {
  return (context) => {
    if (context.type.kind !== "INT64") context.refuse("values of this type");
    if (context.isDistinct && name === "groupBitXor") context.refuse("DISTINCT");
    return overRows(context, `${name}OrNull`, counted(context));
  };
}

/** The values of the rows in order, as an array of tuples of one; those of LIMIT only. */
function collected(context: AggregateContext, skipsNulls: boolean): Sql {
  const { args, filter, order, limit, over, isDistinct } = context;
  const value = args[0] ?? EMPTY;
  const [type] = context.types;
  if (type?.kind === "ARRAY") return context.refuse("arrays");
  if (type === undefined || (skipsNulls && isWrapped(type))) return context.refuse("values of this type");
  if (isDistinct && order.length === 0) return context.refuse("DISTINCT without ORDER BY");
  if (order.some((key) => !isComparable(key.type) || key.type.kind === "FLOAT64")) return context.refuse("this order");
  const isThere = skipsNulls ? sql`isNotNull(${value})` : undefined;
  const condition = both(filter, isThere);
  const keys = order.flatMap((key) => [sql`isNull(${key.sql})`, key.sql]);
  const row = callSql("tuple", [value, ...keys]);
  const rows = condition === undefined ? sql`groupArray(${row})` : sql`groupArrayIf(${row}, ${isTrue(condition)})`;
  const list = sql`${rows}${over}`;
  const kept = isDistinct ? sql`arrayDistinct(${list})` : list;
  return cut(sorted(kept, context), limit);
}

function cut(list: Sql, limit: bigint | undefined): Sql {
  return limit === undefined ? list : sql`arraySlice(${list}, 1, ${numberSql(limit)})`;
}

/** Sorted by one key after the other, the last one first: each sort keeps the order of equals. */
function sorted(list: Sql, { order, call }: AggregateContext): Sql {
  return order.reduceRight((rows, _, index) => {
    const { isDescending, nullsFirst } = call.orderBy[index] ?? { isDescending: false, nullsFirst: true };
    const [isNull, key] = [sql`lw.${numberSql(index * 2 + 2)}`, sql`lw.${numberSql(index * 2 + 3)}`];
    const byKey = isDescending
      ? sql`arrayReverse(arraySort(lw -> ${key}, arrayReverse(${rows})))`
      : sql`arraySort(lw -> ${key}, ${rows})`;
    return sql`arraySort(lw -> ${nullsFirst ? sql`NOT ${isNull}` : isNull}, ${byKey})`;
  }, list);
}

function arrayAggregate(context: AggregateContext): Sql {
  const list = collected(context, context.call.nullHandling === "IGNORE");
  return context.bind([list], (rows) => {
    return castTo(sql`if(empty(${rows}), [], [arrayMap(lw -> lw.1, ${rows})])`, context.type);
  });
}

function stringAggregate(context: AggregateContext): Sql {
  const delimiter = context.call.arguments[1];
  if (context.type.kind !== "STRING") return context.refuse("values of this type");
  if (delimiter !== undefined && (delimiter.kind !== "Literal" || delimiter.value === null)) {
    return context.refuse("a delimiter that is no literal");
  }
  return context.bind([collected(context, true)], (rows) => {
    const texts = sql`arrayMap(lw -> assumeNotNull(lw.1), ${rows})`;
    return sql`if(empty(${rows}), NULL, arrayStringConcat(${texts}, ${textSql(delimiter?.value ?? ",")}))`;
  });
}

/** The number of groups, and the values in order; NaN comes first. */
function sortedGroups(context: AggregateContext): { readonly count: number; readonly values: Sql } | Refusal {
  const groups = context.call.arguments[1];
  const [type] = context.types;
  if (groups?.kind !== "Literal" || groups.value === null || context.isDistinct) return context.refuse("this form");
  if (context.call.nullHandling === "RESPECT" || type === undefined || !isComparable(type))
    return context.refuse("this form");
  const n = Number(groups.value);
  if (!(n >= 1 && n <= 100_000)) return context.refuse("this number of groups");
  const values = sql`arraySort(groupArray(${counted(context)})${context.over})`;
  const nans = sql`arrayFilter(lw -> isNaN(lw), lw_all)`;
  const all =
    type.kind === "FLOAT64"
      ? sql`arrayMap(lw_all -> arrayConcat(${nans}, arrayFilter(lw -> NOT isNaN(lw), lw_all)), [${values}])[1]`
      : values;
  return { count: n, values: all };
}

/** Boundaries of groups of equal size, of all values in order: the exact answer is a valid approximation. */
function quantiles(context: AggregateContext): Sql {
  const groups = sortedGroups(context);
  if (groups instanceof Refusal) return groups;
  const { count: n, values } = groups;
  return context.bind([values], (list) => {
    const position = sql`intDiv(length(lw_sorted) * lw_group + ${numberSql(n - 1)}, ${numberSql(n)})`;
    const element = sql`lw_sorted[greatest(${position}, 1)]`;
    const picked = sql`arrayMap(lw_sorted -> arrayMap(lw_group -> ${element}, range(${numberSql(n + 1)})), [${list}])`;
    return castTo(sql`if(empty(${list}), [], ${picked})`, context.type);
  });
}

/** Types whose values the server's own quantiles take, and none of which they leave out. */
const MEASURED: ReadonlySet<string> = new Set("INT64 NUMERIC DATE TIME DATETIME TIMESTAMP".split(" "));

/** The maximum number of groups for which the level below is exact over a billion rows. */
const MAX_LEVELS = 1_000;

/** One of the boundaries that APPROX_QUANTILES makes, by its offset; undefined where it has no such. */
export function printQuantile(context: AggregateContext, offset: number): Sql | undefined {
  const groups = sortedGroups(context);
  if (groups instanceof Refusal) return undefined;
  const { count, values } = groups;
  if (!(offset >= 0 && offset <= count)) return undefined;
  if (count <= MAX_LEVELS && MEASURED.has(context.types[0]?.kind ?? "")) {
    // The server takes the value that has level * n before it, of n; here it is the first that reaches its share.
    const level = offset === 0 ? 0 : offset / count - 1e-12;
    return sql`quantileExactOrNull(${numberSql(level)})(${counted(context)})${context.over}`;
  }
  return context.bind([values], (list) => {
    const before = sql`length(${list}) * ${numberSql(offset)} + ${numberSql(count - 1)}`;
    return sql`if(empty(${list}), NULL, ${list}[greatest(intDiv(${before}, ${numberSql(count)}), 1)])`;
  });
}

/** The value of the row with the greatest or least key; rows without a key do not count. */
function valueBy(name: "argMax" | "argMin"): (context: AggregateContext) => Sql {
  return (context) => {
    const [value = EMPTY, key = EMPTY] = context.args;
    const [, type] = context.types;
    if (type === undefined || !isComparable(type) || type.kind === "FLOAT64")
      return context.refuse("keys of this type");
    if (isWrapped(context.type) || context.isDistinct) return context.refuse("values of this type");
    const isThere = both(sql`isNotNull(${key})`, context.filter) ?? EMPTY;
    return sql`${callSql(`${name}If`, [sql`tuple(${value})`, key, isThere])}${context.over}.1`;
  };
}

function concatenated(context: AggregateContext): Sql {
  const list = collected({ ...context, types: [{ kind: "INT64" }] }, false);
  return context.bind([sql`arrayFilter(lw -> notEmpty(lw.1), ${list})`], (rows) => {
    const all = sql`[arrayFlatten(arrayMap(lw -> lw.1[1], ${rows}))]`;
    return castTo(sql`if(empty(${rows}), [], ${all})`, context.type);
  });
}

/** Is the aggregate one of those that pass over NULLs anyway? */
function plain(print: (context: AggregateContext) => Sql): (context: AggregateContext) => Sql {
  return (context) => {
    refuseModifiers(context);
    if (context.call.nullHandling === "RESPECT") context.refuse("RESPECT NULLS");
    return print(context);
  };
}

export const aggregateFunctions: AggregateTable = {
  ...statisticalFunctions,
  $count_star: countStar,
  ANY_VALUE: plain(anyValue),
  APPROX_COUNT_DISTINCT: plain((context) => count({ ...context, isDistinct: true })),
  APPROX_QUANTILES: quantiles,
  ARRAY_AGG: arrayAggregate,
  ARRAY_CONCAT_AGG: (context) => {
    const [type] = context.types;
    // The arrays are flattened, and a struct is an array on the server.
    const isPlain =
      type?.kind === "ARRAY" && isWrapped(type) && !isWrapped(type.element) && context.limit === undefined;
    return isPlain && !context.isDistinct ? concatenated(context) : context.refuse("this form");
  },
  AVG: plain(average),
  BIT_AND: plain(bits("groupBitAnd")),
  BIT_OR: plain(bits("groupBitOr")),
  BIT_XOR: plain(bits("groupBitXor")),
  COUNT: plain(count),
  COUNTIF: plain(countIf),
  LOGICAL_AND: plain((context) => sql`minOrNull(${counted(context)})${context.over}`),
  LOGICAL_OR: plain((context) => sql`maxOrNull(${counted(context)})${context.over}`),
  MAX: plain(extreme("max")),
  MAX_BY: plain(valueBy("argMax")),
  MIN: plain(extreme("min")),
  MIN_BY: plain(valueBy("argMin")),
  STRING_AGG: stringAggregate,
  SUM: plain(sum),
};
