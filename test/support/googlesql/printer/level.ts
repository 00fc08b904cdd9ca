import type { BinaryOperator, Expression } from "../../../../src/googlesql/ast.ts";

/** How tight expressions bind, as `PRECEDENCE` of the parser has it. */
export const BASE_LEVEL = { loosest: 0, or: 1, and: 2, not: 3, comparison: 4, unary: 11, primary: 12 } as const;

const BINARY_LEVELS: Readonly<Record<BinaryOperator, number>> = {
  "=": BASE_LEVEL.comparison,
  "!=": BASE_LEVEL.comparison,
  "<": BASE_LEVEL.comparison,
  "<=": BASE_LEVEL.comparison,
  ">": BASE_LEVEL.comparison,
  ">=": BASE_LEVEL.comparison,
  "|": 5,
  "^": 6,
  "&": 7,
  "<<": 8,
  ">>": 8,
  "+": 9,
  "-": 9,
  "*": 10,
  "/": 10,
  "||": 10,
};

export function binaryLevel(operator: BinaryOperator): number {
  return BINARY_LEVELS[operator];
}

/** The precedence level of a printed expression. */
export function levelOf(expression: Expression): number {
  switch (expression.kind) {
    case "LogicalOperation":
      return expression.operator === "OR" ? BASE_LEVEL.or : BASE_LEVEL.and;
    case "UnaryOperation":
      return expression.operator === "NOT" ? BASE_LEVEL.not : BASE_LEVEL.unary;
    case "BinaryOperation":
      return binaryLevel(expression.operator);
    case "Between":
    case "In":
    case "Like":
    case "IsTest":
    case "IsDistinctFrom":
      return BASE_LEVEL.comparison;
    case "AnyElement":
      return levelOf(expression.condition);
    default:
      return BASE_LEVEL.primary;
  }
}

/** Whether a dot or a bracket may follow without parentheses around it. */
export function isBareBase(expression: Expression): boolean {
  switch (expression.kind) {
    case "Identifier":
    case "FieldAccess":
    case "Subscript":
    case "Parameter":
    case "ArrayConstructor":
    case "QueryExpression":
      return true;
    case "FunctionCall":
      return expression.over === undefined;
    default:
      return false;
  }
}
