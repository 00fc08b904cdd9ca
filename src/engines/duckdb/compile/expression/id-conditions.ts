/**
 * Ids are random, so a condition on one reads the ids of all events. The engine host knows the hour of an id's event:
 * the condition gets bounds of the time, as parameters whose values the host looks up at each run. They hold for every
 * event that has the id, so the condition means the same wherever it stands.
 */

import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import { columnOf, placeholder } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { TIMESTAMP } from "../../sql/types.ts";
import type { Compilation, PrintedIdCondition } from "../compilation.ts";
import { FIRST_BOUND } from "../placeholders.ts";
import type { Scope } from "../scope.ts";
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
export function boundById(compilation: Compilation, call: CallExpr, printed: Sql, scope: Scope): Sql {
  // In a lambda the bounds would be computed for each element.
  if (call.function !== "$equal" || scope.kind !== "select") return printed;
  const [column, operand] = call.arguments;
  if (column?.kind !== "Column") return printed;
  const stored = lookUp(compilation, column.column, scope).stored;
  const id = stored?.isEventId === true ? idOf(compilation, operand) : undefined;
  if (stored === undefined || id === undefined) return printed;
  const { idConditions } = compilation;
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
