/** Building SELECTs for window functions. */
import type { Scan, WindowCall } from "../../../../googlesql/resolved.ts";
import { sortItem } from "../../../sql/select.ts";
import { hasOffset, type OffsetBound, printFrame, printOver } from "../../../sql/window.ts";
import { aggregateFunctions } from "../../functions/aggregates.ts";
import { isComparable } from "../../functions/comparisons.ts";
import { missingForm } from "../../functions/reasons.ts";
import type { AggregateContext } from "../../functions/types.ts";
import { windowFunctions } from "../../functions/windows.ts";
import { numberSql } from "../../sql/atoms.ts";
import { Refusal, refusalIn } from "../../sql/refusal.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { type Compilation, unguarded } from "../compilation.ts";
import { printAll, printExpression } from "../expression/expressions.ts";
import type { SelectBuilder } from "../render.ts";
import { cheapBinding, type Scope } from "../scope.ts";
import { openSelect, refusedSelect, scopeOf, withColumns, wrapSelect } from "../select-builder.ts";
import { printAggregate } from "./aggregate-scans.ts";

export function buildWindow(
  compilation: Compilation,
  scan: Scan & { kind: "Window" },
  input: SelectBuilder,
): SelectBuilder {
  const open = openSelect(compilation, input);
  const rows = open.hasWindows || open.order.length > 0 ? wrapSelect(compilation, { ...open, order: [] }) : open;
  const scope = scopeOf(rows);
  const printed = printAll(scan.functions, ({ call }) => {
    return unguarded(compilation, () => printWindowCall(compilation, call, scope));
  });
  if (printed instanceof Refusal) return refusedSelect(printed);
  const made = scan.functions.map(({ column }, index) => [column.id, cheapBinding(printed[index] ?? EMPTY)] as const);
  // Expressions over them are in another SELECT, so they are not names of columns here.
  return wrapSelect(compilation, { ...withColumns(rows, made), hasWindows: true });
}

function printWindowCall(compilation: Compilation, call: WindowCall, scope: Scope): Sql {
  const row = windowFunctions[call.function] ?? aggregateFunctions[call.function];
  if (row === undefined)
    return new Refusal(missingForm(call.function, `Function ${call.function} with OVER`), call.span);
  if (call.having !== undefined || call.isSafe) return new Refusal("HAVING or SAFE in a window function", call.span);
  const args = printAll(call.arguments, (argument) => printExpression(compilation, argument, scope));
  if (args instanceof Refusal) return args;
  const over = printOverOf(compilation, call, scope);
  if (over instanceof Refusal) return over;
  return printAggregate(compilation, call, args, (context) => {
    return row({ ...context, filter: undefined, order: [], limit: undefined, ...over });
  });
}

/** How far away a bound is, which the server reads as a number. */
function printOffset({ offset }: OffsetBound): Sql {
  const { span } = offset;
  const text = offset.kind === "Literal" ? offset.value : null;
  if (text === null || !/^\d{1,9}$/.test(text)) return new Refusal("a frame whose bound is no small number", span);
  return numberSql(BigInt(text));
}

/** Does the frame hold no row, whichever the current one is? The server refuses such a frame. */
function isReversed({ start, end }: NonNullable<WindowCall["frame"]>): boolean {
  const [from, to] = [start, end].map((bound) => {
    if (!hasOffset(bound) || bound.offset.kind !== "Literal") return bound.kind === "CurrentRow" ? 0 : undefined;
    return Number(bound.offset.value) * (bound.kind === "Preceding" ? -1 : 1);
  });
  return from !== undefined && to !== undefined && from > to;
}

/** `OVER (...)`, as the call has it and over the whole partition. */
function printOverOf(
  compilation: Compilation,
  call: WindowCall,
  scope: Scope,
): Pick<AggregateContext, "over" | "overPartition"> | Refusal {
  const keys = [...call.partitionBy, ...call.orderBy.map((key) => key.expression)];
  const wrong = keys.find(({ type }) => !isComparable(type) || type.kind === "FLOAT64");
  if (wrong !== undefined) return new Refusal(`a window over a ${wrong.type.kind}`, wrong.span);
  const printed = printAll(keys, (key) => printExpression(compilation, key, scope));
  if (printed instanceof Refusal) return printed;
  const partition = printed.slice(0, call.partitionBy.length);
  const order = call.orderBy.map(({ isDescending, nullsFirst }, index) => {
    return sortItem(printed[partition.length + index] ?? EMPTY, isDescending, nullsFirst);
  });
  const [by, sorted] = [joinSql(partition, ", "), joinSql(order, ", ")];
  const overPartition = printOver(by, sorted, sql`ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING`);
  const { frame } = call;
  if (frame?.unit === "RANGE" && [frame.start, frame.end].some(hasOffset)) {
    return new Refusal("a RANGE frame with an offset", call.span);
  }
  if (frame !== undefined && isReversed(frame)) return new Refusal("a frame that ends before it begins", call.span);
  const over = printOver(by, sorted, frame && printFrame(frame, printOffset));
  return refusalIn(over) ?? { over: sql` ${over}`, overPartition: sql` ${overPartition}` };
}
