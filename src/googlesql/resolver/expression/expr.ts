/** Builders of resolved expressions. */
import type { Span } from "../../diagnostic.ts";
import type { CallExpr, Column, ColumnExpr, Expr, LiteralExpr } from "../../resolved.ts";
import { BOOL, type SqlType, type StructField } from "../../types.ts";

export function columnExpr(column: Column, span: Span): ColumnExpr {
  return { kind: "Column", type: column.type, column, span };
}

export function call(name: string, callArguments: readonly (Expr | undefined)[], type: SqlType, span: Span): CallExpr {
  return { kind: "Call", function: name, arguments: callArguments, type, isSafe: false, span };
}

/** TRUE, FALSE or NULL. */
export function truth(value: boolean | null, span: Span): LiteralExpr {
  return { kind: "Literal", type: BOOL, value: value === null ? null : String(value), span };
}

export function negateIf(isNegated: boolean, expression: Expr, span: Span): Expr {
  return isNegated ? call("$not", [expression], BOOL, span) : expression;
}

/** A struct of named or anonymous values; `isLenient`: those that come of fields of log records. */
export function makeStruct(
  fields: readonly { readonly name?: string | undefined; readonly value: Expr }[],
  span: Span,
  isLenient: (value: Expr) => boolean,
): Expr {
  const types = fields.map(({ name, value }): StructField => {
    const field = name === undefined ? { type: value.type } : { name, type: value.type };
    return isLenient(value) ? { ...field, isLenient: true } : field;
  });
  return {
    kind: "MakeStruct",
    type: { kind: "STRUCT", fields: types },
    fields: fields.map((field) => field.value),
    span,
  };
}

/** Does the expression give the same value for every row, without reading any column? */
export function isConstant(expression: Expr): boolean {
  switch (expression.kind) {
    case "Literal":
    case "Parameter":
      return true;
    case "Cast":
      return isConstant(expression.operand);
    case "MakeArray":
      return expression.elements.every(isConstant);
    case "MakeStruct":
      return expression.fields.every(isConstant);
    default:
      return false;
  }
}
