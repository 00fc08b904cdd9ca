/** Building SELECTs for GROUP BY and DISTINCT. */
import type { AggregateCall, Expr, Scan } from "../../../googlesql/resolved.ts";
import { aggregateFunctions, printQuantile, settleFloat } from "../functions/aggregates.ts";
import { isComparable } from "../functions/compare.ts";
import { missingForm } from "../functions/reasons.ts";
import type { AggregateContext } from "../functions/types.ts";
import { bind, isTrue } from "../sql/forms.ts";
import { EMPTY, type Sql } from "../sql/sql.ts";
import { scalarContext } from "./calls.ts";
import { type Compilation, guarded, unguarded } from "./compilation.ts";
import { printExpression } from "./expressions.ts";
import { NotPushed } from "./not-pushed.ts";
import type { SelectBuilder } from "./render.ts";
import { type Binding, cheapBinding, type Scope } from "./scope.ts";
import { openSelect, rowSelect, scopeOf, withoutColumns, wrapSelect } from "./select-builder.ts";

function checkKey(expression: Expr): void {
  if (!isComparable(expression.type)) throw new NotPushed(`GROUP BY a ${expression.type.kind}`, expression.span);
}

export function buildAggregate(
  compilation: Compilation,
  scan: Scan & { kind: "Aggregate" },
  from: SelectBuilder,
): SelectBuilder {
  const open = rowSelect(compilation, from);
  const input = open.order.length > 0 ? { ...open, order: [] } : open;
  const scope = scopeOf(input);
  const keys = scan.groupBy.map(({ column, expression }) => {
    checkKey(expression);
    const sql = unguarded(compilation, () => printExpression(compilation, expression, scope));
    return { id: column.id, sql: expression.type.kind === "FLOAT64" ? bind([sql], "k", settleFloat) : sql };
  });
  if (scan.groupingSets !== undefined) throw new NotPushed("GROUPING SETS, ROLLUP or CUBE");
  const calls = scan.aggregates.map(({ column, call }) => {
    const printed = unguarded(compilation, () => printAggregateCall(compilation, call, scope));
    return { id: column.id, binding: { ...cheapBinding(printed.sql), element: printed.element } };
  });
  const builder = withoutColumns(input);
  builder.isGrouped = true;
  builder.groupKeys = keys.map((key) => key.sql);
  for (const { id, sql } of keys) builder.bindings.set(id, cheapBinding(sql));
  for (const { id, binding } of calls) builder.bindings.set(id, binding);
  return builder;
}

/** The complete aggregate. Throws `NotPushed`. */
function printAggregateCall(
  compilation: Compilation,
  call: AggregateCall,
  scope: Scope,
): { readonly sql: Sql; readonly element: Binding["element"] } {
  const row = aggregateFunctions[call.function];
  const name = call.function === "$count_star" ? "COUNT" : call.function;
  if (row === undefined) throw new NotPushed(missingForm(name, `Function ${name}`), call.span);
  if (call.having !== undefined || call.isSafe) throw new NotPushed(`Function ${name} with HAVING or SAFE`, call.span);
  const guard = call.filter === undefined ? undefined : isTrue(printExpression(compilation, call.filter, scope));
  const print = (each: Expr) => guarded(compilation, guard, () => printExpression(compilation, each, scope));
  const context: AggregateContext = {
    ...contextOf(compilation, call, call.arguments.map(print)),
    filter: guard,
    order: call.orderBy.map((key) => ({
      sql: print(key.expression),
      type: key.expression.type,
      isDescending: key.isDescending,
    })),
    limit: limitOf(call),
    over: EMPTY,
    overPartition: EMPTY,
  };
  const element = call.function === "APPROX_QUANTILES" ? (offset: number) => printQuantile(context, offset) : undefined;
  return { sql: row(context), element };
}

function limitOf({ limit }: AggregateCall): bigint | undefined {
  if (limit === undefined) return undefined;
  if (limit.kind !== "Literal" || limit.value === null) throw new NotPushed("LIMIT by an expression", limit.span);
  return BigInt(limit.value);
}

type CommonContext = Omit<AggregateContext, "filter" | "order" | "limit" | "over" | "overPartition">;

/** Returns the properties common to aggregates and window functions. */
export function contextOf(
  compilation: Compilation,
  call: AggregateContext["call"],
  args: readonly Sql[],
): CommonContext {
  const types = call.arguments.map((argument) => argument.type);
  const {
    mask,
    bind: bindOnce,
    failIf,
    refuse,
  } = scalarContext(compilation, {
    name: call.function === "$count_star" ? "COUNT" : call.function,
    args,
    types,
    type: call.type,
    isSafe: false,
    span: call.span,
  });
  return { args, types, type: call.type, mask, bind: bindOnce, failIf, refuse, call, isDistinct: call.isDistinct };
}

export function buildDistinct(
  compilation: Compilation,
  scan: Scan & { kind: "Distinct" },
  input: SelectBuilder,
): SelectBuilder {
  const wrong = scan.columns.find(({ column }) => !isComparable(column.type));
  if (wrong !== undefined) throw new NotPushed(`SELECT DISTINCT of a ${wrong.column.type.kind}`);
  const open = openSelect(compilation, input);
  const rows = open.order.length > 0 || open.hasWindows ? wrapSelect(compilation, { ...open, order: [] }) : open;
  const scope = scopeOf(rows);
  const builder = withoutColumns(rows);
  builder.isDistinct = true;
  for (const { column, input: from } of scan.columns) {
    const found = scope.find(from.id);
    if (found === undefined) throw new NotPushed("DISTINCT of a column of the query around it");
    const sql = unguarded(compilation, () => found.sql());
    builder.bindings.set(column.id, cheapBinding(column.type.kind === "FLOAT64" ? bind([sql], "k", settleFloat) : sql));
    // All columns are compared, including those that are never read.
    builder.exports.set(column.id, {
      alias: compilation.analysis.alias(column.id),
      sql: builder.bindings.get(column.id)?.sql() ?? sql,
    });
  }
  // Seen from outside only: what is selected is what is compared.
  return wrapSelect(compilation, builder);
}
