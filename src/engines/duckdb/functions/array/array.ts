/** Array functions. Arrays are lists, those of log records JSON text (see record-arrays.ts). */

import { physicalTypeSql } from "../../compile/expression/literals.ts";
import { ARRAY_ELEMENTS } from "../../compile/limits.ts";
import { bigintSql, concatSql, constant, nameSql, numberSql } from "../../sql/atoms.ts";
import { callSql, castTo, filterList, mapList, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinMapped, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import { DECIMALS } from "../number/decimal.ts";
import type { CallContext, FunctionTable, PrintCall } from "../types.ts";
import { asList, fromList, isRecordArray } from "./record-arrays.ts";

/**
 * The texts of a list joined, NULLs left out; an empty text where none is left, NULL for a NULL list or delimiter.
 * DuckDB's array_to_string takes no delimiter that is not constant.
 */
function joinTexts(list: Sql, delimiter: Sql): Sql {
  if (delimiter.literalText === undefined) return sql`lw_join(${list}, ${delimiter})`;
  // A list of NULLs joins to NULL in DuckDB, a NULL list as well.
  return sql`CASE WHEN ${list} IS NOT NULL THEN coalesce(array_to_string(${list}, ${delimiter}), '') END`;
}

/** The call's arguments, arrays of records as lists. */
function listArguments({ args, types }: CallContext): readonly Sql[] {
  return args.map((arg, i) => asList(arg, types[i]));
}

/** Lists from which on they become one of lists first: DuckDB takes a millisecond for each operator in a chain. */
const MANY_LISTS = 20;

/** The concatenation of arrays. DuckDB's list_concat skips NULL lists; its operator gives a constant NULL no type. */
export function concatenate(context: CallContext): Sql {
  const lists = listArguments(context);
  const joined = lists.length < MANY_LISTS ? concatSql(lists) : flatten(sql`[${joinSql(lists, ", ")}]`);
  const isTyped = lists.every(({ isColumn }) => isColumn) || isRecordArray(context.type);
  return fromList(isTyped ? joined : castTo(joined, physicalTypeSql(context.type)), context.type);
}

/** The elements of a list's lists; NULL where one of them is. */
function flatten(lists: Sql): Sql {
  return computeOnce([lists], "lists", (all = EMPTY) => {
    const missing = filterList(all, "lw_each", sql`lw_each IS NULL`);
    return sql`CASE WHEN len(${missing}) > 0 THEN NULL ELSE flatten(${all}) END`;
  });
}

function firstOrLast(name: "ARRAY_FIRST" | "ARRAY_LAST", index: 1 | -1): PrintCall {
  return (context) =>
    computeOnce(listArguments(context), name.toLowerCase(), (list) => {
      const failure = raiseText(`${name}: the array is empty`);
      return sql`CASE WHEN len(${list}) = 0 THEN ${failure} ELSE ${list}[${numberSql(index)}] END`;
    });
}

function slice(context: CallContext): Sql {
  const sliced = computeOnce(listArguments(context), "array_slice", (list, start = EMPTY, end = EMPTY) => {
    const from = sql`CASE WHEN ${start} < 0 THEN greatest(len(${list}) + ${start}, 0) ELSE ${start} END`;
    const to = sql`CASE WHEN ${end} < 0 THEN len(${list}) + ${end} ELSE least(${end}, len(${list}) - 1) END`;
    return sql`
      CASE WHEN ${start} IS NULL OR ${end} IS NULL THEN NULL WHEN ${start} >= len(${list})
      OR ${end} < -len(${list}) THEN ${list}[1:0]
      ELSE ${list}[${from} + 1:${to} + 1] END
    `;
  });
  return fromList(sliced, context.type);
}

function arrayToString({ args, types }: CallContext): Sql {
  const isBytes = types[0]?.kind === "ARRAY" && types[0].element.kind === "BYTES";
  return computeOnce(args, "array_to_string", (list = EMPTY, delimiter = EMPTY, nullText) => {
    const text = (value: Sql) => (isBytes ? sql`hex(${value})` : value);
    const texts =
      nullText === undefined
        ? isBytes
          ? mapList(list, "lw_element", sql`hex(lw_element)`)
          : list
        : mapList(list, "lw_element", text(sql`coalesce(lw_element, ${nullText})`));
    const joined = joinTexts(texts, text(delimiter));
    const isNull = joinMapped(args, " OR ", (_, index) => sql`${[list, delimiter, nullText][index] ?? EMPTY} IS NULL`);
    return sql`CASE WHEN ${isNull} THEN NULL ELSE ${isBytes ? sql`unhex(${joined})` : joined} END`;
  });
}

function generateIntegers(args: readonly Sql[]): Sql {
  const [start = EMPTY, end = EMPTY, step = bigintSql(1n)] = args;
  return computeOnce([start, end, step], "generate_array", (from, to, by) => {
    const isEmpty = sql`(${by} > 0 AND ${from} > ${to}) OR (${by} < 0 AND ${from} < ${to})`;
    const count = sql`(CAST(${to} AS HUGEINT) - ${from}) // ${by}`;
    return sql`
      CASE WHEN ${from} IS NULL OR ${to} IS NULL OR ${by} IS NULL THEN NULL
      WHEN ${by} = 0 THEN ${raiseText("GENERATE_ARRAY: the step must not be 0")}
      WHEN ${isEmpty} THEN []::BIGINT[]
      WHEN ${count} >= ${ARRAY_ELEMENTS} THEN
      ${raiseText("GENERATE_ARRAY makes more elements than max_array_elements allows")}
      ELSE generate_series(${from}, ${to}, ${by}) END
    `;
  });
}

function generateArray({ args, types }: CallContext): Sql {
  const [start = EMPTY, end = EMPTY, step] = args;
  switch (types[0]?.kind) {
    case "FLOAT64":
      return sql`lw_generate_doubles(${start}, ${end}, ${step ?? constant`1::DOUBLE`}, ${ARRAY_ELEMENTS})`;
    case "NUMERIC":
    case "BIGNUMERIC": {
      const { type, literal } = DECIMALS[types[0].kind];
      const name = nameSql(`lw_generate_${types[0].kind.toLowerCase()}s`);
      return sql`CAST(${name}(${start}, ${end}, ${step ?? literal("1")}, ${ARRAY_ELEMENTS}) AS ${type}[])`;
    }
    default:
      return generateIntegers(args);
  }
}

export const arrayFunctions: FunctionTable = {
  ARRAY_CONCAT: concatenate,
  ARRAY_FIRST: firstOrLast("ARRAY_FIRST", 1),
  ARRAY_LAST: firstOrLast("ARRAY_LAST", -1),
  ARRAY_LENGTH: ({ args, types }) =>
    types[0]?.kind === "ARRAY" && types[0].element.kind === "RECORD"
      ? sql`CAST(json_array_length(${args[0] ?? EMPTY}) AS BIGINT)`
      : sql`len(${args[0] ?? EMPTY})`,
  ARRAY_REVERSE: (context) => fromList(sql`list_reverse(${listArguments(context)[0] ?? EMPTY})`, context.type),
  ARRAY_SLICE: slice,
  ARRAY_TO_STRING: arrayToString,
  GENERATE_ARRAY: generateArray,
  $array_transform: ({ args }) => callSql("list_transform", args),
  $array_flatten: ({ args }) => sql`flatten(list_transform(${joinSql(args, ", ")}))`,
};
