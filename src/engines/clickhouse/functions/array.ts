/** Functions of arrays, which stand in an array of one: the empty one is NULL. */
import { isWrapped, printNull } from "../compile/expression/literals.ts";
import { int64Sql, NULL, numberSql } from "../sql/atoms.ts";
import { callSql, EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import { named } from "./rows.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

/** Names the arguments of a call, none of which may be an array of records. */
function overArrays(print: (context: CallContext, ...args: Sql[]) => Sql): PrintCall {
  const printNamed = named(print);
  return (context) => {
    const isRecords = context.types.some((type) => type.kind === "ARRAY" && !isWrapped(type));
    return isRecords ? context.refuse("arrays of records") : printNamed(context);
  };
}

function missingElement(context: CallContext): Sql {
  return isWrapped(context.type) ? printNull(context.type) : NULL;
}

function subscript(base: 0 | 1, isSafe: boolean): PrintCall {
  return overArrays((context, a, i) => {
    const at = base === 0 ? sql`${i} + 1` : i;
    const isInside = sql`${i} >= ${numberSql(base)} AND ${i} < toInt64(length(${a}[1])) + ${numberSql(base)}`;
    const element = sql`if(ifNull(${isInside}, false), ${a}[1][ifNull(${at}, 1)], ${missingElement(context)})`;
    if (isSafe) return element;
    return context.failIf(sql`notEmpty(${a}) AND NOT (${isInside})`, "Array index is out of bounds", element);
  });
}

/** The first or last element; fails for an empty array. */
function end(position: 1 | -1): PrintCall {
  return overArrays((context, a) => {
    const element = sql`if(empty(${a}[1]), ${missingElement(context)}, ${a}[1][${numberSql(position)}])`;
    const message = `${context.call.function}: the array is empty`;
    return context.failIf(sql`notEmpty(${a}) AND empty(${a}[1])`, message, element);
  });
}

function concat(context: CallContext, ...arrays: Sql[]): Sql {
  const areMissing = arrays.map((array) => sql`empty(${array})`);
  const inner = arrays.map((array) => sql`${array}[1]`);
  return sql`if(${joinSql(areMissing, " OR ")}, ${printNull(context.type)}, [${callSql("arrayConcat", inner)}])`;
}

/** Elements that are NULL are left out, or become the third argument. */
function toText(context: CallContext): Sql {
  const [array = EMPTY, delimiter = EMPTY, missing] = context.args;
  const [type] = context.types;
  if (type?.kind !== "ARRAY" || type.element.kind !== "STRING") return context.refuse("elements that are no STRING");
  if (context.call.arguments[1]?.kind !== "Literal") return context.refuse("a delimiter that is no literal");
  return context.bind([array, ...(missing === undefined ? [] : [missing])], (a, m) => {
    const texts =
      m === undefined
        ? sql`arrayMap(lw_e -> assumeNotNull(lw_e), arrayFilter(lw_e -> isNotNull(lw_e), ${a}[1]))`
        : sql`arrayMap(lw_e -> ifNull(lw_e, ifNull(${m}, '')), ${a}[1])`;
    const isMissing = m === undefined ? sql`empty(${a})` : sql`empty(${a}) OR isNull(${m})`;
    return sql`if(${isMissing} OR isNull(${delimiter}), NULL, arrayStringConcat(${texts}, assumeNotNull(${delimiter})))`;
  });
}

/** From one position to another, both from 0 and counted from the end where they are negative. */
function slice(context: CallContext, a: Sql, from: Sql, to: Sql): Sql {
  const n = sql`toInt64(length(${a}[1]))`;
  const first = sql`if(${from} < 0, if(${from} < -${n}, 0, ${n} + ${from}), ${from})`;
  const last = sql`if(${to} < 0, ${n} + ${to}, if(${to} > ${n} - 1, ${n} - 1, ${to}))`;
  const isEmpty = sql`${from} >= ${n} OR ${to} < -${n} OR ${last} < ${first}`;
  const kept = sql`arraySlice(${a}[1], assumeNotNull(${first}) + 1, if(${isEmpty}, 0, assumeNotNull(${last} - ${first} + 1)))`;
  return sql`if(empty(${a}) OR isNull(${from}) OR isNull(${to}), ${printNull(context.type)}, [${kept}])`;
}

/** How many of the bounds are not greater than the value. */
function rangeBucket(context: CallContext): Sql {
  const [value = EMPTY, bounds = EMPTY] = context.args;
  const literal = context.call.arguments[1];
  const known = literal?.kind === "MakeArray" ? literal.elements : undefined;
  const isSorted = known?.every((each, index) => {
    const before = known[index - 1];
    if (each.kind !== "Literal" || each.value === null || each.type.kind !== "INT64") return false;
    return before?.kind !== "Literal" || BigInt(before.value ?? "0") <= BigInt(each.value);
  });
  if (isSorted !== true || context.types[0]?.kind !== "INT64")
    return context.refuse("bounds that are no sorted literals");
  return context.bind(
    [value],
    (v) => sql`if(isNull(${v}), NULL, toInt64(arrayCount(lw_b -> lw_b <= ${v}, ${bounds}[1])))`,
  );
}

const MAX_ELEMENTS = 1_000_000;

function generate(context: CallContext): Sql {
  if (context.types.some(({ kind }) => kind !== "INT64")) return context.refuse("numbers that are no INT64");
  const [start = EMPTY, last = EMPTY, step = int64Sql(1n)] = context.args;
  return context.bind([start, last, step], (s, l, by) => {
    const isMissing = sql`isNull(${s}) OR isNull(${l}) OR isNull(${by})`;
    const count = sql`toInt128(intDiv(toInt128(ifNull(${l}, 0)) - toInt128(ifNull(${s}, 0)), toInt128(if(ifNull(${by}, 0) = 0, 1, ${by})))) + 1`;
    const isEmpty = sql`(${by} > 0 AND ${s} > ${l}) OR (${by} < 0 AND ${s} < ${l})`;
    const kept = sql`toUInt64(if(${isEmpty} OR ${count} > ${numberSql(MAX_ELEMENTS)} OR ${isMissing}, 0, ${count}))`;
    const values = sql`arrayMap(lw_i -> ${s} + toInt64(lw_i) * ${by}, range(assumeNotNull(${kept})))`;
    const array = sql`CAST(if(${isMissing}, [], [${values}]), 'Array(Array(Nullable(Int64)))')`;
    const small = context.failIf(
      sql`NOT (${isEmpty}) AND ${count} > ${numberSql(MAX_ELEMENTS)}`,
      "GENERATE_ARRAY makes more elements than max_array_elements allows",
      array,
    );
    return context.failIf(sql`${by} = 0 AND NOT (${isMissing})`, "GENERATE_ARRAY: the step must not be 0", small);
  });
}

export const arrayFunctions: FunctionTable = {
  $array_at_offset: subscript(0, false),
  $array_at_ordinal: subscript(1, false),
  $safe_array_at_offset: subscript(0, true),
  $safe_array_at_ordinal: subscript(1, true),
  ARRAY_CONCAT: overArrays(concat),
  ARRAY_FIRST: end(1),
  ARRAY_LAST: end(-1),
  ARRAY_LENGTH: overArrays((_, a) => sql`if(empty(${a}), NULL, toInt64(length(${a}[1])))`),
  ARRAY_REVERSE: overArrays((_, a) => sql`arrayMap(lw_a -> reverse(lw_a), ${a})`),
  ARRAY_SLICE: overArrays(slice),
  ARRAY_TO_STRING: toText,
  GENERATE_ARRAY: generate,
  RANGE_BUCKET: rangeBucket,
};
