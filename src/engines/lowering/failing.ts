/**
 * Which expressions may fail, and where that must not be seen. DuckDB moves a condition on one column into the scan
 * of a table, and there may compute it before the table's other conditions, on rows that these take away. So what may
 * fail is put where only the conditions before it let rows through: the optimizer leaves what it takes for volatile
 * in its place.
 */

import { functionFacts } from "../../googlesql/catalogue/index.ts";
import { type AnySubquery, isSubquery, reaches, someExpression, someScanned } from "../../googlesql/resolved/walk.ts";
import type { AggregateCall, AnyExpr, CallExpr, Column, Expr, Scan, WindowCall } from "../../googlesql/resolved.ts";
import type { Analysis } from "./analysis.ts";

const COMPARISONS = new Set(["$equal", "$not_equal", "$less", "$less_or_equal", "$greater", "$greater_or_equal"]);

/** Resolves the columns of a query to their expressions, so that a condition on a name is judged by its computation. */
export class Failing {
  readonly #analysis: Analysis;
  /** By the column's id. */
  readonly #known = new Map<number, boolean>();

  /** Knows all columns of the query. */
  constructor(analysis: Analysis) {
    this.#analysis = analysis;
  }

  /** The condition as it may be printed: unchanged where nothing of it can fail. */
  settle(condition: Expr): Expr {
    if (!this.#mayFail(condition) || !readsColumns(condition)) return condition;
    // A sub-query is a join, and what is compared may be one's key.
    if (condition.kind === "Subquery" || condition.kind === "InSubquery") return condition;
    if (condition.kind !== "Call" || condition.isSafe) return opaque(condition);
    if (condition.function === "$and" || (condition.function === "$not" && holdsQuery(condition))) {
      return { ...condition, arguments: condition.arguments.map((each) => each && this.settle(each)) };
    }
    if (!COMPARISONS.has(condition.function)) return opaque(condition);
    // What reads no row is computed once, and fails for every caller or none.
    const settled = condition.arguments.map((each) =>
      each !== undefined && this.#mayFail(each) && readsColumns(each) ? opaque(each) : each,
    );
    return { ...condition, arguments: settled };
  }

  #mayFail(expression: Expr): boolean {
    switch (expression.kind) {
      case "Literal":
      case "Parameter":
      case "Variable":
      case "DatePart":
        return false;
      case "Column":
        return this.#columnFails(expression.column);
      case "Field":
      case "RecordField":
        return this.#mayFail(expression.base);
      case "Call":
        if (canFail(expression)) return true;
        return expression.arguments.some((operand) => operand !== undefined && this.#mayFail(operand));
      case "Cast":
        return canFail(expression) || this.#mayFail(expression.operand);
      default:
        return true;
    }
  }

  #columnFails(column: Column): boolean {
    const known = this.#known.get(column.id);
    if (known !== undefined) return known;
    // What a recursion comes back to is decided elsewhere on its way.
    this.#known.set(column.id, false);
    const fails = this.#analysis.sources(column).some((source) => this.#mayFail(source));
    this.#known.set(column.id, fails);
    return fails;
  }
}

function opaque(expression: Expr): Expr {
  const { type, span } = expression;
  return { kind: "Call", function: "$opaque", arguments: [expression], isSafe: false, type, span };
}

/** Whether a call, a cast or a scalar sub-query's number of rows may fail by itself, its operands aside. */
export function canFail(at: AnyExpr): boolean {
  switch (at.kind) {
    case "Cast":
      return !at.isSafe && at.type.kind !== "STRING";
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

/** Constants that decide whether the call fails were looked at before the query runs. */
function isTotal({ function: name, arguments: operands }: CallExpr | AggregateCall | WindowCall): boolean {
  const { fallibility } = functionFacts(name);
  if (fallibility === undefined) return false;
  return fallibility.every((place) => {
    const kind = operands[place]?.kind;
    return kind === "Literal" || kind === "Parameter";
  });
}

function readsColumns(expression: Expr): boolean {
  return someExpression(expression, ({ kind }) => kind === "Column" || kind === "Variable", true);
}

function holdsQuery(expression: Expr): boolean {
  if (isSubquery(expression)) return true;
  return expression.kind === "Call" && expression.arguments.some((each) => each !== undefined && holdsQuery(each));
}
