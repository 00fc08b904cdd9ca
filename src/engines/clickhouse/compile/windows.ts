/** Building blocks for window functions. */
import type { ResolvedFrameBound, Scan, WindowCall } from "../../../googlesql/resolved.ts";
import { aggregateFunctions } from "../functions/aggregates.ts";
import { isComparable } from "../functions/compare.ts";
import { missingForm } from "../functions/reasons.ts";
import { windowFunctions } from "../functions/windows.ts";
import { contextOf } from "./aggregate-scans.ts";
import { openBlock, scopeOf, wrapBlock } from "./block.ts";
import { type Compilation, unguarded } from "./compilation.ts";
import { printExpression } from "./expressions.ts";
import { NotPushed } from "./not-pushed.ts";
import type { Block } from "./render.ts";
import { cheapBinding, type Scope } from "./scope.ts";

export function buildWindow(compilation: Compilation, scan: Scan & { kind: "Window" }, input: Block): Block {
  const open = openBlock(compilation, input);
  const rows = open.hasWindows || open.order.length > 0 ? wrapBlock(compilation, { ...open, order: [] }) : open;
  const scope = scopeOf(rows);
  const printed = scan.functions.map(({ column, call }) => ({
    id: column.id,
    sql: unguarded(compilation, () => printWindowCall(compilation, call, scope)),
  }));
  rows.hasWindows = true;
  for (const { id, sql } of printed) rows.bindings.set(id, cheapBinding(sql));
  // Expressions over them are in another SELECT, so they are not names of columns here.
  return wrapBlock(compilation, rows);
}

function printWindowCall(compilation: Compilation, call: WindowCall, scope: Scope): string {
  const row = windowFunctions[call.function] ?? aggregateFunctions[call.function];
  if (row === undefined)
    throw new NotPushed(missingForm(call.function, `Function ${call.function} with OVER`), call.span);
  if (call.having !== undefined || call.isSafe) throw new NotPushed("HAVING or SAFE in a window function", call.span);
  const args = call.arguments.map((argument) => printExpression(compilation, argument, scope));
  return row({
    ...contextOf(compilation, call, args),
    filter: undefined,
    order: [],
    limit: undefined,
    over: ` OVER (${printOver(compilation, call, scope)})`,
  });
}

function printBound(bound: ResolvedFrameBound): string {
  switch (bound.kind) {
    case "UnboundedPreceding":
      return "UNBOUNDED PRECEDING";
    case "UnboundedFollowing":
      return "UNBOUNDED FOLLOWING";
    case "CurrentRow":
      return "CURRENT ROW";
    default:
      if (bound.offset.kind !== "Literal" || bound.offset.value === null || !/^\d{1,9}$/.test(bound.offset.value)) {
        throw new NotPushed("a frame whose bound is no small number", bound.offset.span);
      }
      return `${bound.offset.value} ${bound.kind.toUpperCase()}`;
  }
}

/** Does the frame hold no row, whichever the current one is? The server refuses such a frame. */
function isReversed({ start, end }: NonNullable<WindowCall["frame"]>): boolean {
  const [from, to] = [start, end].map((bound) => {
    if (!("offset" in bound) || bound.offset.kind !== "Literal") return bound.kind === "CurrentRow" ? 0 : undefined;
    return Number(bound.offset.value) * (bound.kind === "Preceding" ? -1 : 1);
  });
  return from !== undefined && to !== undefined && from > to;
}

function printOver(compilation: Compilation, call: WindowCall, scope: Scope): string {
  const keys = [...call.partitionBy, ...call.orderBy.map((key) => key.expression)];
  const wrong = keys.find(({ type }) => !isComparable(type) || type.kind === "FLOAT64");
  if (wrong !== undefined) throw new NotPushed(`a window over a ${wrong.type.kind}`, wrong.span);
  const partition = call.partitionBy.map((key) => printExpression(compilation, key, scope));
  const order = call.orderBy.map(({ expression, isDescending, nullsFirst }) => {
    const sql = printExpression(compilation, expression, scope);
    return `${sql} ${isDescending ? "DESC" : "ASC"} NULLS ${nullsFirst ? "FIRST" : "LAST"}`;
  });
  const parts: string[] = [];
  if (partition.length > 0) parts.push(`PARTITION BY ${partition.join(", ")}`);
  if (order.length > 0) parts.push(`ORDER BY ${order.join(", ")}`);
  const { frame } = call;
  if (frame !== undefined) {
    if (frame.unit === "RANGE" && ("offset" in frame.start || "offset" in frame.end)) {
      throw new NotPushed("a RANGE frame with an offset", call.span);
    }
    if (isReversed(frame)) throw new NotPushed("a frame that ends before it begins", call.span);
    parts.push(`${frame.unit} BETWEEN ${printBound(frame.start)} AND ${printBound(frame.end)}`);
  }
  return parts.join(" ");
}
