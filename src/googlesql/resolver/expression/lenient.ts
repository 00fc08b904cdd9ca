/**
 * How a field of a log record meets a value of another type. Its type is what events happened to carry, so that
 * comparing it must never fail and should do what the text means. See the decision page "Types and lenient fields".
 */
import { isDecimalNumber } from "../../../values/number-text.ts";
import type { Expr } from "../../resolved.ts";
import { FLOAT64, INT64, type SqlType, STRING } from "../../types.ts";
import { coercionCost } from "../../typing/argument.ts";
import { isCastable } from "../../typing/explicit.ts";
import { implicitCost } from "../../typing/implicit.ts";
import { isNumericType } from "../../typing/same-type.ts";
import { castToString, isLenientExpr } from "../call/coerce.ts";
import { isErrorExpr, type Resolution } from "../resolution.ts";
import { reconcileMixed } from "./mixed.ts";

/** The operands of a comparison, made comparable where one of them is a leaf of a log record; others are left alone. */
export function reconcile(resolution: Resolution, operands: readonly Expr[]): readonly Expr[] {
  if (!operands.some((operand) => isLenientExpr(resolution, operand)) || operands.some(isErrorExpr)) return operands;
  if (operands.some(({ type }) => type.kind === "MIXED")) return reconcileMixed(resolution, operands);
  const leaves = operands.filter((operand) => isLenientExpr(resolution, operand) && operand.type.kind !== "UNKNOWN");
  const [leaf] = leaves;
  // What no event has carried may be of any shape.
  if (leaf === undefined) return reconcileMixed(resolution, operands);
  const others = operands.filter((operand) => !isLenientExpr(resolution, operand) && operand.type.kind !== "UNKNOWN");
  if (operands.every((operand) => goesWith(operand, leaf.type))) return operands;
  if (others.length === 0)
    return leaves.every(
      (other) => implicitCost(other.type, leaf.type) !== undefined || implicitCost(leaf.type, other.type) !== undefined,
    )
      ? operands
      : operands.map(castToString);
  if (leaf.type.kind === "STRING" || !isScalar(leaf.type)) return operands;
  if (!others.every((other) => other.type.kind === "STRING")) return operands;
  if (others.every((other) => other.kind === "Parameter" || readsAs(other, leaf.type) !== undefined)) {
    return operands.map((operand) =>
      others.includes(operand) ? (readsAs(operand, leaf.type) ?? safeCast(operand, leaf.type)) : operand,
    );
  }
  return operands.map(castToString);
}

/** Converts the value sought in an array of a log record to the type of the array's elements; safely, if it is none. */
export function reconcileNeedle(resolution: Resolution, needle: Expr, array: Expr): Expr {
  if (
    needle.type.kind === "MIXED" ||
    array.type.kind !== "ARRAY" ||
    !isLenientExpr(resolution, array) ||
    isErrorExpr(needle)
  )
    return needle;
  const { element } = array.type;
  if (element.kind === "MIXED") return needle;
  if (needle.type.kind === "UNKNOWN" || element.kind === "UNKNOWN" || goesWith(needle, element)) return needle;
  if (!isScalar(element) || !isScalar(needle.type) || !isCastable(needle.type, element)) return needle;
  return { kind: "Cast", operand: needle, type: element, isSafe: true, isImplicit: true, span: needle.span };
}

function goesWith(operand: Expr, type: SqlType): boolean {
  return coercionCost({ type: operand.type, expression: operand, isLenient: false }, type) !== undefined;
}

function isScalar(type: SqlType): boolean {
  return type.kind !== "ARRAY" && type.kind !== "STRUCT" && type.kind !== "RECORD" && type.kind !== "JSON";
}

/** A string literal that spells a value of the leaf's type, as that value. */
function readsAs(expression: Expr, type: SqlType): Expr | undefined {
  if (expression.kind !== "Literal" || expression.value === null) return undefined;
  const text = expression.value.trim();
  if (isNumericType(type)) {
    if (/^[+-]?\d{1,18}$/.test(text))
      return { ...expression, type: INT64, value: BigInt(text.replace("+", "")).toString() };
    if (isDecimalNumber(text)) return { ...expression, type: FLOAT64, value: String(Number(text)) };
    return undefined;
  }
  if (type.kind === "BOOL" && /^(true|false)$/i.test(text)) return { ...expression, type, value: text.toLowerCase() };
  return undefined;
}

function safeCast(operand: Expr, type: SqlType): Expr {
  if (operand.type.kind === type.kind) return operand;
  return {
    kind: "Cast",
    operand,
    type: operand.type.kind === STRING.kind ? type : STRING,
    isSafe: true,
    isImplicit: true,
    span: operand.span,
  };
}
