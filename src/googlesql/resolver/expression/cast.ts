import type { CastExpression } from "../../ast.ts";
import type { Expr } from "../../resolved.ts";
import { formatType, type SqlType, STRING } from "../../types.ts";
import { isCastable, isFormatCastable } from "../../typing/explicit.ts";
import { isSameType } from "../../typing/same-type.ts";
import { asMixed, coerce, coerceOrFail, convertLiteral, typeName, writtenValue } from "../call/coerce.ts";
import { type ExprContext, resolveExpression } from "../context.ts";
import { errorExpr, isErrorExpr, isErrorType, type Resolution } from "../resolution.ts";
import { applyTypeParameters } from "./type-parameters.ts";
import { resolveType } from "./type-syntax.ts";

/** CAST, SAFE_CAST and `::`. */
export function resolveCast(context: ExprContext, node: CastExpression): Expr {
  return applyTypeParameters(context.resolution, castValue(context, node), node);
}

function castValue(context: ExprContext, node: CastExpression): Expr {
  const { resolution } = context;
  const value = resolveExpression(context, node.operand);
  const type = resolveType(resolution, node.type);
  const operand = isCastable(value.type, type) ? value : (asMixed(resolution, value) ?? value);
  const format = node.format === undefined ? undefined : resolveExpression(context, node.format);
  const timeZone = node.timeZone === undefined ? undefined : resolveExpression(context, node.timeZone);
  if (isErrorExpr(operand) || isErrorType(type) || (format !== undefined && isErrorExpr(format)))
    return errorExpr(node.span);
  if (operand.type.kind === "UNKNOWN") {
    const typed = coerce(resolution, { ...operand, span: node.span }, type) ?? errorExpr(node.span);
    return typed.kind === "Literal" && typed.value === null ? { ...typed, isTyped: true } : typed;
  }
  if (!isCastable(operand.type, type) && !isCoercible(resolution, operand, type)) {
    return resolution.fail(
      "type_mismatch",
      `Invalid cast from ${typeName(operand.type)} to ${formatType(type)}`,
      node.span,
    );
  }
  if (format === undefined) {
    if (timeZone !== undefined && isErrorExpr(timeZone)) return timeZone;
    if (node.isSafe && operand.kind === "MakeStruct")
      return { ...castSafely(resolution, operand, type), span: node.span };
    const folded = foldLiteral(resolution, operand, type, node.isSafe);
    if (folded !== undefined) return { ...folded, span: node.span };
    const inner =
      (operand.kind === "MakeArray" || operand.kind === "MakeStruct") && !holdsFloats(operand)
        ? (coerce(resolution, operand, type) ?? operand)
        : operand;
    if (inner !== operand) return { ...inner, span: node.span };
    return {
      kind: "Cast",
      operand,
      type,
      isSafe: node.isSafe,
      isImplicit: false,
      format: undefined,
      timeZone,
      span: node.span,
    };
  }
  if (!isFormatCastable(operand.type, type)) {
    return resolution.fail(
      "type_mismatch",
      `FORMAT is not allowed for cast from ${typeName(operand.type)} to ${formatType(type)}`,
      node.span,
    );
  }
  return {
    kind: "Cast",
    operand,
    type,
    isSafe: node.isSafe,
    isImplicit: false,
    format: coerceOrFail(resolution, format, STRING, "FORMAT"),
    ...(timeZone === undefined ? {} : { timeZone: coerceOrFail(resolution, timeZone, STRING, "AT TIME ZONE") }),
    span: node.span,
  };
}

/** A struct that the query makes is cast field by field: one that has no value of its type is NULL, not the struct. */
function castSafely(resolution: Resolution, operand: Expr, type: SqlType): Expr {
  const { span } = operand;
  if (operand.kind === "MakeStruct" && type.kind === "STRUCT" && operand.fields.length === type.fields.length) {
    const fields = operand.fields.map((field, i) => castSafely(resolution, field, type.fields[i]?.type ?? field.type));
    return { ...operand, type, fields };
  }
  if (operand.type.kind === "UNKNOWN") return coerce(resolution, operand, type) ?? errorExpr(span);
  if (isSameType(operand.type, type)) return operand;
  const folded = foldLiteral(resolution, operand, type, true);
  if (folded !== undefined) return folded;
  const value = isCastable(operand.type, type) ? operand : (asMixed(resolution, operand) ?? operand);
  return {
    kind: "Cast",
    operand: value,
    type,
    isSafe: true,
    isImplicit: false,
    format: undefined,
    timeZone: undefined,
    span,
  };
}

function isCoercible(resolution: Resolution, operand: Expr, type: SqlType): boolean {
  return (
    (operand.kind === "MakeArray" || operand.kind === "MakeStruct") && coerce(resolution, operand, type) !== undefined
  );
}

/** Elements and fields of a constructor that is cast are converted from their values, not from what the query has. */
function holdsFloats(expression: Expr): boolean {
  if (expression.kind === "MakeArray") return expression.elements.some(holdsFloats);
  if (expression.kind === "MakeStruct") return expression.fields.some(holdsFloats);
  return expression.kind === "Literal" && expression.type.kind === "FLOAT64" && expression.value !== null;
}

/**
 * A string literal cast to a date or time is that literal: engines can then prune with it. A FLOAT64 literal cast to a
 * decimal has the digits that the query has.
 */
function foldLiteral(resolution: Resolution, operand: Expr, type: SqlType, isSafe: boolean): Expr | undefined {
  if (operand.kind !== "Literal" || operand.value === null || isSameType(operand.type, type)) return undefined;
  if (operand.type.kind !== "STRING" && operand.type.kind !== "FLOAT64") return undefined;
  const { digits: _, ...rest } = operand;
  const written = writtenValue(operand, type);
  const value = convertLiteral(resolution, written, operand.type, type);
  if (value === undefined) return undefined;
  if (value !== "invalid") return { ...rest, type, value };
  // A double that is written beyond the range may round into it.
  if (operand.type.kind === "FLOAT64") return undefined;
  if (isSafe) return { ...rest, type, value: null, isTyped: true };
  return resolution.fail(
    "invalid_query",
    `Could not cast literal ${JSON.stringify(written)} to type ${formatType(type)}`,
    operand.span,
  );
}
