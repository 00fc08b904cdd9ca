/** Building SELECTs for GROUP BY and DISTINCT. */
import type { AggregateCall, Scan } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { aggregateFunctions, canonicalFloat, printQuantile } from "../../functions/aggregates.ts";
import { isComparable } from "../../functions/comparisons.ts";
import { missingForm } from "../../functions/reasons.ts";
import type { AggregateContext } from "../../functions/types.ts";
import { bind, isTrue } from "../../sql/forms.ts";
import { Refusal, refusalIn } from "../../sql/refusal.ts";
import { EMPTY, type Sql } from "../../sql/sql.ts";
import { type Compilation, guarded, unguarded } from "../compilation.ts";
import { printRow } from "../expression/calls.ts";
import { printAll, printExpression } from "../expression/expressions.ts";
import type { SelectBuilder } from "../render.ts";
import { type Binding, cheapBinding, refusedBinding, type Scope } from "../scope.ts";
import {
  openSelect,
  refusedSelect,
  rowSelect,
  scopeOf,
  withColumns,
  withoutColumns,
  wrapSelect,
} from "../select-builder.ts";

/** One zero and one NaN among what is compared by its bits. */
function comparedSql(value: Sql, { kind }: SqlType): Sql {
  return kind === "FLOAT64" ? bind([value], "k", canonicalFloat) : value;
}

export function buildAggregate(compilation: Compilation, scan: GroupedScan, from: SelectBuilder): SelectBuilder {
  if (scan.groupingSets !== undefined) return refusedSelect(new Refusal("GROUPING SETS, ROLLUP or CUBE"));
  const rows = withKeys(compilation, scan.groupBy, { ...rowSelect(compilation, from), order: [] });
  if (rows instanceof Refusal) return refusedSelect(rows);
  const { input, keys } = rows;
  const scope = scopeOf(input);
  const builder = { ...withoutColumns(input), isGrouped: true };
  const groupKeys = scan.groupBy.map(({ column, expression }, index) => {
    const key = comparedSql(keys[index] ?? EMPTY, expression.type);
    builder.bindings.set(column.id, cheapBinding(key));
    return { id: column.id, sql: key };
  });
  for (const { column, call } of scan.aggregates) {
    const binding = unguarded(compilation, () => bindAggregateCall(compilation, call, scope));
    if (binding.refused !== undefined) return refusedSelect(binding.refused);
    builder.bindings.set(column.id, binding);
  }
  return { ...builder, groupKeys };
}

type GroupedScan = Scan & { kind: "Aggregate" };

/**
 * The keys of groups over the rows. The server finds no column within a key that holds a query: then all are computed
 * in a SELECT below.
 */
function withKeys(
  compilation: Compilation,
  groupBy: GroupedScan["groupBy"],
  rows: SelectBuilder,
): { readonly input: SelectBuilder; readonly keys: readonly Sql[] } | Refusal {
  const scope = scopeOf(rows);
  const keys = printAll(groupBy, ({ expression }) => {
    const { type, span } = expression;
    if (!isComparable(type)) return new Refusal(`GROUP BY a ${type.kind}`, span);
    return unguarded(compilation, () => printExpression(compilation, expression, scope));
  });
  if (keys instanceof Refusal) return keys;
  if (!keys.some(({ holdsQuery }) => holdsQuery)) return { input: rows, keys };
  const columns = groupBy.map(({ column }, index) => [column.id, cheapBinding(keys[index] ?? EMPTY)] as const);
  const input = wrapSelect(compilation, withColumns(rows, columns));
  return { input, keys: columns.map(([id]) => scopeOf(input).find(id)?.sql() ?? EMPTY) };
}

/** The complete aggregate. */
function bindAggregateCall(compilation: Compilation, call: AggregateCall, scope: Scope): Binding {
  const row = aggregateFunctions[call.function];
  const name = call.function === "$count_star" ? "COUNT" : call.function;
  const refuse = (reason: string) => refusedBinding(new Refusal(reason, call.span));
  if (row === undefined) return refuse(missingForm(name, `Function ${name}`));
  if (call.having !== undefined || call.isSafe) return refuse(`Function ${name} with HAVING or SAFE`);
  const counts = call.filter === undefined ? undefined : printExpression(compilation, call.filter, scope);
  if (counts instanceof Refusal) return refusedBinding(counts);
  const filter = counts === undefined ? undefined : isTrue(counts);
  const keys = call.orderBy.map(({ expression }) => expression);
  const printed = printAll([...call.arguments, ...keys], (each) => {
    return guarded(compilation, filter, () => printExpression(compilation, each, scope));
  });
  if (printed instanceof Refusal) return refusedBinding(printed);
  const limit = limitOf(call);
  if (limit instanceof Refusal) return refusedBinding(limit);
  const own = {
    filter,
    order: call.orderBy.map(({ expression: { type } }, index) => {
      return { sql: printed[call.arguments.length + index] ?? EMPTY, type };
    }),
    limit,
    over: EMPTY,
    overPartition: EMPTY,
  };
  let element: Binding["element"];
  const sql = printAggregate(compilation, call, printed.slice(0, call.arguments.length), (common) => {
    const context = { ...common, ...own };
    if (call.function === "APPROX_QUANTILES") element = (offset) => printQuantile(context, Number(offset));
    return row(context);
  });
  return sql instanceof Refusal ? refusedBinding(sql) : { ...cheapBinding(sql), element };
}

function limitOf({ limit }: AggregateCall): bigint | Refusal | undefined {
  if (limit === undefined) return undefined;
  const isWritten = limit.kind === "Literal" && limit.value !== null;
  return isWritten ? BigInt(limit.value) : new Refusal("LIMIT by an expression", limit.span);
}

type CommonContext = Omit<AggregateContext, "filter" | "order" | "limit" | "over" | "overPartition">;

/** Prints an aggregate or a window function by its row. */
export function printAggregate(
  compilation: Compilation,
  call: AggregateContext["call"],
  args: readonly Sql[],
  print: (context: CommonContext) => Sql,
): Sql {
  const shape = {
    name: call.function === "$count_star" ? "COUNT" : call.function,
    args,
    types: call.arguments.map((argument) => argument.type),
    type: call.type,
    isSafe: false,
    span: call.span,
  };
  return printRow(compilation, shape, (context) => print({ ...context, call, isDistinct: call.isDistinct }));
}

export function buildDistinct(
  compilation: Compilation,
  scan: Scan & { kind: "Distinct" },
  input: SelectBuilder,
): SelectBuilder {
  const wrong = scan.columns.find(({ column }) => !isComparable(column.type));
  if (wrong !== undefined) {
    return refusedSelect(new Refusal(`SELECT DISTINCT of a ${wrong.column.type.kind}`));
  }
  const open = openSelect(compilation, input);
  const rows = open.order.length > 0 || open.hasWindows ? wrapSelect(compilation, { ...open, order: [] }) : open;
  const scope = scopeOf(rows);
  const builder = { ...withoutColumns(rows), isDistinct: true };
  for (const { column, input: from } of scan.columns) {
    const found = scope.find(from.id);
    const value = unguarded(compilation, () => {
      return found?.sql() ?? new Refusal("DISTINCT of a column of the query around it");
    });
    const refused = refusalIn(value);
    if (refused !== undefined) return refusedSelect(refused);
    const compared = comparedSql(value, column.type);
    builder.bindings.set(column.id, cheapBinding(compared));
    // All columns are compared, including those that are never read.
    builder.exports.set(column.id, { alias: compilation.analysis.alias(column.id), sql: compared });
  }
  // Seen from outside only: what is selected is what is compared.
  return wrapSelect(compilation, builder);
}
