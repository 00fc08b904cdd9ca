/** What stands directly below a node of the resolved query. */
import type { AggregateCall, Expr, ResolvedFrameBound, Scan, WindowCall } from "../../googlesql/resolved.ts";

/** The scans that a scan reads; for a scan of a CTE they do not include its body. */
function scanInputs(scan: Scan): readonly Scan[] {
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
      return [];
    case "Cte":
      return [];
    case "Unnest":
      return scan.input === undefined ? [] : [scan.input];
    case "Join":
      return [scan.left, scan.right];
    case "SetOperation":
      return scan.inputs.map((input) => input.scan);
    case "Recursive":
      return [scan.anchor.scan, scan.step.scan];
    case "With":
      return [scan.input, ...scan.ctes.map((cte) => cte.scan)];
    default:
      return [scan.input];
  }
}

type AnyExpr = Expr | AggregateCall | WindowCall;

/** A sub-query in an expression. */
export type AnySubquery = Expr & { readonly kind: "Subquery" | "InSubquery" };

export const isSubquery = (at: { readonly kind: string }): at is AnySubquery =>
  at.kind === "Subquery" || at.kind === "InSubquery";

/** Is the expression, or one below it, such? Looks into sub-queries too when asked to. */
export function someExpression(
  root: AnyExpr,
  isSuch: (expression: AnyExpr) => boolean,
  inSubqueries: boolean,
): boolean {
  const pending: AnyExpr[] = [root];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (isSuch(at)) return true;
    for (const child of expressionChildren(at)) pending.push(child);
    if (!inSubqueries || (at.kind !== "Subquery" && at.kind !== "InSubquery")) continue;
    const scans: Scan[] = [at.scan];
    for (let scan = scans.pop(); scan !== undefined; scan = scans.pop()) {
      pending.push(...scanExpressions(scan));
      scans.push(...scanInputs(scan));
    }
  }
  return false;
}

/** Is an expression of the scan, or of a scan below it, such? Looks into sub-queries. */
export function someScanned(root: Scan, isSuch: (expression: AnyExpr) => boolean): boolean {
  const pending: Scan[] = [root];
  for (let scan = pending.pop(); scan !== undefined; scan = pending.pop()) {
    if (scanExpressions(scan).some((expression) => someExpression(expression, isSuch, true))) return true;
    pending.push(...scanInputs(scan));
  }
  return false;
}

/** Does the scan read a stored table, directly, through a CTE or in a sub-query? */
export function readsTable(root: Scan): boolean {
  return reaches(root, ({ kind }) => kind === "Table");
}

/** Does `isSuch` hold for the scan or any that it reads, also through a CTE or in a sub-query? */
export function reaches(root: Scan, isSuch: (scan: Scan) => boolean): boolean {
  const pending: Scan[] = [root];
  const seen = new Set<Scan>();
  for (let scan = pending.pop(); scan !== undefined; scan = pending.pop()) {
    if (seen.has(scan)) continue;
    seen.add(scan);
    if (isSuch(scan)) return true;
    if (scan.kind === "Cte") pending.push(scan.cte.scan);
    pending.push(...scanInputs(scan));
    for (const expression of scanExpressions(scan)) {
      someExpression(
        expression,
        (at) => {
          if (at.kind === "Subquery" || at.kind === "InSubquery") pending.push(at.scan);
          return false;
        },
        false,
      );
    }
  }
  return false;
}

function present<T>(values: readonly (T | undefined)[]): readonly T[] {
  const found: T[] = [];
  for (const value of values) if (value !== undefined) found.push(value);
  return found;
}

/** The expressions that a scan itself holds. */
export function scanExpressions(scan: Scan): readonly (Expr | AggregateCall | WindowCall)[] {
  switch (scan.kind) {
    case "Unnest": {
      const arrays = scan.arrays.map((item) => item.array);
      return scan.on === undefined ? arrays : [...arrays, scan.on];
    }
    case "Join":
      return scan.on === undefined ? [] : [scan.on];
    case "Filter":
      return [scan.predicate];
    case "Project":
      return scan.computed.map((item) => item.expression);
    case "Aggregate":
      return [...scan.groupBy.map((item) => item.expression), ...scan.aggregates.map((item) => item.call)];
    case "Window":
      return scan.functions.map((item) => item.call);
    case "Limit":
      return present([scan.count, scan.offset]);
    case "Sample":
      return [scan.size];
    default:
      return [];
  }
}

function boundOffsets(frame: WindowCall["frame"]): readonly Expr[] {
  if (frame === undefined) return [];
  return present([offsetOf(frame.start), offsetOf(frame.end)]);
}

function offsetOf(bound: ResolvedFrameBound): Expr | undefined {
  return bound.kind === "Preceding" || bound.kind === "Following" ? bound.offset : undefined;
}

function keyExpressions(keys: AggregateCall["orderBy"]): readonly Expr[] {
  return keys.length === 0 ? [] : keys.map((key) => key.expression);
}

/** The expressions directly below an expression; those inside a sub-query's scan are not among them. */
export function expressionChildren(expression: Expr | AggregateCall | WindowCall): readonly Expr[] {
  switch (expression.kind) {
    case "Literal":
    case "Parameter":
    case "Column":
    case "Variable":
    case "DatePart":
    case "Subquery":
      return [];
    case "Field":
    case "RecordField":
      return [expression.base];
    case "Call":
      return present(expression.arguments);
    case "Case": {
      const children: Expr[] = [];
      for (const branch of expression.branches) children.push(branch.when, branch.then);
      if (expression.else !== undefined) children.push(expression.else);
      return children;
    }
    case "Cast":
      return present([expression.operand, expression.format, expression.timeZone]);
    case "MakeArray":
      return expression.elements;
    case "MakeStruct":
      return expression.fields;
    case "InSubquery":
      return [expression.operand];
    case "Lambda":
      return [expression.body];
    case "Let":
      return [...expression.variables.map((variable) => variable.expression), expression.body];
    case "AggregateCall":
      return [
        ...expression.arguments,
        ...present([expression.having?.expression, expression.limit, expression.filter]),
        ...keyExpressions(expression.orderBy),
      ];
    case "WindowCall":
      return [
        ...expression.arguments,
        ...present([expression.having?.expression]),
        ...expression.partitionBy,
        ...keyExpressions(expression.orderBy),
        ...boundOffsets(expression.frame),
      ];
  }
}
