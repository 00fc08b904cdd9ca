/** Aggregate functions, grouped or with OVER. */
import { isWrapped, physicalType } from "../compile/physical-types.ts";
import { quoteText } from "../driver/quote.ts";
import { toNumeric } from "./arithmetic.ts";
import { isComparable } from "./compare.ts";
import { statisticalFunctions } from "./statistics.ts";
import type { AggregateContext, AggregateTable } from "./types.ts";

/** The rows that count, as the argument: aggregates pass NULLs over. */
function counted({ args, filter }: AggregateContext, index = 0): string {
  const sql = args[index] ?? "";
  return filter === undefined ? sql : `if(${filter}, ${sql}, NULL)`;
}

/** One zero and one NaN, where values are told apart by their bits. */
export function settleFloat(sql: string): string {
  return `if(isNaN(${sql}), CAST('nan', 'Float64'), ${sql} + 0.)`;
}

function distinctValue(context: AggregateContext): string {
  const value = counted(context);
  return context.types[0]?.kind === "FLOAT64" ? context.bind([value], settleFloat) : value;
}

function refuseModifiers(context: AggregateContext): void {
  if (context.order.length > 0 || context.limit !== undefined) context.refuse("ORDER BY or LIMIT in the call");
}

function requireComparable(context: AggregateContext): void {
  const [type] = context.types;
  if (type === undefined || !isComparable(type)) context.refuse("values of this type");
}

function countStar({ filter, over }: AggregateContext): string {
  return filter === undefined ? `toInt64(count()${over})` : `toInt64(countIf(${filter})${over})`;
}

function count(context: AggregateContext): string {
  const [type] = context.types;
  const { over, filter, args } = context;
  if (context.isDistinct) {
    requireComparable(context);
    return `toInt64(uniqExact(${distinctValue(context)})${over})`;
  }
  if (type !== undefined && isWrapped(type)) {
    const isThere = `notEmpty(${args[0]})`;
    return `toInt64(countIf(${filter === undefined ? isThere : `${filter} AND ${isThere}`})${over})`;
  }
  return `toInt64(count(${counted(context)})${over})`;
}

function countIf(context: AggregateContext): string {
  if (context.isDistinct) context.refuse("DISTINCT");
  const { args, filter, over } = context;
  return `toInt64(countIf(${filter === undefined ? args[0] : `${filter} AND ${args[0]}`})${over})`;
}

function total(context: AggregateContext, value: string): string {
  return `sum${context.isDistinct ? "Distinct" : ""}OrNull(${value})${context.over}`;
}

function sum(context: AggregateContext): string {
  const value = counted(context);
  switch (context.type.kind) {
    case "INT64":
      return `accurateCast(${total(context, `toInt128(${value})`)}, 'Nullable(Int64)')`;
    case "NUMERIC":
      return toNumeric(context, total(context, `toDecimal256(${value}, 9)`));
    case "FLOAT64": {
      if (context.isDistinct) context.refuse("DISTINCT over FLOAT64");
      return sumOfFloats(context, value);
    }
    default:
      return context.refuse("values of this type");
  }
}

/** A sum that leaves the range of doubles is told from one of infinities by that of 2^-64 of each. */
function sumOfFloats(context: AggregateContext, value: string): string {
  const reduced = `sumOrNull(${value} * 5.421010862427522e-20)${context.over}`;
  return context.bind([total(context, value), reduced], (whole, small) => {
    const wide = `${small} * 18446744073709551616.`;
    const fails = `NOT isFinite(${whole}) AND isFinite(${small}) AND NOT isFinite(${wide})`;
    const isPlain = `isNull(${whole}) OR isFinite(${whole})`;
    const settled = `multiIf(${isPlain}, ${whole}, NOT isFinite(${small}), ${small}, ${wide})`;
    return context.failIf(fails, "double overflow", settled);
  });
}

function average(context: AggregateContext): string {
  const value = counted(context);
  if (context.isDistinct) return context.refuse("DISTINCT");
  switch (context.types[0]?.kind) {
    case "INT64":
      return `avgOrNull(toInt128(${value}))${context.over}`;
    case "FLOAT64": {
      const reduced = `avgOrNull(${value} * 5.421010862427522e-20)${context.over}`;
      return context.bind([`avgOrNull(${value})${context.over}`, reduced], (mean, small) => {
        return `if(isNull(${mean}) OR isFinite(${mean}), ${mean}, ${small} * 18446744073709551616.)`;
      });
    }
    default:
      return context.refuse("values of this type");
  }
}

/** NaN is the result if any value is. */
function extreme(name: "min" | "max"): (context: AggregateContext) => string {
  return (context) => {
    requireComparable(context);
    const value = counted(context);
    const plain = `${name}OrNull(${value})${context.over}`;
    if (context.types[0]?.kind !== "FLOAT64") return plain;
    return `if(countIf(isNaN(${value}))${context.over} > 0, CAST('nan', 'Float64'), ${plain})`;
  };
}

function anyValue(context: AggregateContext): string {
  requireComparable(context);
  return `anyOrNull(${counted(context)})${context.over}`;
}

function bits(name: string): (context: AggregateContext) => string {
  return (context) => {
    if (context.type.kind !== "INT64") context.refuse("values of this type");
    if (context.isDistinct && name === "groupBitXor") context.refuse("DISTINCT");
    return `${name}OrNull(${counted(context)})${context.over}`;
  };
}

/** The values of the rows in order, as an array of tuples of one; those of LIMIT only. */
function collected(context: AggregateContext, skipsNulls: boolean): string {
  const { args, filter, order, limit, over, isDistinct } = context;
  const value = args[0] ?? "";
  const [type] = context.types;
  if (type?.kind === "ARRAY") return context.refuse("arrays");
  if (type === undefined || (skipsNulls && isWrapped(type))) return context.refuse("values of this type");
  if (isDistinct && order.length === 0) return context.refuse("DISTINCT without ORDER BY");
  if (order.some((key) => !isComparable(key.type) || key.type.kind === "FLOAT64")) return context.refuse("this order");
  const isThere = skipsNulls ? `isNotNull(${value})` : undefined;
  const conditions = [filter, isThere].filter((each) => each !== undefined).join(" AND ");
  const keys = order.flatMap((key) => [`isNull(${key.sql})`, key.sql]);
  const rows = conditions === "" ? "groupArray" : "groupArrayIf";
  const list = `${rows}(tuple(${[value, ...keys].join(", ")})${conditions === "" ? "" : `, ifNull(${conditions}, false)`})${over}`;
  const kept = isDistinct ? `arrayDistinct(${list})` : list;
  return cut(sorted(kept, context), limit);
}

function cut(list: string, limit: bigint | undefined): string {
  return limit === undefined ? list : `arraySlice(${list}, 1, ${limit})`;
}

/** Sorted by one key after the other, the last one first: each sort keeps the order of equals. */
function sorted(list: string, { order, call }: AggregateContext): string {
  return order.reduceRight((rows, _, index) => {
    const { isDescending, nullsFirst } = call.orderBy[index] ?? { isDescending: false, nullsFirst: true };
    const [isNull, key] = [`lw.${index * 2 + 2}`, `lw.${index * 2 + 3}`];
    const byKey = isDescending
      ? `arrayReverse(arraySort(lw -> ${key}, arrayReverse(${rows})))`
      : `arraySort(lw -> ${key}, ${rows})`;
    return `arraySort(lw -> ${nullsFirst ? `NOT ${isNull}` : isNull}, ${byKey})`;
  }, list);
}

function arrayAggregate(context: AggregateContext): string {
  const list = collected(context, context.call.nullHandling === "IGNORE");
  return context.bind([list], (rows) => {
    return `CAST(if(empty(${rows}), [], [arrayMap(lw -> lw.1, ${rows})]), '${physicalType(context.type)}')`;
  });
}

function stringAggregate(context: AggregateContext): string {
  const delimiter = context.call.arguments[1];
  if (context.type.kind !== "STRING") return context.refuse("values of this type");
  if (delimiter !== undefined && (delimiter.kind !== "Literal" || delimiter.value === null)) {
    return context.refuse("a delimiter that is no literal");
  }
  return context.bind([collected(context, true)], (rows) => {
    const texts = `arrayMap(lw -> assumeNotNull(lw.1), ${rows})`;
    return `if(empty(${rows}), NULL, arrayStringConcat(${texts}, ${quoteText(delimiter?.value ?? ",")}))`;
  });
}

/** The number of groups, and the values in order; NaN comes first. */
function sortedGroups(context: AggregateContext): { readonly count: number; readonly values: string } {
  const groups = context.call.arguments[1];
  const [type] = context.types;
  if (groups?.kind !== "Literal" || groups.value === null || context.isDistinct) return context.refuse("this form");
  if (context.call.nullHandling === "RESPECT" || type === undefined || !isComparable(type))
    return context.refuse("this form");
  const n = Number(groups.value);
  if (!(n >= 1 && n <= 100_000)) return context.refuse("this number of groups");
  const values = `arraySort(groupArray(${counted(context)})${context.over})`;
  const nans = `arrayFilter(lw -> isNaN(lw), lw_all)`;
  const all =
    type.kind === "FLOAT64"
      ? `arrayMap(lw_all -> arrayConcat(${nans}, arrayFilter(lw -> NOT isNaN(lw), lw_all)), [${values}])[1]`
      : values;
  return { count: n, values: all };
}

/** Boundaries of groups of equal size, of all values in order: the exact answer is a valid approximation. */
function quantiles(context: AggregateContext): string {
  const { count: n, values } = sortedGroups(context);
  return context.bind([values], (list) => {
    const element = `lw_sorted[greatest(intDiv(length(lw_sorted) * lw_group + ${n - 1}, ${n}), 1)]`;
    const picked = `arrayMap(lw_sorted -> arrayMap(lw_group -> ${element}, range(${n + 1})), [${list}])`;
    return `CAST(if(empty(${list}), [], ${picked}), '${physicalType(context.type)}')`;
  });
}

/** Types whose values the server's own quantiles take, and none of which they leave out. */
const MEASURED: ReadonlySet<string> = new Set("INT64 NUMERIC DATE TIME DATETIME TIMESTAMP".split(" "));

/** The maximum number of groups for which the level below is exact over a billion rows. */
const MAX_LEVELS = 1_000;

/** One of the boundaries that APPROX_QUANTILES makes, by its offset; undefined where it has no such. */
export function printQuantile(context: AggregateContext, offset: number): string | undefined {
  const { count, values } = sortedGroups(context);
  if (!(offset >= 0 && offset <= count)) return undefined;
  if (count <= MAX_LEVELS && MEASURED.has(context.types[0]?.kind ?? "")) {
    // The server takes the value that has level * n before it, of n; here it is the first that reaches its share.
    const level = offset === 0 ? 0 : offset / count - 1e-12;
    return `quantileExactOrNull(${level})(${counted(context)})${context.over}`;
  }
  return context.bind([values], (list) => {
    return `if(empty(${list}), NULL, ${list}[greatest(intDiv(length(${list}) * ${offset} + ${count - 1}, ${count}), 1)])`;
  });
}

/** The value of the row with the greatest or least key; rows without a key do not count. */
function valueBy(name: "argMax" | "argMin"): (context: AggregateContext) => string {
  return (context) => {
    const [value = "", key = ""] = context.args;
    const [, type] = context.types;
    if (type === undefined || !isComparable(type) || type.kind === "FLOAT64")
      return context.refuse("keys of this type");
    if (isWrapped(context.type) || context.isDistinct) return context.refuse("values of this type");
    const isThere = `isNotNull(${key})${context.filter === undefined ? "" : ` AND ${context.filter}`}`;
    return `${name}If(tuple(${value}), ${key}, ${isThere})${context.over}.1`;
  };
}

function concatenated(context: AggregateContext): string {
  const list = collected({ ...context, types: [{ kind: "INT64" }] }, false);
  return context.bind([`arrayFilter(lw -> notEmpty(lw.1), ${list})`], (rows) => {
    const all = `[arrayFlatten(arrayMap(lw -> lw.1[1], ${rows}))]`;
    return `CAST(if(empty(${rows}), [], ${all}), '${physicalType(context.type)}')`;
  });
}

/** Is the aggregate one of those that pass over NULLs anyway? */
function plain(print: (context: AggregateContext) => string): (context: AggregateContext) => string {
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
    const isPlain = context.types[0]?.kind === "ARRAY" && isWrapped(context.types[0]) && context.limit === undefined;
    return isPlain && !context.isDistinct ? concatenated(context) : context.refuse("this form");
  },
  AVG: plain(average),
  BIT_AND: plain(bits("groupBitAnd")),
  BIT_OR: plain(bits("groupBitOr")),
  BIT_XOR: plain(bits("groupBitXor")),
  COUNT: plain(count),
  COUNTIF: plain(countIf),
  LOGICAL_AND: plain((context) => `minOrNull(${counted(context)})${context.over}`),
  LOGICAL_OR: plain((context) => `maxOrNull(${counted(context)})${context.over}`),
  MAX: plain(extreme("max")),
  MAX_BY: plain(valueBy("argMax")),
  MIN: plain(extreme("min")),
  MIN_BY: plain(valueBy("argMin")),
  STRING_AGG: stringAggregate,
  SUM: plain(sum),
};
