import type { Expression, FunctionCall, OrderItem, SortOrder } from "../../ast.ts";
import type { CatalogueEntry } from "../../catalogue/index.ts";
import { someExpression } from "../../resolved/walk.ts";
import type { AggregateCall, Column, Expr } from "../../resolved.ts";
import { BOOL, INT64 } from "../../types.ts";
import { isGroupable, isOrderable } from "../../typing/same-type.ts";
import { type ExprContext, inClause, type QueryBlock, resolveExpression } from "../context.ts";
import { columnExpr } from "../expression/expr.ts";
import { hashCall } from "../expression/expression-index.ts";
import { isSameAggregate, isSameExpr } from "../expression/same-expression.ts";
import { errorExpr, isErrorExpr, type Resolution } from "../resolution.ts";
import type { ArgumentResolver, ResolvedArguments } from "./call.ts";
import { resultType } from "./call-function.ts";
import { coerceOrFail, keyTypeName, passesLenient, sortable, typeName } from "./coerce.ts";
import { collatedKey, comparedBy } from "./collation.ts";

/** An aggregate call: it is put among its SELECT's aggregates, and a column of them stands for it. */
export function resolveAggregate(
  context: ExprContext,
  node: FunctionCall,
  entry: CatalogueEntry,
  resolveArguments: ArgumentResolver,
): Expr {
  const { resolution, block } = context;
  const { name } = entry.definition;
  if (!context.allowsAggregates || block === undefined) {
    const why =
      context.clause === "aggregate"
        ? "Aggregations of aggregations are not allowed"
        : `Aggregate function ${name} not allowed in ${context.clause}`;
    return resolution.fail("invalid_query", why, node.span, { name });
  }
  const inner = inClause(context, "aggregate", "nothing");
  const call = resolveAggregateCall(inner, node, entry, resolveArguments);
  if (call === undefined) return errorExpr(node.span);
  if (context.windowScope !== undefined && readsAggregate(block, call))
    return resolution.fail("invalid_query", "Aggregations of aggregations are not allowed", node.span, { name });
  const hash = hashCall(call.function, call.arguments);
  const alike = block.aggregateIndex.get(hash) ?? [];
  const known = alike.find((other) => isSameAggregate(other.call, call));
  if (known !== undefined) return columnExpr(known.column, node.span);
  const column = resolution.newColumn(name.replace("$", "").toLowerCase(), call.type);
  if (passesLenient(resolution, call.function, call.arguments)) resolution.lenientColumns.add(column.id);
  block.aggregates.push({ column, call });
  block.aggregateIndex.set(hash, [...alike, { column, call }]);
  return columnExpr(column, node.span);
}

/** Does an argument read an alias that stands for an aggregate or a window function? */
function readsAggregate(block: QueryBlock, call: AggregateCall): boolean {
  const isOfBlock = ({ id }: Column) => [...block.aggregates, ...block.windows].some(({ column }) => column.id === id);
  return someExpression(call, (inner) => inner.kind === "Column" && isOfBlock(inner.column), true);
}

function resolveAggregateCall(
  context: ExprContext,
  node: FunctionCall,
  entry: CatalogueEntry,
  resolveArguments: ArgumentResolver,
): AggregateCall | undefined {
  const { resolution } = context;
  const { name } = entry.definition;
  checkModifiers(context, node, entry);
  const filter =
    node.where === undefined
      ? undefined
      : coerceOrFail(resolution, resolveExpression(context, node.where), BOOL, "WHERE in an aggregate");
  if (node.groupBy !== undefined || node.clamped !== undefined) {
    const what = node.groupBy === undefined ? "CLAMPED BETWEEN" : "GROUP BY";
    resolution.report("unsupported", `${what} inside an aggregate function is not supported`, node.span, { name });
    return undefined;
  }
  if (node.isStar) return countRows(context, node, name, filter);
  const resolved = resolveArguments(context, node, entry);
  const orderBy = resolveCallOrder(context, node, name);
  const limit = resolveCallLimit(context, node);
  const having = resolveHaving(context, node);
  if (resolved === undefined || orderBy === undefined) return undefined;
  const callArguments = distinguished(name, node, resolved);
  if (node.isDistinct && !isDistinctFine(resolution, node, name, callArguments, orderBy)) return undefined;
  return {
    kind: "AggregateCall",
    function: name,
    type: resultType(resolved.match),
    arguments: callArguments,
    isDistinct: node.isDistinct,
    nullHandling: node.nullHandling,
    having,
    orderBy,
    limit,
    isSafe: node.isSafe,
    filter,
    span: node.span,
  };
}

export const COUNT_DISTINCT_STAR = "COUNT(*) cannot be used with DISTINCT; name what is to differ";

/** COUNT(*); no other function takes a star. */
function countRows(
  context: ExprContext,
  node: FunctionCall,
  name: string,
  filter: Expr | undefined,
): AggregateCall | undefined {
  if (name !== "COUNT") {
    const message = `Argument * can only be used in COUNT(*), but was used in ${name}`;
    context.resolution.report("invalid_query", message, node.span);
    return undefined;
  }
  if (node.isDistinct) {
    context.resolution.report("invalid_query", COUNT_DISTINCT_STAR, node.span);
    return undefined;
  }
  return {
    kind: "AggregateCall",
    function: "$count_star",
    type: INT64,
    arguments: [],
    isDistinct: false,
    nullHandling: undefined,
    having: resolveHaving(context, node),
    orderBy: [],
    limit: undefined,
    isSafe: node.isSafe,
    filter,
    span: node.span,
  };
}

/** ORDER BY in the call's parentheses. Undefined when something in it was reported. */
function resolveCallOrder(context: ExprContext, node: FunctionCall, name: string): SortExpression[] | undefined {
  const orderBy = resolveOrderItems(context, node.orderBy, `ORDER BY of ${name}`);
  const literal = node.orderBy.find(({ expression }) => isLiteralNode(expression))?.expression;
  if (literal !== undefined) {
    const message = "An aggregate function cannot ORDER BY a literal value";
    context.resolution.report("invalid_query", message, literal.span);
  }
  return orderBy;
}

function resolveCallLimit(context: ExprContext, { limit: node }: FunctionCall): Expr | undefined {
  if (node?.count === undefined) return undefined;
  const { resolution } = context;
  const limit = coerceOrFail(resolution, resolveExpression(context, node.count), INT64, "LIMIT");
  if (limit.kind === "Literal" && !isErrorExpr(limit) && (limit.value === null || limit.value.startsWith("-")))
    resolution.report("invalid_query", "The LIMIT of an aggregate must be non-negative and not NULL", limit.span);
  return limit;
}

/** The arguments of a call; COUNT(DISTINCT) counts what they are compared by. */
export function distinguished(
  name: string,
  { isDistinct }: FunctionCall,
  { arguments: given }: ResolvedArguments,
): readonly Expr[] {
  const values = given.filter((argument) => argument !== undefined);
  return isDistinct && name === "COUNT" ? values.map(comparedBy) : values;
}

/** Can the arguments of a call with DISTINCT be distinguished? Reports the type of one that cannot. */
export function isDistinguishable(resolution: Resolution, node: FunctionCall, callArguments: readonly Expr[]): boolean {
  const odd = callArguments.find((argument) => !isGroupable(argument.type));
  if (odd === undefined) return true;
  const message = `Aggregate functions with DISTINCT cannot be used with arguments of type ${keyTypeName(odd.type)}`;
  resolution.report("type_mismatch", message, node.span);
  return false;
}

/** The same, and is the call sorted by them only? */
function isDistinctFine(
  resolution: Resolution,
  node: FunctionCall,
  name: string,
  callArguments: readonly Expr[],
  orderBy: readonly SortExpression[],
): boolean {
  if (!isDistinguishable(resolution, node, callArguments)) return false;
  const isStray = (key: SortExpression) => !callArguments.some((argument) => isArgument(key.expression, argument));
  const strayKey = orderBy.find(isStray);
  if (strayKey === undefined) return true;
  const message = "An aggregate function with DISTINCT can only ORDER BY expressions that are its arguments";
  resolution.report("invalid_query", message, strayKey.expression.span, { name });
  return false;
}

function resolveHaving(context: ExprContext, { having }: FunctionCall): AggregateCall["having"] {
  return having === undefined
    ? undefined
    : { kind: having.kind, expression: resolveExpression(context, having.expression) };
}

/** Is the expression the argument, but for a coercion? */
function isArgument(expression: Expr, argument: Expr): boolean {
  if (isSameExpr(expression, argument)) return true;
  return argument.kind === "Cast" && argument.isImplicit && isSameExpr(expression, argument.operand);
}

/** DISTINCT, ORDER BY and their like where the function does not take them. */
export function checkModifiers(context: ExprContext, node: FunctionCall, entry: CatalogueEntry): void {
  const { definition } = entry;
  const allows = (what: "distinct" | "order" | "limit" | "nulls" | "having"): boolean =>
    definition.allows?.includes(what) === true;
  const refuse = (what: string): void => {
    context.resolution.report(
      "invalid_query",
      `${what} is not allowed for the function ${definition.name}`,
      node.span,
      { name: definition.name },
    );
  };
  if (node.isDistinct && !allows("distinct")) refuse("DISTINCT");
  if (node.orderBy.length > 0 && !allows("order")) refuse("ORDER BY");
  if (node.limit !== undefined && !allows("limit")) refuse("LIMIT");
  if (node.nullHandling !== undefined && !allows("nulls") && definition.window?.allowsNulls !== true)
    refuse(`${node.nullHandling} NULLS`);
  if (node.having !== undefined && !allows("having")) refuse("HAVING MAX and HAVING MIN");
}

export interface SortExpression {
  readonly expression: Expr;
  readonly isDescending: boolean;
  readonly nullsFirst: boolean;
}

/** NULLs come first ascending and last descending unless the text says otherwise. */
export function nullsFirst(order: SortOrder): boolean {
  return order.nulls === undefined ? !order.isDescending : order.nulls === "FIRST";
}

const LITERALS: ReadonlySet<string> = new Set([
  "NullLiteral",
  "BoolLiteral",
  "IntLiteral",
  "FloatLiteral",
  "StringLiteral",
  "BytesLiteral",
] satisfies Expression["kind"][]);

/** Is it written as a literal? */
export function isLiteralNode({ kind }: Expression): boolean {
  return LITERALS.has(kind);
}

/** ORDER BY inside a call or a window. Undefined when something was reported. */
export function resolveOrderItems(
  context: ExprContext,
  items: readonly OrderItem[],
  what: string,
): SortExpression[] | undefined {
  const sorted: SortExpression[] = [];
  let isFine = true;
  for (const item of items) {
    const plain = sortable(context.resolution, resolveExpression(context, item.expression));
    const collation = item.collation && resolveExpression(context, item.collation);
    const expression = collatedKey(context.resolution, plain, item.collation, collation);
    if (isErrorExpr(expression)) isFine = false;
    else if (!isOrderable(expression.type)) {
      context.resolution.report(
        "type_mismatch",
        `${what} does not support expressions of type ${typeName(expression.type)}`,
        item.expression.span,
      );
      isFine = false;
    }
    sorted.push({ expression, isDescending: item.isDescending, nullsFirst: nullsFirst(item) });
  }
  return isFine ? sorted : undefined;
}
