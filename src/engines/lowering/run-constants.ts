/**
 * Expressions that are the same for every row of a run, because they are made of parameters, literals and the clock
 * alone, and the query that asks an engine for their values: see docs/decisions/computed-bounds.md.
 */

import { functionFacts } from "../../googlesql/catalogue/index.ts";
import { createMapping } from "../../googlesql/resolved/map.ts";
import { expressionChildren, someExpression } from "../../googlesql/resolved/walk.ts";
import type { AnyExpr, CallExpr, Column, Expr, ResolvedQuery } from "../../googlesql/resolved.ts";
import { type SqlType, TIMESTAMP } from "../../googlesql/types.ts";

/** The parameter that holds the time at which a run began: those of a query have names, or positions from 1 on. */
export const NOW_PARAMETER = 0;

const KINDS: ReadonlySet<SqlType["kind"]> = new Set([
  ..."INT64 FLOAT64 BOOL STRING DATE TIME DATETIME TIMESTAMP".split(" "),
] as SqlType["kind"][]);

/** Whether values of the type are bound. */
function isBoundType(type: SqlType): boolean {
  return KINDS.has(type.kind) && !(type.kind === "STRING" && type.collation !== undefined);
}

const isClock = (at: AnyExpr): at is CallExpr => at.kind === "Call" && functionFacts(at.function).volatility === "run";

/** Kinds that compute a value from those of their parts. */
const COMPUTING: ReadonlySet<AnyExpr["kind"]> = new Set([
  ..."DatePart Call Case Cast MakeArray MakeStruct Field".split(" "),
] as AnyExpr["kind"][]);

const NONE: ReadonlySet<number> = new Set();

/** Recognises the constants of a run. Remembers what it has looked at. */
export class RunConstantFinder {
  /** The variables that an expression reads and does not bind; undefined if it reads more than these. */
  readonly #free = new WeakMap<AnyExpr, ReadonlySet<number> | undefined>();

  /** Is the expression the same for every row, and of a type that can be bound? */
  has(expression: Expr): boolean {
    return isBoundType(expression.type) && this.#freeOf(expression)?.size === 0;
  }

  #freeOf(expression: AnyExpr): ReadonlySet<number> | undefined {
    const { kind } = expression;
    if (kind === "Literal") return NONE;
    if (kind === "Parameter") return isBoundType(expression.type) ? NONE : undefined;
    if (kind === "Variable") return new Set([expression.column.id]);
    if (kind !== "Let" && !COMPUTING.has(kind)) return undefined;
    if (this.#free.has(expression)) return this.#free.get(expression);
    const free = this.#look(expression);
    this.#free.set(expression, free);
    return free;
  }

  #look(expression: AnyExpr): ReadonlySet<number> | undefined {
    if (expression.kind === "Call" && functionFacts(expression.function).volatility === "row") return undefined;
    let free = NONE;
    for (const child of expressionChildren(expression)) {
      const below = this.#freeOf(child);
      if (below === undefined) return undefined;
      if (below.size > 0) free = free.size === 0 ? below : new Set([...free, ...below]);
    }
    if (expression.kind !== "Let" || free.size === 0) return free;
    const bound = new Set(expression.variables.map(({ column }) => column.id));
    return new Set([...free].filter((id) => !bound.has(id)));
  }
}

/** Does the value depend on the run, by a parameter or the clock? */
export function readsRun(expression: Expr): boolean {
  return someExpression(expression, (at) => at.kind === "Parameter" || isClock(at), false);
}

/** Does the value depend on the clock? */
export function readsClock(expression: Expr): boolean {
  return someExpression(expression, isClock, false);
}

/** Keys of the parameters that the values depend on. */
export function parametersOf(expressions: readonly Expr[]): ReadonlySet<string | number> {
  const keys = new Set<string | number>();
  const note = (at: AnyExpr) => at.kind === "Parameter" && keys.add(at.key).size === 0;
  for (const expression of expressions) someExpression(expression, note, false);
  return keys;
}

/** The time of a run as a function of the clock shows it, in its time zone; undefined for another expression. */
export function readClock(expression: Expr): Expr | undefined {
  if (!isClock(expression)) return undefined;
  const {
    type,
    arguments: [timeZone],
    span,
  } = expression;
  const now: Expr = { kind: "Parameter", key: NOW_PARAMETER, type: TIMESTAMP, span };
  if (type.kind === "TIMESTAMP") return now;
  return { kind: "Cast", operand: now, isSafe: false, isImplicit: false, timeZone, type, span };
}

/** The query for the values of constants: one row, of a column for each. */
export function queryConstants(
  constants: readonly Expr[],
  parameters: ResolvedQuery["parameters"],
  newColumn: (name: string, type: SqlType) => Column,
): ResolvedQuery {
  const { expression } = createMapping({ expression: readClock });
  const computed = constants.map((constant, index) => {
    return { column: newColumn(`k${index + 1}`, constant.type), expression: expression(constant) };
  });
  return {
    scan: { kind: "Project", input: { kind: "SingleRow" }, computed },
    columns: computed.map(({ column }) => ({ name: column.name, column })),
    parameters: [...parameters, { key: NOW_PARAMETER, type: TIMESTAMP }],
  };
}

/** The constants as a text that distinguishes them, wherever in a query they stand. */
export function describeConstants(constants: readonly Expr[]): string {
  return JSON.stringify(constants, (key, value: unknown) => (key === "span" ? undefined : value));
}
