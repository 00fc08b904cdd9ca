/** Aggregate functions over a list of rows. */

import type { AggregateCall, Expr } from "../../src/googlesql/resolved.ts";
import { whole } from "./functions.ts";
import {
  compareValues,
  equalValues,
  Failure,
  integerOf,
  itemsOf,
  keyOf,
  Lacking,
  textOf,
  type Value,
} from "./values.ts";

/** The properties common to aggregate and window calls. */
export type Call = Pick<AggregateCall, "function" | "arguments" | "isDistinct" | "nullHandling" | "having" | "type"> &
  Partial<Pick<AggregateCall, "orderBy" | "limit" | "filter">>;

export interface SortKey {
  readonly isDescending: boolean;
  readonly nullsFirst: boolean;
}

/** Below zero when the values `a` sort before `b`. */
export function compareKeys(keys: readonly SortKey[], a: readonly Value[], b: readonly Value[]): number {
  for (const [index, { isDescending, nullsFirst }] of keys.entries()) {
    const [left, right] = [a[index] ?? null, b[index] ?? null];
    const isOneNull = left === null || right === null;
    const order = compareValues(left, right) * (isOneNull ? (nullsFirst ? 1 : -1) : isDescending ? -1 : 1);
    if (order !== 0) return order;
  }
  return 0;
}

export function distinctBy<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return [...new Map([...items].reverse().map((item) => [key(item), item])).values()].reverse();
}

function sum(values: readonly Value[]): Value {
  if (typeof values[0] === "number") return values.reduce<number>((total, value) => total + Number(value), 0);
  return values.length === 0 ? null : whole(values.reduce<bigint>((total, value) => total + integerOf(value), 0n));
}

function extreme(values: readonly Value[], sign: number): Value {
  const nan = values.find((value) => Number.isNaN(value));
  if (nan !== undefined) return nan;
  return [...values].sort((a, b) => sign * compareValues(a, b))[0] ?? null;
}

function fold(values: readonly Value[], combine: (a: bigint, b: bigint) => bigint): Value {
  return values.length === 0 ? null : values.map(integerOf).reduce(combine);
}

/** Over the values that are not NULL; `values` are those of the first argument. */
const overValues: Readonly<Record<string, (values: readonly Value[]) => Value>> = {
  COUNT: (values) => BigInt(values.length),
  COUNTIF: (values) => BigInt(values.filter((value) => value === true).length),
  SUM: sum,
  AVG: (values) => (values.length === 0 ? null : Number(sum(values)) / values.length),
  MIN: (values) => extreme(values, 1),
  MAX: (values) => extreme(values, -1),
  LOGICAL_AND: (values) => (values.length === 0 ? null : values.every((value) => value === true)),
  LOGICAL_OR: (values) => (values.length === 0 ? null : values.some((value) => value === true)),
  BIT_AND: (values) => fold(values, (a, b) => a & b),
  BIT_OR: (values) => fold(values, (a, b) => a | b),
  BIT_XOR: (values) => fold(values, (a, b) => a ^ b),
  ARRAY_CONCAT_AGG: (values) => (values.length === 0 ? null : values.flatMap((value) => [...itemsOf(value)])),
};

type Evaluate<Row> = (expression: Expr, row: Row) => Value;

/** The rows that count: those of the call's own WHERE, those where another expression is greatest or least, each once. */
function rowsThatCount<Row>(call: Call, rows: readonly Row[], evaluate: Evaluate<Row>): readonly Row[] {
  const { filter, having, orderBy = [] } = call;
  let kept = filter === undefined ? rows : rows.filter((row) => evaluate(filter, row) === true);
  if (having !== undefined) {
    const values = kept.map((row) => evaluate(having.expression, row));
    const best = extreme(
      values.filter((value) => value !== null),
      having.kind === "MAX" ? -1 : 1,
    );
    kept = kept.filter((_, index) => best !== null && keyOf(values[index] ?? null) === keyOf(best));
  }
  const [argument] = call.arguments;
  const skipsNulls =
    call.nullHandling === "IGNORE" || !["ARRAY_AGG", "ANY_VALUE", "MAX_BY", "MIN_BY"].includes(call.function);
  if (argument !== undefined && skipsNulls) kept = kept.filter((row) => evaluate(argument, row) !== null);
  if (argument !== undefined && call.isDistinct) kept = distinctBy(kept, (row) => keyOf(evaluate(argument, row)));
  const keyed = kept.map((row) => ({ row, keys: orderBy.map(({ expression }) => evaluate(expression, row)) }));
  const sorted = keyed.sort((a, b) => compareKeys(orderBy, a.keys, b.keys)).map(({ row }) => row);
  return call.limit === undefined ? sorted : sorted.slice(0, Number(evaluate(call.limit, rows[0] as Row)));
}

export function aggregate<Row>(call: Call, rows: readonly Row[], evaluate: Evaluate<Row>): Value {
  const kept = rows.length === 0 ? rows : rowsThatCount(call, rows, evaluate);
  const [argument, second] = call.arguments;
  if (call.function === "$count_star") return BigInt(kept.length);
  if (argument === undefined) throw new Lacking(call.function);
  const values = kept.map((row) => evaluate(argument, row));
  switch (call.function) {
    case "ARRAY_AGG":
      return values.length === 0 ? null : values;
    case "STRING_AGG": {
      const delimiter = second === undefined || kept[0] === undefined ? "," : textOf(evaluate(second, kept[0]));
      return values.length === 0 ? null : values.map(textOf).join(delimiter);
    }
    case "ANY_VALUE":
      if (new Set(values.map(keyOf)).size > 1) throw new Failure("more than one right answer");
      return values[0] ?? null;
    case "MAX_BY":
    case "MIN_BY": {
      if (second === undefined) throw new Lacking(call.function);
      const by = kept.map((row) => evaluate(second, row));
      const best = extreme(
        by.filter((value) => value !== null),
        call.function === "MAX_BY" ? -1 : 1,
      );
      return values.find((_, index) => equalValues(by[index] ?? null, best) === true) ?? null;
    }
    default: {
      const compute = overValues[call.function];
      if (compute === undefined) throw new Lacking(call.function);
      return compute(values.filter((value) => value !== null));
    }
  }
}
