import type { Expression, FrameBound, FunctionCall, Identifier, WindowFrame, WindowSpecification } from "../../ast.ts";
import type { CatalogueEntry } from "../../catalogue/index.ts";
import type { Span } from "../../diagnostic.ts";
import { isSubquery, someExpression } from "../../resolved/walk.ts";
import type { Expr, ResolvedFrame, ResolvedFrameBound, WindowCall } from "../../resolved.ts";
import { FLOAT64, INT64 } from "../../types.ts";
import { isGroupable, isNumericType, isPartitionable } from "../../typing/same-type.ts";
import { type ExprContext, inClause, inScope, resolveExpression, type Window } from "../context.ts";
import { columnExpr, isConstant } from "../expression/expr.ts";
import { castSafely } from "../expression/mixed.ts";
import { errorExpr, isErrorExpr, nullExpr, type Resolution } from "../resolution.ts";
import {
  COUNT_DISTINCT_STAR,
  checkModifiers,
  distinguished,
  isDistinguishable,
  resolveOrderItems,
  type SortExpression,
} from "./aggregate.ts";
import type { ArgumentResolver } from "./call.ts";
import { resultType } from "./call-function.ts";
import { asMixed, coerceOrFail, isLenientExpr, keyTypeName, passesLenient } from "./coerce.ts";
import { comparedBy } from "./collation.ts";

/** A call with OVER: it is put among its SELECT's window functions, and a column of them stands for it. */
export function resolveWindowCall(
  context: ExprContext,
  node: FunctionCall,
  entry: CatalogueEntry,
  over: WindowSpecification,
  resolveArguments: ArgumentResolver,
): Expr {
  const { resolution, block } = context;
  const { definition } = entry;
  const { name } = definition;
  if (!context.allowsWindows || block === undefined)
    return resolution.fail("invalid_query", `Window function ${name} not allowed in ${context.clause}`, node.span, {
      name,
    });
  if (definition.isWindowable === false)
    return resolution.fail("invalid_query", `Function ${name} does not support an OVER clause`, node.span, { name });
  checkModifiers(context, node, entry);
  const inner = inWindow(context);
  const window = resolveWindow(inner, over);
  const call = resolveCalled(inner, node, entry, resolveArguments);
  if (call === undefined || window === undefined) return errorExpr(node.span);
  const having = node.having && {
    kind: node.having.kind,
    expression: resolveExpression(inner, node.having.expression),
  };
  if (having !== undefined && isErrorExpr(having.expression)) return errorExpr(node.span);
  const refused = refuseArguments(resolution, node, name, call);
  if (refused !== undefined) return refused;
  const frame = checkWindow(context, node, entry, window);
  const column = resolution.newColumn(name.replace("$", "").toLowerCase(), call.type);
  if (passesLenient(resolution, call.function, call.arguments)) resolution.lenientColumns.add(column.id);
  block.windows.push({
    column,
    call: {
      kind: "WindowCall",
      ...call,
      isDistinct: node.isDistinct,
      nullHandling: node.nullHandling,
      having,
      isSafe: node.isSafe,
      partitionBy: window.partitionBy,
      orderBy: window.orderBy,
      frame,
      span: node.span,
    },
  });
  return columnExpr(column, node.span);
}

type CalledFunction = Pick<WindowCall, "function" | "type" | "arguments">;

/** The function and its arguments. Undefined when something was reported. */
function resolveCalled(
  context: ExprContext,
  node: FunctionCall,
  entry: CatalogueEntry,
  resolveArguments: ArgumentResolver,
): CalledFunction | undefined {
  const { name } = entry.definition;
  if (node.isStar) {
    if (name === "COUNT" && !node.isDistinct) return { function: "$count_star", type: INT64, arguments: [] };
    const misplaced = `Argument * can only be used in COUNT(*), but was used in ${name}`;
    const message = name === "COUNT" ? COUNT_DISTINCT_STAR : misplaced;
    context.resolution.report("invalid_query", message, node.span);
    return undefined;
  }
  const resolved = resolveArguments(context, node, entry);
  return (
    resolved && { function: name, type: resultType(resolved.match), arguments: distinguished(name, node, resolved) }
  );
}

/** Refuses what a call with OVER cannot have in its parentheses. */
function refuseArguments(
  resolution: Resolution,
  node: FunctionCall,
  name: string,
  call: CalledFunction,
): Expr | undefined {
  // Of the aggregates that take HAVING only this one's reference has OVER beside it.
  const hasHaving = node.having !== undefined && name !== "ANY_VALUE";
  if (node.orderBy.length > 0 || node.limit !== undefined || node.where !== undefined || hasHaving) {
    const message = `ORDER BY, LIMIT, HAVING and WHERE are not allowed in the arguments of ${name} with OVER`;
    return resolution.fail("invalid_query", message, node.span, { name });
  }
  if (node.isDistinct && !isDistinguishable(resolution, node, call.arguments)) return errorExpr(node.span);
  const fallback = name === "LAG" || name === "LEAD" ? call.arguments[2] : undefined;
  if (fallback === undefined || !readsRows(fallback)) return undefined;
  const message = `The default of ${name} must be a constant: it can read no column`;
  return resolution.fail("invalid_query", message, fallback.span, { name });
}

function readsRows(expression: Expr): boolean {
  return someExpression(expression, (at) => at.kind === "Column" || at.kind === "RecordField" || isSubquery(at), false);
}

/** The frame that the function has; reports what its kind does not allow. */
function checkWindow(
  context: ExprContext,
  node: FunctionCall,
  entry: CatalogueEntry,
  window: Window,
): ResolvedFrame | undefined {
  const { definition } = entry;
  const rules = definition.window;
  const hasOrder = window.orderBy.length > 0;
  const refuse = (message: string): undefined => {
    context.resolution.report("invalid_query", message, node.span, { name: definition.name });
    return undefined;
  };
  if (node.isDistinct && hasOrder) return refuse("Window ORDER BY is not allowed if DISTINCT is specified");
  if (node.isDistinct && window.frame !== undefined)
    return refuse("Window framing clause is not allowed if DISTINCT is specified");
  if (rules?.requiresOrder === true && !hasOrder)
    return refuse(`Window ORDER BY is required for the function ${definition.name}`);
  if (rules?.allowsFrame === false) {
    return window.frame === undefined
      ? undefined
      : refuse(`Window framing clause is not allowed for the function ${definition.name}`);
  }
  if (window.frame !== undefined) return window.frame;
  if (node.isDistinct) return undefined;
  if (hasOrder) return { unit: "RANGE", start: { kind: "UnboundedPreceding" }, end: { kind: "CurrentRow" } };
  return { unit: "ROWS", start: { kind: "UnboundedPreceding" }, end: { kind: "UnboundedFollowing" } };
}

function resolveWindow(
  context: ExprContext,
  node: WindowSpecification,
  before = Number.POSITIVE_INFINITY,
): Window | undefined {
  const { resolution } = context;
  const base = node.base === undefined ? undefined : resolveNamedWindow(context, node.base, before);
  if (node.base !== undefined && base === undefined) return undefined;
  const refused = base === undefined ? undefined : whyNotExtended(node, base);
  if (refused !== undefined) {
    resolution.report("invalid_query", refused, node.span);
    return undefined;
  }
  const partitionBy = node.partitionBy.map((item) => resolvePartitionKey(context, item));
  const orderBy = resolveOrderItems(context, node.orderBy, "Window ORDER BY");
  if (orderBy === undefined || partitionBy.some(isErrorExpr)) return undefined;
  const window: Window = {
    partitionBy: base === undefined ? partitionBy : base.partitionBy,
    orderBy: orderBy.length > 0 ? orderBy : (base?.orderBy ?? []),
    frame: base?.frame,
  };
  return node.frame === undefined ? window : addFrame(context, window, node.frame, node.span);
}

/** Why a window cannot extend a named one so; undefined where it can. */
function whyNotExtended(node: WindowSpecification, base: Window): string | undefined {
  if (node.partitionBy.length > 0) return "A window that extends a named window cannot have PARTITION BY";
  if (node.orderBy.length > 0 && base.orderBy.length > 0)
    return "A window cannot have ORDER BY when the window that it extends has one";
  if (base.frame !== undefined && (node.orderBy.length > 0 || node.frame !== undefined))
    return "A window that has a frame cannot be extended";
  return undefined;
}

function resolvePartitionKey(context: ExprContext, item: Expression): Expr {
  const { resolution } = context;
  const value = comparedBy(resolveExpression(context, item));
  if (isErrorExpr(value) || isPartitionable(value.type)) return value;
  if (isLenientExpr(resolution, value) && isGroupable(value.type)) return value;
  const message = `Partitioning by expressions of type ${keyTypeName(value.type)} is not allowed`;
  return resolution.fail("type_mismatch", message, item.span);
}

/** From the one that begins first. */
const boundOrder: readonly FrameBound["kind"][] = [
  "UnboundedPreceding",
  "Preceding",
  "CurrentRow",
  "Following",
  "UnboundedFollowing",
];

/** The window with its frame. Undefined when something was reported. */
function addFrame(context: ExprContext, given: Window, frame: WindowFrame, span: Span): Window | undefined {
  const { resolution } = context;
  const { unit } = frame;
  const { partitionBy, orderBy } = numberedKey(resolution, given, frame);
  const start = resolveBound(context, frame.start, unit, orderBy);
  const end =
    frame.end === undefined ? { kind: "CurrentRow" as const } : resolveBound(context, frame.end, unit, orderBy);
  if (start === undefined || end === undefined) return undefined;
  const refuse = (message: string): undefined => {
    resolution.report("invalid_query", message, span);
    return undefined;
  };
  const isEmpty = start.kind === "UnboundedFollowing" || end.kind === "UnboundedPreceding";
  if (isEmpty || boundOrder.indexOf(start.kind) > boundOrder.indexOf(end.kind))
    return refuse("The window frame ends before it starts");
  const isWhole = start.kind === "UnboundedPreceding" && end.kind === "UnboundedFollowing";
  if (unit === "RANGE" && orderBy.length === 0 && !isWhole)
    return refuse("Window ORDER BY is required for a RANGE frame");
  return { partitionBy, orderBy, frame: { unit, start, end } };
}

/** A distance in a RANGE frame is one of numbers. */
function numberedKey(resolution: Resolution, window: Window, frame: WindowFrame): Window {
  const isDistance = [frame.start, frame.end].some(
    (bound) => bound?.kind === "Preceding" || bound?.kind === "Following",
  );
  if (frame.unit !== "RANGE" || !isDistance) return window;
  const orderBy = window.orderBy.map((key) => {
    const { expression } = key;
    if (isNumericType(expression.type)) return key;
    if (expression.type.kind === "UNKNOWN") return { ...key, expression: nullExpr(expression.span, FLOAT64) };
    const mixed = expression.type.kind === "MIXED" ? expression : asMixed(resolution, expression);
    return mixed === undefined ? key : { ...key, expression: castSafely(mixed, FLOAT64) };
  });
  return { ...window, orderBy };
}

/** A window of the WINDOW clause, which may extend those that stand before it. Each is resolved once. */
function resolveNamedWindow(context: ExprContext, name: Identifier, before: number): Window | undefined {
  const { resolution, block } = context;
  const found = block?.namedWindows.get(name.name.toLowerCase());
  if (found === undefined || found.position >= before) {
    const known = [...(block?.namedWindows.values() ?? [])].filter(({ position }) => position < before);
    const names = known.map((each) => each.name.name);
    const suggestion = resolution.suggest(name.name, names);
    resolution.report("invalid_query", `Unrecognized window alias ${name.name}`, name.span, {
      name: name.name,
      suggestion,
    });
    return undefined;
  }
  const { position } = found;
  if (block?.windowCache.has(position)) return block.windowCache.get(position);
  resolution.descend(1, name.span);
  const scope = context.windowScope ?? context.scope;
  const window = resolveWindow(inScope(context, scope), found.window, position);
  resolution.rise(1);
  block?.windowCache.set(position, window);
  return window;
}

/** Where a window reads aggregates if what is around it may, and no other window. */
function inWindow(context: ExprContext): ExprContext {
  return inClause(context, "window function", context.allowsAggregates ? "aggregates" : "nothing");
}

/** Reports what is wrong with windows of the WINDOW clause, also with those that no function reads. */
export function checkNamedWindows(context: ExprContext): void {
  const inner = inWindow(context);
  for (const { name } of context.block?.namedWindows.values() ?? [])
    resolveNamedWindow(inner, name, Number.POSITIVE_INFINITY);
}

function resolveBound(
  context: ExprContext,
  bound: FrameBound,
  unit: "ROWS" | "RANGE",
  orderBy: readonly SortExpression[],
): ResolvedFrameBound | undefined {
  const { resolution } = context;
  if (bound.kind !== "Preceding" && bound.kind !== "Following") return { kind: bound.kind };
  const value = resolveExpression(context, bound.offset);
  if (isErrorExpr(value)) return undefined;
  const fail = (message: string): undefined => {
    resolution.report("invalid_query", message, bound.offset.span);
    return undefined;
  };
  if (!isConstant(value)) return fail("A window frame's offset must be a literal or parameter");
  if (value.kind === "Literal" && (value.value === null || value.value.startsWith("-")))
    return fail("A window frame's offset must be non-negative and not NULL");
  if (unit === "ROWS") {
    const offset = coerceOrFail(resolution, value, INT64, "The offset of a ROWS frame");
    return isErrorExpr(offset) ? undefined : { kind: bound.kind, offset };
  }
  const [key] = orderBy;
  if (key === undefined || orderBy.length !== 1 || !isNumericType(key.expression.type))
    return fail("A RANGE frame with an offset needs exactly one numeric ORDER BY key");
  const offset = coerceOrFail(resolution, value, key.expression.type, "The offset of a RANGE frame");
  return isErrorExpr(offset) ? undefined : { kind: bound.kind, offset };
}
