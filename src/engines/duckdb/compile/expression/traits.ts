/** Properties of expressions that are known without printing them, and the places of their columns. */

import type { Span } from "../../../../googlesql/diagnostic.ts";
import type { Column, Expr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import type { Sql } from "../../sql/sql.ts";
import { fail, type Scope } from "../compilation.ts";
import type { Binding, RecordSource } from "../scope.ts";
import { isRecordType } from "./json-place.ts";
import { arraySource, fieldSource } from "./records.ts";
import { detectorsOf, redactedSource } from "./redaction.ts";

const NOWHERE: Span = { start: 0, end: 0 };

/** The column or variable, noting which SELECT it is of. */
export function lookUp(column: Column, scope: Scope): Binding {
  let level = 0;
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const found = at.find(column.id);
    if (found !== undefined) {
      if (at.kind === "select") scope.compilation.levelsRead |= 1 << Math.min(level, 30);
      return found;
    }
    if (at.kind === "select") level++;
  }
  return fail("invalid_query", `Column ${column.name} cannot be read here`, NOWHERE);
}

/** True when printing the expression twice costs nothing. */
export function isCheap(expression: Expr, scope: Scope): boolean {
  switch (expression.kind) {
    case "Literal":
    case "Parameter":
    case "DatePart":
      return true;
    case "Column":
    case "Variable":
      return lookUp(expression.column, scope).isCheap;
    case "Field":
      return isCheap(expression.base, scope);
    case "RecordField":
      return (
        !isRecordType(expression.type) &&
        expression.type.kind !== "MIXED" &&
        sourceOf(expression.base, scope)?.leaf(expression.path) !== undefined
      );
    default:
      return false;
  }
}

/** Where the fields of the expression's value come from, when it can be traced to a table's record. */
export function sourceOf(expression: Expr, scope: Scope): RecordSource | undefined {
  if (expression.kind === "Column" || expression.kind === "Variable") {
    return lookUp(expression.column, scope).record;
  }
  if (!isRecordType(expression.type) && expression.type.kind !== "MIXED") return undefined;
  if (expression.kind === "MakeArray") {
    // A record taken for an array of itself.
    const [element, ...others] = expression.elements;
    const source = element === undefined || others.length > 0 ? undefined : sourceOf(element, scope);
    return source === undefined ? undefined : arraySource(source);
  }
  if (expression.kind === "Call" && expression.function === "$redact") {
    const [value] = expression.arguments;
    const source = value === undefined ? undefined : sourceOf(value, scope);
    return source === undefined ? undefined : redactedSource(source, expression.type, detectorsOf(expression));
  }
  if (expression.kind !== "RecordField") return undefined;
  const base = sourceOf(expression.base, scope);
  return base === undefined ? undefined : fieldSource(base, expression.base.type, expression.path);
}

/**
 * A value of several shapes as one of the type (MIXED: what it sorts by), read without the whole of it; undefined
 * where that cannot be.
 */
export function readAs(expression: Expr, as: SqlType, scope: Scope): Sql | undefined {
  if (expression.type.kind !== "MIXED") return undefined;
  if (expression.kind === "Column" || expression.kind === "Variable") return lookUp(expression.column, scope).as?.(as);
  if (expression.kind !== "RecordField") return undefined;
  return sourceOf(expression.base, scope)?.leaf(expression.path, as);
}

/** True when the value can be no NaN. */
export function isNeverNaN(expression: Expr, scope: Scope): boolean {
  if (expression.type.kind !== "FLOAT64") return true;
  switch (expression.kind) {
    case "Literal":
      return expression.value !== "NaN";
    case "Column":
    case "Variable":
      return lookUp(expression.column, scope).isNeverNaN ?? false;
    case "RecordField":
      return true;
    case "Cast":
      if (expression.operand.type.kind === "MIXED") return false;
      return expression.operand.type.kind !== "STRING" && isNeverNaN(expression.operand, scope);
    default:
      return false;
  }
}
