/**
 * Arithmetic on FLOAT64. GoogleSQL fails where finite operands give an infinity; DuckDB answers it. The check is left
 * out where it cannot strike: beside literals that only shrink a value, and between integers.
 */

import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import { constant, signSql } from "../../sql/atoms.ts";
import { raiseText } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext } from "../types.ts";

export type FloatOperator = "+" | "-" | "*" | "/";

/** The value that the expression has whatever the row, when it is a literal. */
function literalOf(expression: Expr | undefined): number | undefined {
  const literal = expression?.kind === "Cast" ? expression.operand : expression;
  if (literal?.kind !== "Literal" || literal.value === null) return undefined;
  return literal.type.kind === "FLOAT64" || literal.type.kind === "INT64" ? Number(literal.value) : undefined;
}

/** True for an INT64 taken for a FLOAT64: far from the ends of the range. */
function isInteger(expression: Expr | undefined): boolean {
  return expression?.kind === "Cast" && expression.operand.type.kind === "INT64";
}

/** Half a unit in the last place of the largest double: adding less does not reach beyond it. */
const NEGLIGIBLE = 2 ** 969;

function canOverflow(operator: FloatOperator, left: Expr | undefined, right: Expr | undefined): boolean {
  if (isInteger(left) && isInteger(right)) return false;
  const factors = [literalOf(left), literalOf(right)];
  switch (operator) {
    case "+":
    case "-":
      return !factors.some((value) => value !== undefined && Math.abs(value) < NEGLIGIBLE);
    case "*":
      return !factors.some((value) => value !== undefined && Math.abs(value) <= 1);
    case "/":
      return !(factors[1] !== undefined && Math.abs(factors[1]) >= 1);
  }
}

/**
 * Prints `left operator right`. Division by zero fails. DuckDB's optimizer takes expressions that differ in the sign of
 * a zero for the same, so that of a literal stands before the zero.
 */
export function printFloatArithmetic(operator: FloatOperator, context: CallContext<CallExpr>): Sql {
  const [left = EMPTY, right = EMPTY] = context.args;
  const negative = context.call.arguments.findIndex((each) => Object.is(literalOf(each), -0));
  if (negative < 0) return printChecked(operator, context);
  const value = negative === 0 ? right : left;
  if (operator === "+") return sql`(${value} - ${ZERO})`;
  if (operator === "-") return negative === 0 ? sql`(-${value} - ${ZERO})` : sql`(${value} + ${ZERO})`;
  return sql`(-${printChecked(operator, { ...context, args: context.args.with(negative, ZERO) })})`;
}

const ZERO = constant`CAST('0' AS DOUBLE)`;

function printChecked(operator: FloatOperator, context: CallContext<CallExpr>): Sql {
  const [left = EMPTY, right = EMPTY] = context.args;
  const [leftExpression, rightExpression] = context.call.arguments;
  const divisor = operator === "/" ? literalOf(rightExpression) : 1;
  const mayBeZero = divisor === undefined || divisor === 0;
  const overflows = canOverflow(operator, leftExpression, rightExpression);
  if (!mayBeZero && !overflows) return sql`(${left} ${signSql(operator)} ${right})`;
  return computeOnce([left, right], "arithmetic", (l = EMPTY, r = EMPTY) => {
    const result = sql`${l} ${signSql(operator)} ${r}`;
    const zero = mayBeZero ? sql`WHEN ${r} = 0 AND ${l} IS NOT NULL THEN ${raiseText("division by zero")} ` : EMPTY;
    const overflow = overflows
      ? sql`WHEN isinf(${result}) AND isfinite(${l}) AND isfinite(${r}) THEN ${raiseText("FLOAT64 overflow")} `
      : EMPTY;
    return sql`CASE ${zero}${overflow}ELSE ${result} END`;
  });
}
