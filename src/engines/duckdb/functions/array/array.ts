/** Array functions. Arrays are lists, those of log records JSON text (see record-arrays.ts). */
import { ARRAY_ELEMENTS } from "../../compile/limits.ts";
import { quoteString, raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import { BIGNUMERIC_TYPE } from "../number/bignumeric.ts";
import { NUMERIC_TYPE } from "../number/numeric.ts";
import { joinTexts } from "../text/join-texts.ts";
import type { CallContext, FunctionTable, PrintCall } from "../types.ts";
import { asList, fromList } from "./record-arrays.ts";

/** The call's arguments, arrays of records as lists. */
function listArguments({ args, types }: CallContext): readonly string[] {
  return args.map((arg, i) => asList(arg, types[i]));
}

function firstOrLast(name: "ARRAY_FIRST" | "ARRAY_LAST", index: "1" | "-1"): PrintCall {
  return (context) =>
    computeOnce(listArguments(context), name.toLowerCase(), (list) => {
      const failure = raiseError(quoteString(`${name}: the array is empty`));
      return `CASE WHEN len(${list}) = 0 THEN ${failure} ELSE ${list}[${index}] END`;
    });
}

function slice(context: CallContext): string {
  const sliced = computeOnce(listArguments(context), "array_slice", (list, start = "", end = "") => {
    const from = `CASE WHEN ${start} < 0 THEN greatest(len(${list}) + ${start}, 0) ELSE ${start} END`;
    const to = `CASE WHEN ${end} < 0 THEN len(${list}) + ${end} ELSE least(${end}, len(${list}) - 1) END`;
    return (
      `CASE WHEN ${start} IS NULL OR ${end} IS NULL THEN NULL WHEN ${start} >= len(${list}) ` +
      `OR ${end} < -len(${list}) THEN ${list}[1:0] ` +
      `ELSE ${list}[${from} + 1:${to} + 1] END`
    );
  });
  return fromList(sliced, context.type);
}

function arrayToString({ args, types }: CallContext): string {
  const isBytes = types[0]?.kind === "ARRAY" && types[0].element.kind === "BYTES";
  return computeOnce(args, "array_to_string", (list = "", delimiter = "", nullText) => {
    const text = (value: string) => (isBytes ? `hex(${value})` : value);
    const texts =
      nullText === undefined
        ? isBytes
          ? `list_transform(${list}, lambda lw_element: hex(lw_element))`
          : list
        : `list_transform(${list}, lambda lw_element: ${text(`coalesce(lw_element, ${nullText})`)})`;
    const joined = joinTexts(texts, text(delimiter));
    const isNull = args.map((_, index) => `${[list, delimiter, nullText][index]} IS NULL`).join(" OR ");
    return `CASE WHEN ${isNull} THEN NULL ELSE ${isBytes ? `unhex(${joined})` : joined} END`;
  });
}

function generateIntegers(args: readonly string[]): string {
  const [start = "", end = "", step = "1::BIGINT"] = args;
  return computeOnce([start, end, step], "generate_array", (from, to, by) => {
    const isEmpty = `(${by} > 0 AND ${from} > ${to}) OR (${by} < 0 AND ${from} < ${to})`;
    const count = `(CAST(${to} AS HUGEINT) - ${from}) // ${by}`;
    return (
      `CASE WHEN ${from} IS NULL OR ${to} IS NULL OR ${by} IS NULL THEN NULL ` +
      `WHEN ${by} = 0 THEN ${raiseError("'GENERATE_ARRAY: the step must not be 0'")} ` +
      `WHEN ${isEmpty} THEN []::BIGINT[] ` +
      (`WHEN ${count} >= ${ARRAY_ELEMENTS} THEN ` +
        `${raiseError("'GENERATE_ARRAY makes more elements than max_array_elements allows'")} `) +
      `ELSE generate_series(${from}, ${to}, ${by}) END`
    );
  });
}

function generateArray({ args, types }: CallContext): string {
  const [start = "", end = "", step] = args;
  switch (types[0]?.kind) {
    case "FLOAT64":
      return `lw_generate_doubles(${start}, ${end}, ${step ?? "1::DOUBLE"}, ${ARRAY_ELEMENTS})`;
    case "NUMERIC": {
      const one = `CAST(1 AS ${NUMERIC_TYPE})`;
      return `CAST(lw_generate_numerics(${start}, ${end}, ${step ?? one}, ${ARRAY_ELEMENTS}) AS ${NUMERIC_TYPE}[])`;
    }
    case "BIGNUMERIC": {
      const one = `CAST('1${"0".repeat(38)}' AS ${BIGNUMERIC_TYPE})`;
      return (
        `CAST(lw_generate_bignumerics(${start}, ${end}, ${step ?? one}, ${ARRAY_ELEMENTS}) AS ` +
        `${BIGNUMERIC_TYPE}[])`
      );
    }
    default:
      return generateIntegers(args);
  }
}

export const arrayFunctions: FunctionTable = {
  // DuckDB's list_concat skips NULL lists, its operator does not.
  ARRAY_CONCAT: (context) => fromList(`(${listArguments(context).join(" || ")})`, context.type),
  ARRAY_FIRST: firstOrLast("ARRAY_FIRST", "1"),
  ARRAY_LAST: firstOrLast("ARRAY_LAST", "-1"),
  ARRAY_LENGTH: ({ args, types }) =>
    types[0]?.kind === "ARRAY" && types[0].element.kind === "RECORD"
      ? `CAST(json_array_length(${args[0]}) AS BIGINT)`
      : `len(${args[0]})`,
  ARRAY_REVERSE: (context) => fromList(`list_reverse(${listArguments(context)[0]})`, context.type),
  ARRAY_SLICE: slice,
  ARRAY_TO_STRING: arrayToString,
  GENERATE_ARRAY: generateArray,
  $array_transform: ({ args }) => `list_transform(${args.join(", ")})`,
  $array_flatten: ({ args }) => `flatten(list_transform(${args.join(", ")}))`,
};
