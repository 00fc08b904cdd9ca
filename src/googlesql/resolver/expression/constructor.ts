import type { ArrayConstructor, Expression, StructConstructor, TypeSyntax, WithExpression } from "../../ast.ts";
import type { ComputedColumn, Expr } from "../../resolved.ts";
import { UNKNOWN } from "../../types.ts";
import { arrayOfValues } from "../../typing/implicit.ts";
import { asMixed, coerce, coerceOrFail, columnOf, commonTypeOf, isLenientExpr, typeName } from "../call/coerce.ts";
import { type ExprContext, inScope, resolveExpression } from "../context.ts";
import { errorExpr, isErrorExpr, isErrorType } from "../resolution.ts";
import { scopeWith } from "../scope.ts";
import { makeStruct } from "./expr.ts";
import { applyTypeParameters } from "./type-parameters.ts";
import { resolveType } from "./type-syntax.ts";

/** The name that an expression gives a column or field when no alias does: that of the last identifier of a path. */
export function inferredName(node: Expression): string | undefined {
  if (node.kind === "Identifier") return node.name;
  if (node.kind === "FieldAccess") return node.field.name;
  return undefined;
}

export function resolveArrayConstructor(context: ExprContext, node: ArrayConstructor): Expr {
  const { resolution } = context;
  const { span } = node;
  const declared = node.elementType === undefined ? undefined : resolveType(resolution, node.elementType);
  const elements = node.elements.map((element) => {
    const value = resolveExpression(context, element);
    return value.type.kind === "ARRAY" ? (asMixed(resolution, value) ?? value) : value;
  });
  if (elements.some(isErrorExpr) || (declared !== undefined && isErrorType(declared))) return errorExpr(span);
  const element = declared ?? (elements.length === 0 ? UNKNOWN : commonTypeOf(resolution, elements));
  if (element === undefined) {
    const types = [...new Set(elements.map((item) => typeName(item.type)))].join(", ");
    return resolution.fail("type_mismatch", `Array elements of types {${types}} do not have a common supertype`, span);
  }
  if (element.kind === "ARRAY")
    return resolution.fail(
      "type_mismatch",
      "Cannot construct array with element type ARRAY because nested arrays are not supported",
      span,
    );
  const typed = elements.map((item) =>
    declared === undefined
      ? (coerce(resolution, item, element) ?? item)
      : coerceOrFail(resolution, item, element, "An array element"),
  );
  const sized = node.elementType === undefined ? typed : typed.map((item) => sizedBy(context, item, node.elementType));
  if (sized.some(isErrorExpr)) return errorExpr(span);
  return { kind: "MakeArray", type: arrayOfValues(element), elements: sized, span };
}

export function resolveStructConstructor(context: ExprContext, node: StructConstructor): Expr {
  const { resolution } = context;
  const { span } = node;
  const values = node.fields.map((field) => resolveExpression(context, field.expression));
  if (node.type === undefined) {
    if (values.some(isErrorExpr)) return errorExpr(span);
    const isTuple = resolution.text[span.start] === "(";
    const named = node.fields.map((field, i) => ({
      name: isTuple ? undefined : (field.alias?.name ?? inferredName(field.expression)),
      value: values[i] ?? errorExpr(span),
    }));
    return makeStruct(named, span, (value) => isLenientExpr(resolution, value));
  }
  const type = resolveType(resolution, node.type);
  if (isErrorType(type) || values.some(isErrorExpr)) return errorExpr(span);
  if (type.kind !== "STRUCT")
    return resolution.fail("type_mismatch", "A STRUCT constructor needs a STRUCT type", node.type.span);
  if (type.fields.length !== values.length) {
    return resolution.fail(
      "type_mismatch",
      `STRUCT type has ${type.fields.length} fields but constructor call has ${values.length} fields`,
      span,
    );
  }
  const aliased = node.fields.find((field) => field.alias !== undefined);
  if (aliased !== undefined)
    return resolution.fail(
      "invalid_query",
      "STRUCT constructors cannot specify both an explicit type and field names with AS",
      aliased.span,
    );
  const fields = values.map((value, i) =>
    coerceOrFail(resolution, value, type.fields[i]?.type ?? UNKNOWN, "A field of the STRUCT"),
  );
  if (fields.some(isErrorExpr)) return errorExpr(span);
  return sizedBy(context, { kind: "MakeStruct", type, fields, span }, node.type);
}

/** The value as the parameters of its declared type want it, such as rounded for NUMERIC(5, 1). */
function sizedBy({ resolution }: ExprContext, value: Expr, type: TypeSyntax | undefined): Expr {
  if (type === undefined || isErrorExpr(value)) return value;
  return applyTypeParameters(resolution, value, { type, isSafe: false, span: value.span });
}

/** `WITH(a AS x, b AS a + 1, a * b)`. */
export function resolveWithExpression(context: ExprContext, node: WithExpression): Expr {
  const { resolution } = context;
  const variables: ComputedColumn[] = [];
  let { scope } = context;
  for (const { name, value } of node.variables) {
    const expression = resolveExpression(inScope(context, scope), value);
    const column = columnOf(resolution, name.name, expression);
    variables.push({ column, expression });
    scope = scopeWith(scope, [
      { name: name.name, expression: { kind: "Variable", type: column.type, column, span: name.span } },
    ]);
  }
  const body = resolveExpression(inScope(context, scope), node.body);
  if (isErrorExpr(body) || variables.some((variable) => isErrorExpr(variable.expression))) return errorExpr(node.span);
  return { kind: "Let", type: body.type, variables, body, span: node.span };
}
