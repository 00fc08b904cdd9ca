import type {
  Between,
  BinaryOperation,
  BinaryOperator,
  Expression,
  In,
  IsDistinctFrom,
  IsTest,
  Like,
  LogicalOperation,
  RightHandSet,
  UnaryOperation,
} from "../../ast.ts";
import { MAX_COMPARED_ITEMS } from "../../limits.ts";
import type { Expr, InSubqueryExpr } from "../../resolved.ts";
import { BOOL } from "../../types.ts";
import { isNumericType } from "../../typing/same-type.ts";
import { callOperator } from "../call/call-function.ts";
import { coerceOrFail, typeName } from "../call/coerce.ts";
import { type ExprContext, resolveExpression } from "../context.ts";
import { errorExpr, isErrorExpr } from "../resolution.ts";
import { resolveSetQuery } from "../select/subquery.ts";
import { call, negateIf } from "./expr.ts";
import { reconcile, reconcileNeedle } from "./lenient.ts";
import { resolveLiteral } from "./literal.ts";

/** Operators, written with signs or words. */
type Operation = UnaryOperation | BinaryOperation | LogicalOperation | Between | In | Like | IsTest | IsDistinctFrom;

/** Resolves an operator with its operands. */
export function resolveOperation(context: ExprContext, node: Operation): Expr {
  switch (node.kind) {
    case "UnaryOperation":
      return resolveUnary(context, node);
    case "BinaryOperation":
      return resolveBinary(context, node);
    case "LogicalOperation":
      return resolveLogical(context, node);
    case "Between":
      return resolveBetween(context, node);
    case "In":
      return resolveIn(context, node);
    case "Like":
      return resolveLike(context, node);
    case "IsTest":
      return resolveIsTest(context, node);
    case "IsDistinctFrom":
      return resolveIsDistinct(context, node);
  }
}

const BINARY: Readonly<Record<BinaryOperator, string>> = {
  "+": "$add",
  "-": "$subtract",
  "*": "$multiply",
  "/": "$divide",
  "||": "$concat_op",
  "<<": "$shift_left",
  ">>": "$shift_right",
  "&": "$bit_and",
  "|": "$bit_or",
  "^": "$bit_xor",
  "=": "$equal",
  "!=": "$not_equal",
  "<": "$less",
  "<=": "$less_or_equal",
  ">": "$greater",
  ">=": "$greater_or_equal",
};

const COMPARISONS: ReadonlySet<BinaryOperator> = new Set(["=", "!=", "<", "<=", ">", ">="] as const);

const SHIFTS: ReadonlySet<BinaryOperator> = new Set(["<<", ">>"] as const);

/** A NULL without a type says nothing beside an operator: it is most often a mistake for IS NULL. */
function refuseNull({ resolution }: ExprContext, operator: string, left: Expression, right = left): void {
  if (left.kind !== "NullLiteral" && right.kind !== "NullLiteral") return;
  const operand = left.kind === "NullLiteral" ? left : right;
  const hint = ["=", "!="].includes(operator) ? "; write IS NULL or IS NOT NULL" : "";
  resolution.fail("invalid_query", `Operands of ${operator} cannot be literal NULL${hint}`, operand.span);
}

/** `a + b + c`: the left-deep chain is walked from its left end, without recursion. */
function resolveBinary(context: ExprContext, node: BinaryOperation): Expr {
  const { resolution } = context;
  const chain: BinaryOperation[] = [node];
  let first: Expression = node.left;
  while (first.kind === "BinaryOperation") {
    chain.push(first);
    first = first.left;
  }
  resolution.descend(chain.length, node.span);
  let result = resolveExpression(context, first);
  for (const operation of chain.reverse()) {
    const { operator } = operation;
    if (!SHIFTS.has(operator)) refuseNull(context, operator, operation.left, operation.right);
    const operands = [result, resolveExpression(context, operation.right)];
    const compared = COMPARISONS.has(operator) ? reconcile(resolution, operands) : operands;
    result = callOperator(resolution, BINARY[operator], compared, operation.span);
  }
  resolution.rise(chain.length);
  return result;
}

function resolveUnary(context: ExprContext, node: UnaryOperation): Expr {
  const { resolution } = context;
  const { operand } = node;
  refuseNull(context, node.operator, operand);
  if (node.operator === "-" && (operand.kind === "IntLiteral" || operand.kind === "FloatLiteral"))
    return resolveLiteral(resolution, operand, -1, node.span);
  const value = resolveExpression(context, operand);
  if (isErrorExpr(value)) return errorExpr(node.span);
  switch (node.operator) {
    case "NOT":
      return callOperator(resolution, "$not", [value], node.span);
    case "-":
      return callOperator(resolution, "$negate", [value], node.span);
    case "~":
      return callOperator(resolution, "$bit_not", [value], node.span);
    case "+":
      if (isNumericType(value.type) || value.type.kind === "UNKNOWN") return value;
      return resolution.fail(
        "type_mismatch",
        `No matching signature for operator + for argument types: ${typeName(value.type)}`,
        node.span,
      );
  }
}

/** AND and OR of any number of operands; a wrong one does not hide the others' problems. */
function resolveLogical(context: ExprContext, node: LogicalOperation): Expr {
  const operands = node.operands.map((operand) => {
    const value = resolveExpression(context, operand);
    return coerceOrFail(context.resolution, value, BOOL, `An operand of ${node.operator}`);
  });
  if (operands.some(isErrorExpr)) return errorExpr(node.span);
  return call(node.operator === "AND" ? "$and" : "$or", operands, BOOL, node.span);
}

function resolveBetween(context: ExprContext, node: Between): Expr {
  const operands = [node.operand, node.low, node.high].map((part) => resolveExpression(context, part));
  const result = callOperator(context.resolution, "$between", reconcile(context.resolution, operands), node.span);
  return isErrorExpr(result) ? result : negateIf(node.isNegated, result, node.span);
}

function resolveIsDistinct(context: ExprContext, node: IsDistinctFrom): Expr {
  const operands = [node.left, node.right].map((part) => resolveExpression(context, part));
  const result = callOperator(context.resolution, "$is_distinct", reconcile(context.resolution, operands), node.span);
  return isErrorExpr(result) ? result : negateIf(node.isNegated, result, node.span);
}

const TESTS = { NULL: "$is_null", TRUE: "$is_true", FALSE: "$is_false", UNKNOWN: "$is_null" } as const;

function resolveIsTest(context: ExprContext, node: IsTest): Expr {
  const value = resolveExpression(context, node.operand);
  const operand =
    node.test === "NULL" ? value : coerceOrFail(context.resolution, value, BOOL, `The operand of IS ${node.test}`);
  if (isErrorExpr(operand)) return operand;
  return negateIf(node.isNegated, call(TESTS[node.test], [operand], BOOL, node.span), node.span);
}

function resolveIn(context: ExprContext, node: In): Expr {
  const result = compareWithSet(
    context,
    node.operand,
    node.set,
    { list: "$in", array: "$in_array", query: "IN" },
    node.span,
  );
  return isErrorExpr(result) ? result : negateIf(node.isNegated, result, node.span);
}

function resolveLike(context: ExprContext, node: Like): Expr {
  const { resolution } = context;
  if (node.pattern.kind === "Single") {
    refuseNull(context, node.isNegated ? "NOT LIKE" : "LIKE", node.operand, node.pattern.expression);
    const operands = [resolveExpression(context, node.operand), resolveExpression(context, node.pattern.expression)];
    const result = callOperator(resolution, "$like", operands, node.span);
    return isErrorExpr(result) ? result : negateIf(node.isNegated, result, node.span);
  }
  // As published, NOT belongs to each pattern: NOT LIKE ANY is true where one does not match, which is NOT (LIKE ALL).
  const names =
    (node.pattern.quantifier === "ALL") !== node.isNegated
      ? ({ list: "$like_all", array: "$like_all_array", query: "LIKE_ALL" } as const)
      : ({ list: "$like_any", array: "$like_any_array", query: "LIKE_ANY" } as const);
  const result = compareWithSet(context, node.operand, node.pattern.set, names, node.span);
  return isErrorExpr(result) ? result : negateIf(node.isNegated, result, node.span);
}

interface SetNames {
  readonly list: string;
  readonly array: string;
  readonly query: InSubqueryExpr["operator"];
}

function compareWithSet(
  context: ExprContext,
  operand: Expression,
  set: RightHandSet,
  names: SetNames,
  span: Expr["span"],
): Expr {
  const { resolution } = context;
  const value = resolveExpression(context, operand);
  switch (set.kind) {
    case "List": {
      if (set.items.length > MAX_COMPARED_ITEMS && (names.list !== "$in" || value.type.kind === "STRUCT")) {
        const what = names.list === "$in" ? "structs" : "patterns";
        return resolution.fail("too_complex", `A list has more than ${MAX_COMPARED_ITEMS} ${what}`, span);
      }
      const items = set.items.map((item) => resolveExpression(context, item));
      const operands = names.list === "$in" ? reconcile(resolution, [value, ...items]) : [value, ...items];
      return callOperator(resolution, names.list, operands, span);
    }
    case "UnnestSet": {
      const array = resolveExpression(context, set.array);
      return callOperator(resolution, names.array, [reconcileNeedle(resolution, value, array), array], span);
    }
    case "QuerySet":
      return resolveSetQuery(context, value, set.query, names.query, span);
  }
}
