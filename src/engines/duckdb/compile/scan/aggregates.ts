/**
 * Printing aggregate and window calls: their arguments and what stands around them; the function tables do the rest.
 */

import type {
  AggregateCall,
  Expr,
  ResolvedFrame,
  ResolvedFrameBound,
  WindowCall,
} from "../../../../googlesql/resolved.ts";
import type { AggregateContext, AggregateModifiers } from "../../functions/aggregate/aggregate-shape.ts";
import { printQuantile } from "../../functions/aggregate/approximate.ts";
import { computeOnce } from "../../functions/compute-once.ts";
import { aggregateFunctions, windowFunctions } from "../../functions/index.ts";
import { sortKey } from "../../functions/sort-key.ts";
import { isConstantKey, raiseError } from "../../sql-text.ts";
import { type Compilation, fail } from "../compilation.ts";
import { printExpression } from "../expression/expressions.ts";
import { isCheap, isNeverNaN, readAs } from "../expression/traits.ts";
import type { Scope } from "../scope.ts";

type Key = AggregateCall["orderBy"][number];

/** What the expression sorts by: a key where values of its type have one, itself otherwise. */
function printSortKey(compilation: Compilation, expression: Expr, scope: Scope): string {
  const key = readAs(compilation, expression, expression.type, scope);
  return key ?? sortKey(expression.type, printExpression(compilation, expression, scope));
}

/** `x ASC NULLS FIRST`; for FLOAT64 with a key before it that puts NaN where GoogleSQL has it. */
function printKey(compilation: Compilation, key: Key, sql: string, scope: Scope, isSingle: boolean): string {
  const nulls = `NULLS ${key.nullsFirst ? "FIRST" : "LAST"}`;
  const printed = `${sql} ${key.isDescending ? "DESC" : "ASC"} ${nulls}`;
  if (isNeverNaN(compilation, key.expression, scope)) return printed;
  // The opposite of a number has NaN where it belongs, and bounds as far away.
  if (isSingle) return `(-${sql}) ${key.isDescending ? "ASC" : "DESC"} ${nulls}`;
  return `isnan(${sql}) ${key.isDescending ? "ASC" : "DESC"} ${nulls}, ${printed}`;
}

function printKeys(compilation: Compilation, keys: readonly Key[], scope: Scope, isSingle = false): string {
  const printed: string[] = [];
  for (const key of keys) {
    const sql = printSortKey(compilation, key.expression, scope);
    if (isSingle) printed.push(printKey(compilation, key, widenKey(compilation, key, sql), scope, true));
    else if (!isConstantKey(sql)) printed.push(printKey(compilation, key, sql, scope, false));
  }
  return printed.join(", ");
}

function printOptional(compilation: Compilation, expression: Expr | undefined, scope: Scope): string | undefined {
  return expression === undefined ? undefined : printExpression(compilation, expression, scope);
}

function printHaving(
  compilation: Compilation,
  having: AggregateCall["having"],
  scope: Scope,
): AggregateModifiers["having"] {
  if (having === undefined) return undefined;
  return {
    kind: having.kind,
    expressionSql: printSortKey(compilation, having.expression, scope),
    mayBeNaN: !isNeverNaN(compilation, having.expression, scope),
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
  // The order of printing is the order in which aliases are numbered. All fields, for objects of one shape.
  const filterSql = printOptional(compilation, call.filter, scope);
  const limitSql = printOptional(compilation, call.limit, scope);
  const modifiers: AggregateModifiers = {
    isDistinct: call.isDistinct,
    orderBySql: orderBySql === "" ? undefined : orderBySql,
    filterSql,
    nulls: call.nullHandling,
    limitSql,
    having: printHaving(compilation, call.having, scope),
    overSql: undefined,
  };
  return {
    args: call.arguments.map((argument) => printExpression(compilation, argument, scope)),
    sortKey: (index) => printArgumentKey(compilation, call, index, scope),
    types: call.arguments.map((argument) => argument.type),
    type: call.type,
    timeZone: compilation.timeZone,
    call,
    modifiers,
  };
}

function printArgumentKey(
  compilation: Compilation,
  call: AggregateCall | WindowCall,
  index: number,
  scope: Scope,
): string {
  const argument = call.arguments[index];
  return argument === undefined ? "NULL" : printSortKey(compilation, argument, scope);
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

/** An infinite offset would reach infinite keys, or none: it is refused, as NaN is. */
function checkedOffset(offset: string): string {
  const failure = raiseError("'The offset of a RANGE frame must be a finite number that is not negative'");
  return `CASE WHEN isfinite(${offset}) AND ${offset} >= 0 THEN ${offset} ELSE ${failure} END`;
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
      const value = printExpression(compilation, bound.offset, scope);
      const printed = bound.offset.type.kind === "NUMERIC" ? toBillionths(value) : value;
      const isKnown = bound.offset.kind === "Literal" || bound.offset.type.kind !== "FLOAT64";
      const offset = isKnown ? printed : checkedOffset(printed);
      return (
        `${isCheap(compilation, bound.offset, scope) && isKnown ? offset : `(${offset})`} ` +
        `${bound.kind.toUpperCase()}`
      );
    }
  }
}

/** A NUMERIC as a whole number of its last digit: HUGEINT reaches further than DECIMAL(38, 9). */
function toBillionths(numeric: string): string {
  return computeOnce([numeric], "billionths", (x) => {
    return `CAST(trunc(${x}) AS HUGEINT) * 1000000000 + CAST((${x} - trunc(${x})) * 1000000000 AS HUGEINT)`;
  });
}

/** A type in which no bound of a RANGE frame leaves the range of the key's own. */
function widenKey(compilation: Compilation, key: Key, sql: string): string {
  if (key.expression.type.kind === "INT64") return `CAST(${sql} AS HUGEINT)`;
  if (key.expression.type.kind === "NUMERIC") return toBillionths(sql);
  if (key.expression.type.kind !== "BIGNUMERIC") return sql;
  return fail(
    compilation,
    "unsupported",
    "A RANGE frame with an offset over BIGNUMERIC is not supported; order by a NUMERIC or FLOAT64",
    key.expression.span,
  );
}

function hasOffset(frame: ResolvedFrame | undefined): boolean {
  return frame !== undefined && ("offset" in frame.start || "offset" in frame.end);
}

function printOver(compilation: Compilation, call: WindowCall, scope: Scope): string {
  const partition = call.partitionBy.map((key) => printExpression(compilation, key, scope)).join(", ");
  // A RANGE frame with an offset takes exactly one key.
  const isSingle = call.frame?.unit === "RANGE" && hasOffset(call.frame);
  const order = printKeys(compilation, call.orderBy, scope, isSingle);
  const parts: string[] = [];
  if (partition !== "") parts.push(`PARTITION BY ${partition}`);
  if (order !== "") parts.push(`ORDER BY ${order}`);
  if (call.frame !== undefined) {
    const { unit, start, end } = call.frame;
    parts.push(`${unit} BETWEEN ${printBound(compilation, start, scope)} AND ${printBound(compilation, end, scope)}`);
  }
  return `OVER (${parts.join(" ")})`;
}

/** The complete window call, OVER included. */
export function printWindowCall(compilation: Compilation, call: WindowCall, scope: Scope): string {
  const args = call.arguments.map((argument) => printExpression(compilation, argument, scope));
  const types = call.arguments.map((argument) => argument.type);
  const modifiers: AggregateModifiers = {
    isDistinct: call.isDistinct,
    orderBySql: undefined,
    filterSql: undefined,
    nulls: call.nullHandling,
    limitSql: undefined,
    having: printHaving(compilation, call.having, scope),
    overSql: printOver(compilation, call, scope),
  };
  const [value] = call.arguments;
  const neverNaN = value === undefined || isNeverNaN(compilation, value, scope);
  const context = {
    args,
    sortKey: (index: number) => printArgumentKey(compilation, call, index, scope),
    types,
    type: call.type,
    timeZone: compilation.timeZone,
    call,
    modifiers,
    isNeverNaN: neverNaN,
  };
  const window = windowFunctions[call.function];
  if (window !== undefined) return window(context);
  const aggregate = aggregateFunctions[call.function];
  if (aggregate !== undefined) return aggregate(context);
  return fail(compilation, "unsupported", `Function ${call.function} is not supported by this engine`, call.span);
}
