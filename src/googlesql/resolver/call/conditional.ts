import type { Case } from "../../ast.ts";
import type { ComputedColumn, Expr } from "../../resolved.ts";
import { BOOL, UNKNOWN } from "../../types.ts";
import { type ExprContext, resolveExpression } from "../context.ts";
import { reconcile } from "../expression/lenient.ts";
import { errorExpr, isErrorExpr } from "../resolution.ts";
import { callOperator } from "./call-function.ts";
import { coerce, coerceOrFail, columnOf, commonTypeOf, typeName } from "./coerce.ts";
import { inCollationOf } from "./collation.ts";

/** CASE. The operand of a simple CASE is computed once, as a variable, when it is more than a column or a constant. */
export function resolveCase(context: ExprContext, node: Case): Expr {
  const { resolution } = context;
  const { span } = node;
  const operand = node.operand === undefined ? undefined : resolveExpression(context, node.operand);
  let variable: ComputedColumn | undefined;
  let compared = operand;
  if (
    operand !== undefined &&
    !["Column", "Literal", "Parameter", "RecordField"].includes(operand.kind) &&
    !isErrorExpr(operand)
  ) {
    variable = { column: columnOf(resolution, "operand", operand), expression: operand };
    compared = { kind: "Variable", type: operand.type, column: variable.column, span: operand.span };
  }
  const conditions = node.branches.map(({ when }) => resolveExpression(context, when));
  if (compared !== undefined && resolution.hasCollation) compared = inCollationOf(compared, conditions);
  const whens = conditions.map((condition) => {
    if (compared === undefined) return coerceOrFail(resolution, condition, BOOL, "A WHEN condition");
    return callOperator(resolution, "$equal", reconcile(resolution, [compared, condition]), condition.span);
  });
  const thens = node.branches.map(({ then }) => resolveExpression(context, then));
  const otherwise = node.else === undefined ? undefined : resolveExpression(context, node.else);
  const results = otherwise === undefined ? thens : [...thens, otherwise];
  if ([...whens, ...results].some(isErrorExpr)) return errorExpr(span);
  const type = commonTypeOf(resolution, results);
  if (type === undefined) {
    const types = [...new Set(results.map((result) => typeName(result.type)))].join(", ");
    return resolution.fail("type_mismatch", `The results of CASE have no common type: ${types}`, span);
  }
  const typed = results.map((result) => coerce(resolution, result, type) ?? result);
  // biome-ignore lint/suspicious/noThenProperty: a branch of CASE is never awaited
  const branches = whens.map((when, i) => ({ when, then: typed[i] ?? errorExpr(span) }));
  const last = otherwise === undefined ? undefined : typed.at(-1);
  const body: Expr = {
    kind: "Case",
    type: type ?? UNKNOWN,
    branches,
    else: last,
    span,
  };
  return variable === undefined ? body : { kind: "Let", type: body.type, variables: [variable], body, span };
}
