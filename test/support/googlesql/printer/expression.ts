import type { BinaryOperation, Expression, Like, RightHandSet } from "../../../../src/googlesql/ast.ts";
import { printString } from "../../../../src/googlesql/string-literal.ts";
import { printCall } from "./call.ts";
import { joinParts, printBase, printExpressions, printSelectExpression } from "./clause.ts";
import { BASE_LEVEL, binaryLevel, levelOf } from "./level.ts";
import { printLiteral, printType } from "./literal.ts";
import { printIdentifier, printParameterName, printPath, printWord } from "./name.ts";
import type { PrintRules } from "./rules.ts";

const OPERAND = BASE_LEVEL.comparison + 1;

/** An expression, in parentheses where it binds less tight than `minLevel`. */
export function printExpression(rules: PrintRules, expression: Expression, minLevel: number): string {
  const printed = printBare(rules, expression);
  return levelOf(expression) < minLevel ? `(${printed})` : printed;
}

function printBare(rules: PrintRules, expression: Expression): string {
  switch (expression.kind) {
    case "LogicalOperation": {
      const level = levelOf(expression) + 1;
      return expression.operands.map((operand) => rules.expression(operand, level)).join(` ${expression.operator} `);
    }
    case "UnaryOperation":
      return printUnary(rules, expression);
    case "BinaryOperation":
      return printBinary(rules, expression);
    case "Between":
      return (
        `${rules.expression(expression.operand, OPERAND)}${negation(expression)} BETWEEN ` +
        `${rules.expression(expression.low, OPERAND)} AND ${rules.expression(expression.high, OPERAND)}`
      );
    case "In":
      return (
        `${rules.expression(expression.operand, OPERAND)}${negation(expression)} IN ` +
        `${printSet(rules, expression.set)}`
      );
    case "Like":
      return (
        `${rules.expression(expression.operand, OPERAND)}${negation(expression)} LIKE ` +
        `${printPattern(rules, expression.pattern)}`
      );
    case "IsTest":
      return `${rules.expression(expression.operand, OPERAND)} IS${negation(expression)} ${expression.test}`;
    case "IsDistinctFrom":
      return (
        `${rules.expression(expression.left, OPERAND)} IS${negation(expression)} DISTINCT ` +
        `FROM ${rules.expression(expression.right, OPERAND)}`
      );
    case "AnyElement":
      return printBare(rules, expression.condition);
    default:
      return printPrimary(rules, expression);
  }
}

type Compound =
  | "LogicalOperation"
  | "UnaryOperation"
  | "BinaryOperation"
  | "Between"
  | "In"
  | "Like"
  | "IsTest"
  | "IsDistinctFrom"
  | "AnyElement";

function printPrimary(rules: PrintRules, expression: Exclude<Expression, { kind: Compound }>): string {
  switch (expression.kind) {
    case "Identifier":
      return printIdentifier(expression);
    case "Parameter":
      return expression.name === undefined ? "?" : `@${printParameterName(expression.name)}`;
    case "SystemVariable":
      return `@@${printPath(expression.path)}`;
    case "FieldAccess":
      return `${printBase(rules, expression.base)}.${printIdentifier(expression.field)}`;
    case "Subscript": {
      const index = rules.expression(expression.index);
      const written = expression.mode === "PLAIN" ? index : `${expression.mode}(${index})`;
      return `${printBase(rules, expression.base)}[${written}]`;
    }
    case "FunctionCall":
      return printCall(rules, expression);
    case "QueryExpression":
      return `${expression.mode === "SCALAR" ? "" : expression.mode}(${rules.query(expression.query)})`;
    case "ArrayConstructor": {
      const type = expression.elementType === undefined ? "" : `ARRAY<${printType(rules, expression.elementType)}>`;
      return `${type}[${printExpressions(rules, expression.elements)}]`;
    }
    case "StructConstructor": {
      const fields = expression.fields.map((field) => printSelectExpression(rules, field)).join(", ");
      if (expression.isTuple === true) return `(${fields})`;
      return `${expression.type === undefined ? "STRUCT" : printType(rules, expression.type)}(${fields})`;
    }
    case "TypedLiteral":
      return `${expression.type} ${printString(expression.value)}`;
    case "RangeLiteral":
      return `${printType(rules, expression.type)} ${printString(expression.value)}`;
    case "Case":
    case "Cast":
    case "Extract":
    case "Interval":
    case "Lambda":
    case "WithExpression":
      return printSpecialForm(rules, expression);
    default:
      return printLiteral(expression);
  }
}

type SpecialForm = "Case" | "Cast" | "Extract" | "Interval" | "Lambda" | "WithExpression";

function printSpecialForm(rules: PrintRules, expression: Extract<Expression, { kind: SpecialForm }>): string {
  switch (expression.kind) {
    case "Case":
      return joinParts(
        "CASE",
        expression.operand && rules.expression(expression.operand),
        ...expression.branches.map(
          (branch) => `WHEN ${rules.expression(branch.when)} THEN ${rules.expression(branch.then)}`,
        ),
        expression.else && `ELSE ${rules.expression(expression.else)}`,
        "END",
      );
    case "Cast": {
      const { operand, type, format, timeZone } = expression;
      const content = joinParts(
        `${rules.expression(operand)} AS ${printType(rules, type)}`,
        format && `FORMAT ${rules.expression(format)}`,
        timeZone && `AT TIME ZONE ${rules.expression(timeZone)}`,
      );
      return `${expression.isSafe ? "SAFE_CAST" : "CAST"}(${content})`;
    }
    case "Extract": {
      const { part, operand, timeZone } = expression;
      const name = `${printWord(part.name)}${part.weekday === undefined ? "" : `(${printWord(part.weekday)})`}`;
      const zone = timeZone && `AT TIME ZONE ${rules.expression(timeZone)}`;
      return `EXTRACT(${joinParts(name, "FROM", rules.expression(operand), zone)})`;
    }
    case "Interval": {
      const value = rules.expression(expression.value, BASE_LEVEL.unary);
      return joinParts(
        "INTERVAL",
        value,
        printWord(expression.from.name),
        expression.to && `TO ${printWord(expression.to.name)}`,
      );
    }
    case "Lambda": {
      const parameters = expression.parameters.map(printIdentifier).join(", ");
      const isSingle = expression.parameters.length === 1;
      return `${isSingle ? parameters : `(${parameters})`} -> ${rules.expression(expression.body)}`;
    }
    case "WithExpression": {
      const variables = expression.variables.map(
        (item) => `${printIdentifier(item.name)} AS ${rules.expression(item.value)}`,
      );
      return `WITH(${[...variables, rules.expression(expression.body)].join(", ")})`;
    }
  }
}

function negation(expression: { readonly isNegated: boolean }): string {
  return expression.isNegated ? " NOT" : "";
}

function printUnary(rules: PrintRules, expression: Extract<Expression, { kind: "UnaryOperation" }>): string {
  const { operator } = expression;
  if (operator === "NOT") return `NOT ${rules.expression(expression.operand, BASE_LEVEL.not)}`;
  const operand = rules.expression(expression.operand, BASE_LEVEL.unary);
  // Two minus signs in a row would begin a comment.
  return operand.startsWith(operator) ? `${operator} ${operand}` : `${operator}${operand}`;
}

/** Chains are long on the left, so that side is walked in a loop. */
function printBinary(rules: PrintRules, expression: BinaryOperation): string {
  const chain = [expression];
  let { left } = expression;
  for (let level = binaryLevel(expression.operator); left.kind === "BinaryOperation"; ) {
    const inner = binaryLevel(left.operator);
    if (inner < level || inner === BASE_LEVEL.comparison) break;
    chain.push(left);
    level = inner;
    left = left.left;
  }
  let printed = "";
  for (const node of chain.reverse()) {
    const level = binaryLevel(node.operator);
    if (printed === "") printed = rules.expression(left, level === BASE_LEVEL.comparison ? OPERAND : level);
    printed += ` ${node.operator} ${rules.expression(node.right, level + 1)}`;
  }
  return printed;
}

function printPattern(rules: PrintRules, pattern: Like["pattern"]): string {
  if (pattern.kind === "Single") return rules.expression(pattern.expression, OPERAND);
  return `${pattern.quantifier} ${printSet(rules, pattern.set)}`;
}

function printSet(rules: PrintRules, set: RightHandSet): string {
  switch (set.kind) {
    case "List":
      return `(${printExpressions(rules, set.items)})`;
    case "UnnestSet":
      return `UNNEST(${rules.expression(set.array)})`;
    case "QuerySet":
      return `(${rules.query(set.query)})`;
  }
}
