import type { Query, QueryExpression } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Column, Expr, InSubqueryExpr, Scan } from "../../resolved.ts";
import { BOOL, type SqlType, UNKNOWN } from "../../types.ts";
import { arrayOfValues } from "../../typing/implicit.ts";
import { isSameType } from "../../typing/same-type.ts";
import { refuseWideStructs } from "../call/call-function.ts";
import { asMixed, coerce, commonTypeOf, typeName } from "../call/coerce.ts";
import { collatedOperands } from "../call/collation.ts";
import { type ExprContext, environmentOf, type QueryResult, resolveSubquery } from "../context.ts";
import { columnExpr } from "../expression/expr.ts";
import { reconcile } from "../expression/lenient.ts";
import { errorExpr, isErrorExpr, isErrorType, type Resolution } from "../resolution.ts";
import { refuseRecursive } from "./recursion.ts";

/** `(query)`, `ARRAY(query)` and `EXISTS(query)` in an expression. */
export function resolveQueryExpression(context: ExprContext, node: QueryExpression): Expr {
  const { resolution } = context;
  const result = resolveSubquery(environmentOf(context), node.query);
  const { span } = node;
  refuseRecursive(resolution, result, "in an expression subquery");
  if (node.mode === "EXISTS") return { kind: "Subquery", mode: "EXISTS", type: BOOL, scan: result.scan, span };
  const column = onlyColumn(resolution, result, node.mode === "ARRAY" ? "ARRAY subquery" : "Scalar subquery", span);
  if (column === undefined || isErrorType(column.type)) return errorExpr(span);
  const isList = column.type.kind === "ARRAY" && column.type.element.kind !== "RECORD";
  const mixed = node.mode === "ARRAY" && isList ? asMixed(resolution, columnExpr(column, span)) : undefined;
  const output = mixed === undefined ? column : resolution.newColumn(column.name, mixed.type);
  if (node.mode === "SCALAR")
    return { kind: "Subquery", mode: "SCALAR", type: output.type, scan: result.scan, output, span };
  if (output.type.kind === "ARRAY" && output.type.element.kind !== "RECORD") {
    return resolution.fail(
      "type_mismatch",
      `Cannot use array subquery with column of type ${typeName(output.type)}: arrays of arrays are not supported`,
      span,
    );
  }
  return {
    kind: "Subquery",
    mode: "ARRAY",
    type: arrayOfValues(output.type),
    scan: arrayScan(result, output, mixed),
    output,
    span,
  };
}

function arrayScan(result: QueryResult, column: Column, expression: Expr | undefined): Scan {
  const input = sortedScan(result);
  return expression === undefined ? input : { kind: "Project", input, computed: [{ column, expression }] };
}

/** The rows in the order that the sub-query itself asks for. */
function sortedScan(result: QueryResult): Scan {
  if (result.order === undefined || result.order.isInherited || result.isSorted === true) return result.scan;
  return { kind: "OrderBy", input: result.scan, keys: result.order.keys };
}

function onlyColumn(resolution: Resolution, result: QueryResult, what: string, span: Span): Column | undefined {
  const [first] = result.columns;
  if (first !== undefined && result.columns.length === 1) return first.column;
  if (!result.columns.some((named) => isErrorType(named.column.type))) {
    resolution.report(
      "invalid_query",
      `${what} cannot have more than one column unless it uses SELECT AS STRUCT to build STRUCT values`,
      span,
    );
  }
  return undefined;
}

/** `x IN (query)`, `x LIKE ANY (query)`. */
export function resolveSetQuery(
  context: ExprContext,
  operand: Expr,
  query: Query,
  operator: InSubqueryExpr["operator"],
  span: Span,
): Expr {
  const { resolution } = context;
  const result = resolveSubquery(environmentOf(context), query);
  refuseRecursive(resolution, result, "in an expression subquery");
  const output = onlyColumn(resolution, result, "Subquery of type IN", span);
  if (output === undefined || isErrorType(output.type) || isErrorExpr(operand)) return errorExpr(span);
  const pair = collatedOperands(
    resolution,
    operator === "IN" ? "$in" : "$like",
    [operand, columnExpr(output, span)],
    span,
  );
  if (pair === undefined) return errorExpr(span);
  const [left = operand, right = operand] = reconcile(resolution, pair);
  const type = operator === "IN" ? commonTypeOf(resolution, [left, right]) : likeType(left.type, right.type);
  const value = type === undefined ? undefined : coerce(resolution, left, type);
  const column = type === undefined ? undefined : coerce(resolution, right, type);
  if (value === undefined || column === undefined) {
    return resolution.fail(
      "type_mismatch",
      `Cannot execute ${operator.replace("_", " ")} subquery with uncomparable types ` +
        `${typeName(operand.type)} and ${typeName(output.type)}`,
      span,
    );
  }
  if (refuseWideStructs(resolution, [column.type], span)) return errorExpr(span);
  if (column.kind === "Column" && column.column.id === output.id)
    return { kind: "InSubquery", operator, type: BOOL, operand: value, scan: result.scan, output, span };
  const cast = resolution.newColumn(output.name, column.type);
  const scan: Scan = { kind: "Project", input: result.scan, computed: [{ column: cast, expression: column }] };
  return { kind: "InSubquery", operator, type: BOOL, operand: value, scan, output: cast, span };
}

function likeType(left: SqlType, right: SqlType): SqlType | undefined {
  for (const type of [left, right]) if (type.kind === "STRING" || type.kind === "BYTES") return type;
  if (left.kind === "MIXED" || right.kind === "MIXED") return { kind: "STRING" };
  return isSameType(left, right) && left.kind === UNKNOWN.kind ? { kind: "STRING" } : undefined;
}
