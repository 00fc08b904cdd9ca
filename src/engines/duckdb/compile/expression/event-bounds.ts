/** Bounds of the times of events that conditions on their ids and times give. */

import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import { columnOf, placeholder } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { TIMESTAMP } from "../../sql/types.ts";
import type { Compilation, PrintedIdCondition, Scope, TimeBound } from "../compilation.ts";
import { FIRST_BOUND } from "../limits.ts";
import { lookUp } from "./traits.ts";

/** Conditions of one statement that get bounds: a long list of ids is read faster without. */
const MAX_CONDITIONS = 4;

function idOf(compilation: Compilation, operand: Expr | undefined): PrintedIdCondition["id"] | undefined {
  if (operand?.type.kind !== "STRING") return undefined;
  if (operand.kind === "Literal") return typeof operand.value === "string" ? { text: operand.value } : undefined;
  const parameter = operand.kind === "Parameter" ? compilation.parameters.get(operand.key) : undefined;
  return parameter === undefined ? undefined : { parameter: parameter.index };
}

/** The printed call, with bounds where it compares an event's id. */
export function boundById(call: CallExpr, printed: Sql, scope: Scope): Sql {
  // In a lambda the bounds would be computed for each element.
  if (call.function !== "$equal" || scope.kind !== "select") return printed;
  const [column, operand] = call.arguments;
  if (column?.kind !== "Column") return printed;
  const stored = lookUp(column.column, scope).stored;
  const id = stored?.isEventId === true ? idOf(scope.compilation, operand) : undefined;
  if (stored === undefined || id === undefined) return printed;
  const { idConditions } = scope.compilation;
  const key = `${stored.alias} ${JSON.stringify(id)}`;
  let place = [...idConditions.keys()].indexOf(key);
  if (place === -1) {
    place = idConditions.size;
    if (place === MAX_CONDITIONS) return printed;
    idConditions.set(key, { table: stored.table, id });
  }
  const time = sql`${columnOf(stored.alias, "")}"timestamp"`;
  const bound = (at: number) => castTo(placeholder(FIRST_BOUND + 2 * place + at), TIMESTAMP);
  return sql`(${printed} AND ${time} >= ${bound(0)} AND ${time} < ${bound(1)})`;
}

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
export function noteTimeBounds(call: CallExpr, args: readonly (Sql | undefined)[], scope: Scope): void {
  const { timeBounds } = scope.compilation;
  const compared = COMPARED[call.function];
  if (compared === undefined || scope.kind !== "select" || timeBounds.length >= MAX_BOUNDS) return;
  for (const [position, other, isFrom] of compared) {
    const column = call.arguments[position];
    const time = timeOf(call.arguments[other], args[other]);
    if (column?.kind !== "Column" || time === undefined) continue;
    const stored = lookUp(column.column, scope).stored;
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
