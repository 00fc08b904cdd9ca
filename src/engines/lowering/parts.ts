/** Forms of expressions that printers look for. */

import { functionFacts } from "../../googlesql/catalogue/index.ts";
import type { AnyExpr, CallExpr, Column, Expr } from "../../googlesql/resolved.ts";

/** The conditions that this word joins; the condition itself where it joins none. */
export function partsOf(condition: Expr, word: "$and" | "$or"): readonly Expr[] {
  const isJoined = condition.kind === "Call" && condition.function === word;
  return isJoined ? condition.arguments.filter((argument) => argument !== undefined) : [condition];
}

/** From where a subscript counts. */
const SUBSCRIPTS: Readonly<Record<string, bigint>> = {
  $array_at_offset: 0n,
  $array_at_ordinal: 1n,
  $safe_array_at_offset: 0n,
  $safe_array_at_ordinal: 1n,
};

/** The column and the offset from 0 of a call that reads one element of it; undefined for any other call. */
export function elementOf(call: CallExpr): { readonly array: Column; readonly offset: bigint } | undefined {
  const [array, position] = call.arguments;
  const first = SUBSCRIPTS[call.function];
  if (first === undefined || array?.kind !== "Column" || position?.kind !== "Literal") return undefined;
  return position.value === null ? undefined : { array: array.column, offset: BigInt(position.value) - first };
}

/** Whether a node of a resolved expression is a call that gives another value each time. */
export const isRandomCall = (at: AnyExpr): boolean =>
  at.kind === "Call" && functionFacts(at.function).volatility === "row";
