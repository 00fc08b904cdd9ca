/** Building SELECTs for GROUP BY, window functions and DISTINCT. */

import { isSubquery, someExpression } from "../../../../googlesql/resolved/walk.ts";
import type { AggregateCall, AnyExpr, Expr, Scan, WindowCall } from "../../../../googlesql/resolved.ts";
import { isSameExpr } from "../../../../googlesql/resolver/expression/same-expression.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { once } from "../../../lowering/once.ts";
import { isRandomCall } from "../../../lowering/parts.ts";
import { exportAs } from "../../../sql/select.ts";
import { sortKey } from "../../functions/sort-key.ts";
import { numberSql } from "../../sql/atoms.ts";
import { callSql } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { fail, type Scope, type SelectBuilder, variableScope } from "../compilation.ts";
import { printExpression } from "../expression/expressions.ts";
import { cheapBinding, makeBinding } from "../scope.ts";
import { newSelect, openSelect, rowSelect, scopeOf, unordered, wrapSelect } from "../select-builder.ts";
import { elementPrinter, printAggregateCall, printWindowCall } from "./aggregates.ts";
import { withoutDecimalFrames } from "./decimal-frames.ts";
import { printInSelect, selectFirst, separateShared } from "./shaping.ts";

/** The SELECT with other columns; what was readable stays so through the old one only, for expressions printed later. */
function withoutColumns(builder: SelectBuilder): SelectBuilder {
  const copy = newSelect(builder.compilation, builder.outer, builder.depth);
  copy.from = builder.from;
  copy.inner = builder.inner;
  copy.where = builder.where;
  copy.lastWhere = builder.lastWhere;
  copy.hasWindows = builder.hasWindows;
  copy.hasComputed = builder.hasComputed;
  copy.isJoin = builder.isJoin;
  copy.importsOuter = builder.importsOuter;
  return copy;
}

function isConstant(expression: Expr): boolean {
  return expression.kind === "Literal" || expression.kind === "Parameter";
}

interface Rows {
  readonly builder: SelectBuilder;
  readonly calls: readonly AggregateCall[];
}

/**
 * In a correlated sub-query: for DuckDB an aggregate that reads no column of its own query belongs to the query
 * around it, or to none. Its arguments are selected first, so that it reads columns of its own.
 */
function ownArguments(from: SelectBuilder, calls: readonly AggregateCall[]): Rows {
  if (from.outer === undefined) return { builder: from, calls };
  const rows = from.hasComputed ? wrapSelect(from) : from;
  const isOwn = (at: AnyExpr) => at.kind === "Column" && findColumn(rows, at.column.id) !== undefined;
  const isForeign = (call: AggregateCall) =>
    call.arguments.length > 0 && !call.arguments.some((argument) => someExpression(argument, isOwn, false));
  // A key that is the same for all rows sorts nothing, and under DISTINCT would have to be the argument that is moved.
  const isColumn = ({ kind }: { readonly kind: string }) => kind === "Column" || kind === "Parameter";
  const isSame = ({ expression }: AggregateCall["orderBy"][number]) =>
    someExpression(expression, isColumn, true) && !someExpression(expression, isOwn, true);
  const sorted = calls.map((call) =>
    call.orderBy.some(isSame) ? { ...call, orderBy: call.orderBy.filter((key) => !isSame(key)) } : call,
  );
  const foreign = sorted.filter(isForeign);
  // A delimiter or a number of values is printed where it is constant.
  const isMoved = (argument: Expr, index: number) => index === 0 || !isConstant(argument);
  const moved = foreign.flatMap((call) => call.arguments.filter(isMoved));
  const { builder, own } = selectFirst(rows, moved);
  return { builder, calls: sorted.map((call) => (foreign.includes(call) ? withArguments(call, own) : call)) };
}

/** Random arguments of several calls, selected first: DuckDB computes equal calls once. */
function randomFirst({ builder, calls }: Rows): Rows {
  const isRandom = (argument: Expr) => someExpression(argument, isRandomCall, true);
  const random = calls.flatMap((call) => call.arguments.filter(isRandom));
  if (random.length < 2) return { builder, calls };
  const { builder: rows, own } = selectFirst(builder, random);
  return { builder: rows, calls: calls.map((call) => withArguments(call, own)) };
}

const withArguments = <Call extends AggregateCall | WindowCall>(call: Call, own: (argument: Expr) => Expr): Call => ({
  ...call,
  arguments: call.arguments.map(own),
});

type AggregateScan = Scan & { readonly kind: "Aggregate" };

/** Builds the SELECT of an aggregation. Throws for several totals beside other groups in a correlated sub-query. */
export function buildAggregate(from: SelectBuilder, scan: AggregateScan): SelectBuilder {
  const totals = scan.groupingSets?.filter((set) => set.length === 0).length ?? 0;
  // DuckDB makes one row of no rows there, however many sets are empty.
  if (from.outer === undefined || totals < 2) return buildGroups(from, scan);
  if (totals < (scan.groupingSets?.length ?? 0)) {
    const message = "GROUPING SETS with several empty sets beside others are not supported in a correlated sub-query";
    fail("unsupported", message, scan.groupBy[0]?.expression.span ?? { start: 0, end: 0 });
  }
  const total = wrapSelect(buildGroups(from, { ...scan, groupingSets: undefined }));
  const inner = total.from;
  const times = callSql("range", [numberSql(totals)]);
  total.from = { print: () => sql`${inner?.print() ?? EMPTY} CROSS JOIN ${times}` };
  return total;
}

function buildGroups(from: SelectBuilder, scan: AggregateScan): SelectBuilder {
  const { compilation } = from;
  const own = scan.aggregates.map((item) => ofKeys(item.call, scan));
  const { builder: rows, calls } = randomFirst(ownArguments(unordered(rowSelect(from)), own));
  const all = [...scan.groupBy.map((item) => item.expression), ...calls];
  const { builder: separated, keys: expressions } = keysFirst(separateShared(rows, all), scan);
  const { builder: input, texts } = printInSelect(separated, (scope, printed) => {
    const keys = expressions.map((expression) => printExpression(expression, scope));
    if (separated.outer === undefined) return keys;
    const inner = withKeys(scope, scan, keys);
    const isKept = hasRowOfNone(scan);
    const aggregates = calls.map((call) => {
      const text = printAggregateCall(call, inner, printed.naturalOrder);
      return isKept && call.function !== "$count_star" ? keepRow(text) : text;
    });
    return [...keys, ...aggregates];
  });
  const scope = withKeys(scopeOf(input), scan, texts);
  const builder = withoutColumns(input);
  builder.isGrouped = true;
  builder.groupKeys = scan.groupBy.map(({ column }, index) => {
    const key = texts[index] ?? EMPTY;
    const isOwn = column.type.kind !== "INTERVAL" || scan.groupingSets !== undefined;
    builder.bindings.set(column.id, cheapBinding(isOwn ? key : sql`any_value(${key})`));
    // Of intervals of one length, which are equal, one is shown.
    return isOwn ? { id: column.id, sql: key } : { id: FIRST_LENGTH - index, sql: sortKey(column.type, key) };
  });
  builder.groupingSets = scan.groupingSets?.map((set) => set.map((column) => column.id));
  scan.aggregates.forEach(({ column, call: written }, index) => {
    const call = calls[index] ?? written;
    const print = once(() => texts[scan.groupBy.length + index] ?? printAggregateCall(call, scope, []));
    const isMany = compilation.analysis.uses(column) > MAX_ELEMENTS;
    const element = isMany ? undefined : elementPrinter(call, scope);
    builder.bindings.set(column.id, makeBinding(print, true, undefined, undefined, element));
  });
  // DuckDB does not recognise a key that holds a lambda in an expression around it.
  const isOpaque = texts.slice(0, scan.groupBy.length).some((key) => key.holdsLambda);
  return isOpaque ? wrapSelect(builder) : builder;
}

/** Ids that no column of a query has. */
const FIRST_LENGTH = -1;

/** Do the aggregates make a row of no rows? */
function hasRowOfNone({ groupBy, groupingSets }: AggregateScan): boolean {
  return groupingSets === undefined ? groupBy.length === 0 : groupingSets.some((set) => set.length === 0);
}

/**
 * The aggregate in a correlated sub-query. DuckDB leaves out the row of no rows where all aggregates are NULL then,
 * which DISTINCT, ORDER BY and set operations above it show. A count is none of these.
 */
const keepRow = (aggregate: Sql): Sql => sql`CASE WHEN count(*) IS NOT NULL THEN ${aggregate} END`;

/**
 * The keys of GROUP BY, some of them selected first. Intervals: of a key that is a sub-query DuckDB shows the normal
 * form that it groups by, in which a month is 30 days. Those of several sets: two columns that come to the same
 * expression would be one key.
 */
function keysFirst(
  builder: SelectBuilder,
  { groupBy, groupingSets }: AggregateScan,
): { readonly builder: SelectBuilder; readonly keys: readonly Expr[] } {
  const keys = groupBy.map((item) => item.expression);
  const areSeveral = groupingSets !== undefined && keys.length > 1;
  const isFirst = ({ type }: Expr) => areSeveral || type.kind === "INTERVAL";
  const { builder: rows, own } = selectFirst(builder, keys.filter(isFirst));
  return { builder: rows, keys: keys.map(own) };
}

/** Up to so many elements of an array are aggregated one by one instead of all of them as an array. */
const MAX_ELEMENTS = 4;

/** GROUPING(x) with the key's column for x, where it differs between rows. */
function ofKeys(call: AggregateCall, { groupBy, groupingSets }: AggregateScan): AggregateCall {
  if (call.function !== "GROUPING" || groupingSets === undefined) return call;
  const own = (argument: Expr): Expr => {
    const column = groupBy.find((key) => isSameExpr(key.expression, argument))?.column;
    return column === undefined ? argument : { kind: "Column", column, type: column.type, span: argument.span };
  };
  return withArguments(call, own);
}

/** GROUPING(x) reads grouping columns. */
function withKeys(scope: Scope, scan: AggregateScan, keys: readonly Sql[]): Scope {
  if (scan.groupingSets === undefined) return scope;
  const bindings = scan.groupBy.map(({ column }, index) => [column.id, cheapBinding(keys[index] ?? EMPTY)] as const);
  return variableScope(scope, new Map(bindings));
}

/** DuckDB's window functions read columns of their own query only: those of queries around it are carried in. */
function ownColumns(builder: SelectBuilder, calls: readonly WindowCall[]): SelectBuilder {
  if (builder.outer === undefined) return builder;
  const isForeign = (at: AnyExpr) => at.kind === "Column" && findColumn(builder, at.column.id) === undefined;
  if (!calls.some((call) => someExpression(call, isForeign, true))) return builder;
  const outside = wrapSelect(builder);
  outside.importsOuter = true;
  return outside;
}

/** DuckDB's parser takes no window function in a sub-query of a window: what holds a sub-query is selected first. */
function withoutQueries(
  builder: SelectBuilder,
  calls: readonly WindowCall[],
): { readonly builder: SelectBuilder; readonly calls: readonly WindowCall[] } {
  if (!builder.compilation.analysis.holdsQueries) return { builder, calls };
  const expressionsOf = (call: WindowCall) => [
    ...call.arguments,
    ...call.partitionBy,
    ...call.orderBy.map((key) => key.expression),
  ];
  const held = calls.flatMap(expressionsOf).filter((expression) => someExpression(expression, isSubquery, false));
  const { builder: rows, own } = selectFirst(builder, held);
  const moved = calls.map((call) => ({
    ...withArguments(call, own),
    partitionBy: call.partitionBy.map(own),
    orderBy: call.orderBy.map((key) => ({ ...key, expression: own(key.expression) })),
  }));
  return { builder: rows, calls: moved };
}

export function buildWindow(input: SelectBuilder, scan: Scan & { kind: "Window" }): SelectBuilder {
  const calls = scan.functions.map((item) => item.call);
  const separated = separateShared(unordered(rowSelect(input)), calls);
  const plain = withoutQueries(separated, calls);
  const framed = withoutDecimalFrames(ownColumns(plain.builder, plain.calls), plain.calls);
  const { builder, texts } = printInSelect(framed.builder, (scope) =>
    framed.calls.map((call) => printWindowCall(call, scope)),
  );
  builder.hasWindows = true;
  builder.hasComputed = true;
  scan.functions.forEach(({ column }, index) => {
    const text = texts[index] ?? EMPTY;
    builder.bindings.set(
      column.id,
      makeBinding(() => text, false),
    );
    builder.computed.set(column.id, input.compilation.analysis.uses(column));
  });
  // A window that holds a lambda must not be printed inside of another, which ends DuckDB with an internal error.
  return texts.some((text) => text.holdsLambda) ? wrapSelect(builder) : builder;
}

export function buildDistinct(from: SelectBuilder, scan: Scan & { kind: "Distinct" }): SelectBuilder {
  if (scan.columns.some(({ column }) => column.type.kind === "INTERVAL")) {
    const span = { start: 0, end: 0 };
    const groupBy = scan.columns.map(({ column, input }) => {
      return { column, expression: { kind: "Column", column: input, type: input.type, span } as const };
    });
    return buildAggregate(from, { kind: "Aggregate", input: scan.input, groupBy, aggregates: [] });
  }
  const input = unordered(openSelect(from));
  const columns = scan.columns.map(({ column, input: source }) => {
    const binding = scopeOf(input).find(source.id);
    if (binding === undefined) throw new Error(`Column ${source.name} cannot be read by DISTINCT`);
    return { column, binding, sql: binding.sql() };
  });
  const builder = withoutColumns(input);
  builder.isDistinct = true;
  for (const { column, binding, sql } of columns) {
    exportAs(builder, column.id, from.compilation.analysis.alias(column.id), () => sql);
    builder.bindings.set(column.id, cheapBinding(sql, binding.isNeverNaN ?? false));
  }
  return builder;
}
