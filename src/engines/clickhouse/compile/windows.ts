/** Building SELECTs for window functions. */
import type { ResolvedFrameBound, Scan, WindowCall } from "../../../googlesql/resolved.ts";
import { aggregateFunctions } from "../functions/aggregates.ts";
import { isComparable } from "../functions/compare.ts";
import { missingForm } from "../functions/reasons.ts";
import type { AggregateContext } from "../functions/types.ts";
import { windowFunctions } from "../functions/windows.ts";
import { nameSql, numberSql } from "../sql/atoms.ts";
import { Refusal, refusalIn } from "../sql/refusal.ts";
import { EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import { printAggregate } from "./aggregate-scans.ts";
import { type Compilation, unguarded } from "./compilation.ts";
import { printAll, printExpression } from "./expressions.ts";
import { type SelectBuilder, sortItem } from "./render.ts";
import { cheapBinding, type Scope } from "./scope.ts";
import { openSelect, refusedSelect, scopeOf, withColumns, wrapSelect } from "./select-builder.ts";

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
  const over = printOver(compilation, call, scope);
  if (over instanceof Refusal) return over;
  return printAggregate(compilation, call, args, (context) => {
    return row({ ...context, filter: undefined, order: [], limit: undefined, ...over });
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
        return new Refusal("a frame whose bound is no small number", bound.offset.span);
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
  const parts: Sql[] = [];
  if (partition.length > 0) parts.push(sql`PARTITION BY ${joinSql(partition, ", ")}`);
  if (order.length > 0) parts.push(sql`ORDER BY ${joinSql(order, ", ")}`);
  const whole = sql`ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING`;
  const overPartition = sql` OVER (${joinSql([...parts, whole], " ")})`;
  const { frame } = call;
  if (frame !== undefined) {
    if (frame.unit === "RANGE" && ("offset" in frame.start || "offset" in frame.end)) {
      return new Refusal("a RANGE frame with an offset", call.span);
    }
    if (isReversed(frame)) return new Refusal("a frame that ends before it begins", call.span);
    parts.push(sql`${nameSql(frame.unit)} BETWEEN ${printBound(frame.start)} AND ${printBound(frame.end)}`);
  }
  const over = sql` OVER (${joinSql(parts, " ")})`;
  return refusalIn(over) ?? { over, overPartition };
}
