/** Printing aggregate and window calls: their arguments and what stands around them; the function tables do the rest. */
import type { AggregateCall, ResolvedFrame, ResolvedFrameBound, WindowCall } from "../../../googlesql/resolved.ts";
import type { AggregateContext, AggregateModifiers } from "../functions/aggregate-shape.ts";
import { printQuantile } from "../functions/approximate.ts";
import { aggregateFunctions, windowFunctions } from "../functions/index.ts";
import { type Compilation, fail } from "./compilation.ts";
import { printExpression } from "./expressions.ts";
import type { Scope } from "./scope.ts";
import { isCheap, isNeverNaN } from "./traits.ts";

type Key = AggregateCall["orderBy"][number];

/** `x ASC NULLS FIRST`; for FLOAT64 with a key before it that puts NaN where GoogleSQL has it. */
function printKey(compilation: Compilation, key: Key, scope: Scope, isSingle: boolean): string {
  const sql = printExpression(compilation, key.expression, scope);
  const nulls = `NULLS ${key.nullsFirst ? "FIRST" : "LAST"}`;
  const printed = `${sql} ${key.isDescending ? "DESC" : "ASC"} ${nulls}`;
  if (isSingle || isNeverNaN(compilation, key.expression, scope)) return printed;
  return `isnan(${sql}) ${key.isDescending ? "ASC" : "DESC"} ${nulls}, ${printed}`;
}

function printKeys(compilation: Compilation, keys: readonly Key[], scope: Scope, isSingle = false): string {
  return keys.map((key) => printKey(compilation, key, scope, isSingle)).join(", ");
}

function contextOf(compilation: Compilation, call: AggregateCall | WindowCall, scope: Scope) {
  return {
    args: call.arguments.map((argument) => printExpression(compilation, argument, scope)),
    types: call.arguments.map((argument) => argument.type),
    type: call.type,
    timeZone: compilation.timeZone,
  };
}

/** Functions whose result depends on the order of the rows. */
const orderedAggregates = new Set(["ARRAY_AGG", "STRING_AGG", "ARRAY_CONCAT_AGG"]);

function aggregateContext(
  compilation: Compilation,
  call: AggregateCall,
  scope: Scope,
  naturalOrder: readonly string[],
): AggregateContext {
  const isNatural = call.orderBy.length === 0 && !call.isDistinct && orderedAggregates.has(call.function);
  const orderBySql = isNatural
    ? naturalOrder.map((sql) => `${sql} ASC NULLS FIRST`).join(", ")
    : printKeys(compilation, call.orderBy, scope);
  // Filled field by field: this runs for every call, and spreading is several times slower.
  const modifiers: { -readonly [K in keyof AggregateModifiers]: AggregateModifiers[K] } = {
    isDistinct: call.isDistinct,
  };
  if (orderBySql !== "") modifiers.orderBySql = orderBySql;
  if (call.filter !== undefined) modifiers.filterSql = printExpression(compilation, call.filter, scope);
  if (call.nullHandling !== undefined) modifiers.nulls = call.nullHandling;
  if (call.limit !== undefined) modifiers.limitSql = printExpression(compilation, call.limit, scope);
  if (call.having !== undefined) {
    const { kind, expression } = call.having;
    modifiers.having = { kind, expressionSql: printExpression(compilation, expression, scope) };
  }
  return {
    args: call.arguments.map((argument) => printExpression(compilation, argument, scope)),
    types: call.arguments.map((argument) => argument.type),
    type: call.type,
    timeZone: compilation.timeZone,
    call,
    modifiers,
  };
}

/** The complete aggregate. `naturalOrder` is the order that the rows have where the call names none. */
export function printAggregateCall(
  compilation: Compilation,
  call: AggregateCall,
  scope: Scope,
  naturalOrder: readonly string[],
): string {
  const row = aggregateFunctions[call.function];
  if (row === undefined) {
    return fail(compilation, "unsupported", `Function ${call.function} is not supported by this engine`, call.span);
  }
  return row(aggregateContext(compilation, call, scope, naturalOrder));
}

/** Prints single elements of an aggregate whose result is an array; undefined where that is no cheaper. */
export function elementPrinter(
  compilation: Compilation,
  call: AggregateCall,
  scope: Scope,
): ((offset: bigint) => string | undefined) | undefined {
  if (call.function !== "APPROX_QUANTILES") return undefined;
  return (offset) => printQuantile(aggregateContext(compilation, call, scope, []), offset);
}

function printBound(compilation: Compilation, bound: ResolvedFrameBound, scope: Scope): string {
  switch (bound.kind) {
    case "UnboundedPreceding":
      return "UNBOUNDED PRECEDING";
    case "UnboundedFollowing":
      return "UNBOUNDED FOLLOWING";
    case "CurrentRow":
      return "CURRENT ROW";
    case "Preceding":
    case "Following": {
      const offset = printExpression(compilation, bound.offset, scope);
      return `${isCheap(compilation, bound.offset, scope) ? offset : `(${offset})`} ${bound.kind.toUpperCase()}`;
    }
  }
}

function hasOffset(frame: ResolvedFrame | undefined): boolean {
  return frame !== undefined && ("offset" in frame.start || "offset" in frame.end);
}

function printOver(compilation: Compilation, call: WindowCall, scope: Scope): string {
  const partition = call.partitionBy.map((key) => printExpression(compilation, key, scope)).join(", ");
  // A RANGE frame with an offset takes exactly one key.
  const isSingle = call.frame?.unit === "RANGE" && hasOffset(call.frame);
  const order = printKeys(compilation, call.orderBy, scope, isSingle);
  const parts = [
    ...(partition === "" ? [] : [`PARTITION BY ${partition}`]),
    ...(order === "" ? [] : [`ORDER BY ${order}`]),
    ...(call.frame === undefined
      ? []
      : [
          `${call.frame.unit} BETWEEN ${printBound(compilation, call.frame.start, scope)} AND ${printBound(compilation, call.frame.end, scope)}`,
        ]),
  ];
  return `OVER (${parts.join(" ")})`;
}

/** The complete window call, OVER included. */
export function printWindowCall(compilation: Compilation, call: WindowCall, scope: Scope): string {
  const context = { ...contextOf(compilation, call, scope), call };
  const modifiers: AggregateModifiers & { readonly overSql: string } = {
    isDistinct: call.isDistinct,
    ...(call.nullHandling === undefined ? {} : { nulls: call.nullHandling }),
    ...(call.having && {
      having: { kind: call.having.kind, expressionSql: printExpression(compilation, call.having.expression, scope) },
    }),
    overSql: printOver(compilation, call, scope),
  };
  const window = windowFunctions[call.function];
  if (window !== undefined) return window({ ...context, modifiers });
  const aggregate = aggregateFunctions[call.function];
  if (aggregate !== undefined) return aggregate({ ...context, modifiers });
  return fail(compilation, "unsupported", `Function ${call.function} is not supported by this engine`, call.span);
}
