/** The outcome for a sub-tree of a query that is divided between the server and the embedded engine. */
import type { Span } from "../../../googlesql/diagnostic.ts";
import type { Mapping } from "../../../googlesql/resolved/map.ts";
import { readsTable, scanExpressions, someExpression } from "../../../googlesql/resolved/walk.ts";
import type { AnyExpr, Column, ComputedColumn, Expr, OrderKey, Scan, UnnestScan } from "../../../googlesql/resolved.ts";
import { canFail } from "../../lowering/failing.ts";
import type { SelectBuilder } from "../compile/render.ts";

/** Why something runs in the embedded engine. */
export interface Reason {
  /** In words for the author of the query. */
  readonly reason: string;
  readonly span: Span | undefined;
}

/** A step over the rows that come back, which the server could not take. */
export type LateStep =
  | { readonly kind: "Filter"; readonly predicates: readonly Expr[] }
  | { readonly kind: "Project"; readonly computed: readonly ComputedColumn[] }
  | { readonly kind: "Unnest"; readonly scan: UnnestScan };

/** A sub-tree that the server runs, but for the steps after it. */
export interface PushedPart {
  readonly kind: "pushed";
  /** The sub-tree as the query has it. */
  readonly scan: Scan;
  readonly builder: SelectBuilder;
  readonly late: readonly LateStep[];
  /** The order that the rows have, once the late steps are through. */
  readonly order: readonly OrderKey[];
  readonly readsTables: boolean;
}

/** A sub-tree whose top the embedded engine runs. */
export interface ResidualPart {
  readonly kind: "residual";
  readonly scan: Scan;
}

export type Part = PushedPart | ResidualPart;

function madeBy(step: LateStep): readonly number[] {
  switch (step.kind) {
    case "Filter":
      return [];
    case "Project":
      return step.computed.map(({ column }) => column.id);
    case "Unnest": {
      const { arrays, offset } = step.scan;
      return [...arrays.map(({ element }) => element.id), ...(offset === undefined ? [] : [offset.id])];
    }
  }
}

/** Columns that late steps make. */
export function lateColumns(part: PushedPart): ReadonlySet<number> {
  return new Set(part.late.flatMap(madeBy));
}

/** The step over its input, as the embedded engine runs it. */
export function lateScan(step: LateStep, input: Scan, mapping: Mapping): Scan {
  if (step.kind === "Unnest") return { ...mapping.own(step.scan), input } as Scan;
  if (step.kind === "Project") return mapping.own({ kind: "Project", input, computed: step.computed });
  return step.predicates.reduce<Scan>((from, predicate) => {
    return mapping.own({ kind: "Filter", input: from, predicate });
  }, input);
}

/** Do late steps take rows away, or add some? */
export function hasLateRows(part: PushedPart): boolean {
  return part.late.some((step) => step.kind !== "Project");
}

/** A column that is a record. */
export interface RecordAlias {
  readonly column: Column;
  /** The record, or the array that it is the one element of. */
  readonly definition: Expr;
  readonly isElement: boolean;
}

/** Does the expression read one of the columns? */
export function reads(expression: AnyExpr, columns: ReadonlySet<number>): boolean {
  if (columns.size === 0) return false;
  return someExpression(expression, (at) => at.kind === "Column" && columns.has(at.column.id), true);
}

/** Does the step keep or multiply rows one by one, and fail for none, so that a filter may also follow it? */
export function passesFilters(scan: Scan): boolean {
  if (scan.kind !== "Unnest") return scan.kind === "OrderBy";
  return !scanExpressions(scan).some((each) => someExpression(each, canFail, true));
}

/** Does the step read columns that wait? */
export function readsLate(scan: Scan, late: ReadonlySet<number>): boolean {
  if (late.size === 0) return false;
  switch (scan.kind) {
    case "OrderBy":
      return scan.keys.some((key) => late.has(key.column.id));
    case "Distinct":
      return scan.columns.some((column) => late.has(column.input.id));
    case "Aggregate":
      return (
        scan.groupBy.some((item) => reads(item.expression, late)) ||
        scan.aggregates.some((item) => reads(item.call, late))
      );
    case "Window":
      return scan.functions.some((item) => reads(item.call, late));
    case "Unnest":
      return scan.arrays.some((item) => reads(item.array, late)) || (scan.on !== undefined && reads(scan.on, late));
    default:
      return false;
  }
}

/** Does the part read a table, directly or in a sub-query of an expression? */
export function readsTables(part: PushedPart): boolean {
  return part.readsTables || readsTable(part.scan);
}
