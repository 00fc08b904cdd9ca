/** Building SELECTs for window functions. */
import type { ResolvedFrameBound, Scan, WindowCall } from "../../../googlesql/resolved.ts";
import { aggregateFunctions } from "../functions/aggregates.ts";
import { isComparable } from "../functions/compare.ts";
import { missingForm } from "../functions/reasons.ts";
import type { AggregateContext } from "../functions/types.ts";
import { windowFunctions } from "../functions/windows.ts";
import { nameSql, numberSql } from "../sql/atoms.ts";
import { joinSql, type Sql, sql } from "../sql/sql.ts";
import { contextOf } from "./aggregate-scans.ts";
import { type Compilation, unguarded } from "./compilation.ts";
import { printExpression } from "./expressions.ts";
import { NotPushed } from "./not-pushed.ts";
import { type SelectBuilder, sortItem } from "./render.ts";
import { cheapBinding, type Scope } from "./scope.ts";
import { openSelect, scopeOf, wrapSelect } from "./select-builder.ts";

export function buildWindow(
  compilation: Compilation,
  scan: Scan & { kind: "Window" },
  input: SelectBuilder,
): SelectBuilder {
  const open = openSelect(compilation, input);
  const rows = open.hasWindows || open.order.length > 0 ? wrapSelect(compilation, { ...open, order: [] }) : open;
  const scope = scopeOf(rows);
  const printed = scan.functions.map(({ column, call }) => ({
    id: column.id,
    sql: unguarded(compilation, () => printWindowCall(compilation, call, scope)),
  }));
  rows.hasWindows = true;
  for (const { id, sql } of printed) rows.bindings.set(id, cheapBinding(sql));
  // Expressions over them are in another SELECT, so they are not names of columns here.
  return wrapSelect(compilation, rows);
}

function printWindowCall(compilation: Compilation, call: WindowCall, scope: Scope): Sql {
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
    ...printOver(compilation, call, scope),
  });
}

function printBound(bound: ResolvedFrameBound): Sql {
  switch (bound.kind) {
    case "UnboundedPreceding":
      return sql`UNBOUNDED PRECEDING`;
    case "UnboundedFollowing":
      return sql`UNBOUNDED FOLLOWING`;
    case "CurrentRow":
      return sql`CURRENT ROW`;
    default:
      if (bound.offset.kind !== "Literal" || bound.offset.value === null || !/^\d{1,9}$/.test(bound.offset.value)) {
        throw new NotPushed("a frame whose bound is no small number", bound.offset.span);
      }
      return sql`${numberSql(BigInt(bound.offset.value))} ${nameSql(bound.kind.toUpperCase())}`;
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

/** `OVER (...)`, as the call has it and over the whole partition. */
function printOver(
  compilation: Compilation,
  call: WindowCall,
  scope: Scope,
): Pick<AggregateContext, "over" | "overPartition"> {
  const keys = [...call.partitionBy, ...call.orderBy.map((key) => key.expression)];
  const wrong = keys.find(({ type }) => !isComparable(type) || type.kind === "FLOAT64");
  if (wrong !== undefined) throw new NotPushed(`a window over a ${wrong.type.kind}`, wrong.span);
  const partition = call.partitionBy.map((key) => printExpression(compilation, key, scope));
  const order = call.orderBy.map(({ expression, isDescending, nullsFirst }) => {
    return sortItem(printExpression(compilation, expression, scope), isDescending, nullsFirst);
  });
  const parts: Sql[] = [];
  if (partition.length > 0) parts.push(sql`PARTITION BY ${joinSql(partition, ", ")}`);
  if (order.length > 0) parts.push(sql`ORDER BY ${joinSql(order, ", ")}`);
  const whole = sql`ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING`;
  const overPartition = sql` OVER (${joinSql([...parts, whole], " ")})`;
  const { frame } = call;
  if (frame !== undefined) {
    if (frame.unit === "RANGE" && ("offset" in frame.start || "offset" in frame.end)) {
      throw new NotPushed("a RANGE frame with an offset", call.span);
    }
    if (isReversed(frame)) throw new NotPushed("a frame that ends before it begins", call.span);
    parts.push(sql`${nameSql(frame.unit)} BETWEEN ${printBound(frame.start)} AND ${printBound(frame.end)}`);
  }
  return { over: sql` OVER (${joinSql(parts, " ")})`, overPartition };
}
