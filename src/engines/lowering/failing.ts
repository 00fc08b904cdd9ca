/** Which expressions may fail, so that an engine must not compute them for rows that a query leaves out. */

import { functionFacts } from "../../googlesql/catalogue/index.ts";
import type { Decisive } from "../../googlesql/catalogue/types.ts";
import { type AnySubquery, isSubquery, reaches, someExpression, someScanned } from "../../googlesql/resolved/walk.ts";
import type {
  AggregateCall,
  AnyExpr,
  CallExpr,
  CastExpr,
  Column,
  Expr,
  Scan,
  WindowCall,
} from "../../googlesql/resolved.ts";
import { call, truth } from "../../googlesql/resolver/expression/expr.ts";
import { BOOL } from "../../googlesql/types.ts";
import { numericRank } from "../../googlesql/typing/same-type.ts";
import type { Analysis } from "./analysis.ts";

/** Resolves the columns of a query to their expressions, so that a condition on a name is judged by its computation. */
export class Failing {
  readonly #analysis: Analysis;
  /** By the column's id. */
  readonly #known = new Map<number, boolean>();

  /** Knows all columns of the query. */
  constructor(analysis: Analysis) {
    this.#analysis = analysis;
  }

  /** Whether the condition may fail for a row, so that it must not be computed for rows that are left out. */
  mayFail(condition: Expr): boolean {
    return this.#fails(condition) && readsColumns(condition);
  }

  /** Whether something of the scan may fail, also for what it reads of the rows around it. */
  computesFailing(scan: Scan): boolean {
    return computesFailing(scan) || someScanned(scan, this.#isFailing);
  }

  #fails(expression: Expr): boolean {
    return someExpression(expression, this.#isFailing, true);
  }

  readonly #isFailing = (at: AnyExpr): boolean =>
    canFail(at) ||
    (at.kind === "Column" && this.#columnFails(at.column)) ||
    (isSubquery(at) && computesFailing(at.scan));

  #columnFails(column: Column): boolean {
    const known = this.#known.get(column.id);
    if (known !== undefined) return known;
    // What a recursion comes back to is decided elsewhere on its way.
    this.#known.set(column.id, false);
    const fails = this.#analysis.sources(column).some((source) => this.#fails(source));
    this.#known.set(column.id, fails);
    return fails;
  }
}

/** All of the conditions as one, each computed only where those before it hold; undefined for none. */
export function inOrder(conditions: readonly Expr[]): Expr | undefined {
  const last = conditions.at(-1);
  if (last === undefined || conditions.length === 1) return last;
  const { span } = last;
  const not = (each: Expr) => call("$not", [call("$is_true", [each], BOOL, span)], BOOL, span);
  // biome-ignore lint/suspicious/noThenProperty: a branch of CASE is never awaited
  const branches = conditions.slice(0, -1).map((each) => ({ when: not(each), then: truth(false, span) }));
  return { kind: "Case", branches, else: last, type: BOOL, span };
}

/** Whether something in the expression may fail for what it reads of a row. */
export function failsByRow(expression: Expr): boolean {
  return someExpression(expression, (at) => canFail(at) && readsColumns(at), true);
}

/** Whether a call, a cast or a scalar sub-query's number of rows may fail by itself, its operands aside. */
export function canFail(at: AnyExpr): boolean {
  switch (at.kind) {
    case "Cast":
      return !at.isSafe && !isWidening(at);
    case "Call":
    case "AggregateCall":
    case "WindowCall":
      return !isTotal(at);
    case "Subquery":
      return at.mode === "SCALAR" && !isOneRow(at.scan);
    default:
      return false;
  }
}

/** Whether a sub-query may fail for what it computes or for its number of rows. */
export const isFailingQuery = (query: AnySubquery): boolean => canFail(query) || someScanned(query.scan, canFail);

/** Whether something that may fail is computed for the scan, also in a WITH table that it reads. */
export const computesFailing = (scan: Scan): boolean =>
  someScanned(scan, canFail) || reaches(scan, (at) => at.kind === "Cte" && someScanned(at.cte.scan, canFail));

/** Whether the scan has one row at most, whatever it reads. */
function isOneRow(scan: Scan): boolean {
  let at = scan;
  while (at.kind === "Project" || at.kind === "Filter" || at.kind === "OrderBy") at = at.input;
  if (at.kind === "Aggregate") return at.groupBy.length === 0 && at.groupingSets === undefined;
  if (at.kind === "Limit") return at.count?.kind === "Literal" && Number(at.count.value) <= 1;
  return at.kind === "SingleRow";
}

/** Whether a cast has a value for every operand. A format may be wrong, and a time zone leave the calendar. */
function isWidening({ operand: { type: from }, type: to, format, timeZone }: CastExpr): boolean {
  if (format !== undefined || timeZone !== undefined) return false;
  if (to.kind === "STRING") return from.kind !== "BYTES";
  return WIDENING.has(`${from.kind} ${to.kind}`) || (numericRank(from) >= 0 && numericRank(from) <= numericRank(to));
}

const WIDENING = new Set([
  "BOOL INT64",
  "INT64 BOOL",
  "STRING BYTES",
  "DATE DATETIME",
  "DATETIME DATE",
  "DATETIME TIME",
]);

function isTotal({ function: name, arguments: operands }: CallExpr | AggregateCall | WindowCall): boolean {
  return functionFacts(name).fallibility?.every((each) => isFine(each, operands)) ?? false;
}

function isFine(decisive: Decisive, operands: CallExpr["arguments"]): boolean {
  const operand = operands[typeof decisive === "number" ? decisive : decisive.place];
  if (operand === undefined) return true;
  if (typeof decisive === "number") return operand.kind === "Literal" || operand.kind === "Parameter";
  return operand.kind === "Literal" && (operand.value === null || decisive.works(operand.value));
}

function readsColumns(expression: AnyExpr): boolean {
  return someExpression(expression, ({ kind }) => kind === "Column" || kind === "Variable", true);
}

/** Whether a function chooses among values: the arguments after its first are branches. */
export function hasBranches(name: string): boolean {
  const { laziness } = functionFacts(name);
  return laziness === "choice" || laziness === "fallback";
}

/** The operands of CASE and of such functions that are computed only where others say so. */
function branchesOf(at: AnyExpr): readonly (Expr | undefined)[] {
  if (at.kind === "Case") {
    const [first, ...others] = at.branches;
    return [first?.then, ...others.flatMap(({ when, then }) => [when, then]), at.else];
  }
  return at.kind === "Call" && hasBranches(at.function) ? at.arguments.slice(1) : [];
}

/** The scans of all sub-queries that stand in a branch and may fail. */
export function failingBranchQueries(root: Scan): ReadonlySet<Scan> {
  const found = new Set<Scan>();
  const note = (at: AnyExpr): boolean => {
    if (isSubquery(at) && (canFail(at) || computesFailing(at.scan))) found.add(at.scan);
    return false;
  };
  someScanned(root, (at) => {
    for (const branch of branchesOf(at)) if (branch !== undefined) someExpression(branch, note, false);
    return false;
  });
  return found;
}
