/** Times that conditions compare those of events with, which show where to look for the newest. */
import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import type { Sql } from "../../sql/sql.ts";
import { TIMESTAMP } from "../../sql/types.ts";
import type { Compilation, TimeBound } from "../compilation.ts";
import type { Scope } from "../scope.ts";
import { lookUp } from "./traits.ts";

/** No more of them are worth to be known. */
const MAX_BOUNDS = 8;

/** Arguments that may be an event's time, with another that it is compared with, and whether it is at or after that. */
type Compared = readonly (readonly [time: number, other: number, isAfter: boolean])[];

const AFTER: Compared = [
  [0, 1, true],
  [1, 0, false],
];
const BEFORE: Compared = [
  [0, 1, false],
  [1, 0, true],
];
const BETWEEN: Compared = [
  [0, 1, true],
  [0, 2, false],
];

const COMPARED: Readonly<Record<string, Compared>> = {
  $greater: AFTER,
  $greater_or_equal: AFTER,
  $less: BEFORE,
  $less_or_equal: BEFORE,
  $between: BETWEEN,
};

/** Notes the times that the call compares an event's own with, where they are known before a run. */
export function noteTimeBounds(
  compilation: Compilation,
  call: CallExpr,
  args: readonly (Sql | undefined)[],
  scope: Scope,
): void {
  const { timeBounds } = compilation;
  const compared = COMPARED[call.function];
  if (compared === undefined || scope.kind !== "select" || timeBounds.length >= MAX_BOUNDS) return;
  for (const [position, other, isFrom] of compared) {
    const column = call.arguments[position];
    const time = timeOf(call.arguments[other], args[other]);
    if (column?.kind !== "Column" || time === undefined) continue;
    const stored = lookUp(compilation, column.column, scope).stored;
    if (stored?.isEventTime === true) timeBounds.push({ alias: stored.alias, isFrom, time });
  }
}

function timeOf(operand: Expr | undefined, printed: Sql | undefined): TimeBound["time"] | undefined {
  if (operand?.type.kind !== "TIMESTAMP") return undefined;
  if (operand.kind === "Literal") return operand.value === null ? undefined : BigInt(operand.value);
  const [value, type] = printed?.kind === "cast" ? printed.children : [];
  if (value?.kind !== "placeholder" || type !== TIMESTAMP) return undefined;
  return { placeholder: Number(value.value) };
}
