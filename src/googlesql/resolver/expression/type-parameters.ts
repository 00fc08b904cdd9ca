import type { Literal, TypeSyntax } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Expr } from "../../resolved.ts";
import { BOOL, INT64, type SqlType, STRING, type StructType } from "../../types.ts";
import { isErrorExpr, nullExpr, type Resolution } from "../resolution.ts";
import { call } from "./expr.ts";
import { literal } from "./literal.ts";

/** A cast, or a constructor with its type. */
interface Typed {
  readonly type: TypeSyntax;
  readonly isSafe: boolean;
  readonly span: Span;
}

/**
 * `STRING(10)`, `BYTES(10)`, `NUMERIC(10, 2)`, also within ARRAY and STRUCT: a value that is too long or too large is
 * an error, NULL with SAFE_CAST; decimals are rounded.
 */
export function applyTypeParameters(resolution: Resolution, value: Expr, node: Typed): Expr {
  return constrain(resolution, value, node.type, node);
}

function constrain(resolution: Resolution, value: Expr, type: TypeSyntax, node: Typed): Expr {
  if (isErrorExpr(value) || !hasParameters(type)) return value;
  if (type.kind === "ArrayTypeSyntax" && value.type.kind === "ARRAY")
    return constrainElements(resolution, value, value.type.element, type.element, node);
  if (type.kind === "StructTypeSyntax" && value.type.kind === "STRUCT")
    return constrainFields(resolution, value, value.type, type, node);
  if (type.kind !== "NamedType")
    return resolution.fail("unsupported", "Type parameters inside RANGE are not supported", type.span);
  const numbers = type.parameters.map(parameterValue);
  const name = value.type.kind;
  const invalid = (): Expr =>
    resolution.fail("invalid_query", `${name} does not support these type parameters`, type.span);
  const [first, second] = numbers;
  if (name === "STRING" || name === "BYTES") {
    if (first === "MAX" && numbers.length === 1) return value;
    if (typeof first !== "number" || first < 1 || numbers.length !== 1) return invalid();
    const length = (variable: Expr): Expr =>
      call(name === "STRING" ? "CHAR_LENGTH" : "BYTE_LENGTH", [variable], INT64, type.span);
    const message = `${name}(${first}) has maximum length ${first} but got a longer value`;
    return checked(resolution, value, node, message, (variable) =>
      call("$greater", [length(variable), literal(INT64, String(first), type.span)], BOOL, type.span),
    );
  }
  if (name === "NUMERIC" || name === "BIGNUMERIC") {
    const [maxScale, maxWhole] = name === "NUMERIC" ? [9, 29] : [38, 38];
    const scale = second ?? 0;
    if (typeof first !== "number" || typeof scale !== "number" || numbers.length > 2) return invalid();
    if (scale < 0 || scale > maxScale || first < Math.max(1, scale) || first - scale > maxWhole) return invalid();
    const limit = literal(value.type, `1${"0".repeat(first - scale)}`, type.span);
    const rounded = call("ROUND", [value, literal(INT64, String(scale), type.span)], value.type, node.span);
    const message = `A value does not fit ${name}(${first}, ${scale})`;
    if (first - scale === maxWhole) return rounded;
    return checked(resolution, rounded, node, message, (variable) =>
      call("$greater_or_equal", [call("ABS", [variable], value.type, type.span), limit], BOOL, type.span),
    );
  }
  return invalid();
}

function constrainElements(
  resolution: Resolution,
  value: Expr,
  element: SqlType,
  syntax: TypeSyntax,
  node: Typed,
): Expr {
  const { span } = node;
  const column = resolution.newColumn("element", element);
  const body = constrain(resolution, { kind: "Variable", type: element, column, span }, syntax, node);
  if (isErrorExpr(body)) return body;
  const lambda: Expr = { kind: "Lambda", type: element, parameters: [column], body, span };
  return call("$array_transform", [value, lambda], value.type, span);
}

function constrainFields(
  resolution: Resolution,
  value: Expr,
  struct: StructType,
  syntax: TypeSyntax & { readonly kind: "StructTypeSyntax" },
  node: Typed,
): Expr {
  const { span } = node;
  const column = resolution.newColumn("struct", struct);
  const variable: Expr = { kind: "Variable", type: struct, column, span };
  const fields = struct.fields.map(({ type }, index): Expr => {
    const field: Expr = { kind: "Field", base: variable, index, type, span };
    const fieldSyntax = syntax.fields[index]?.type;
    return fieldSyntax === undefined ? field : constrain(resolution, field, fieldSyntax, node);
  });
  const failed = fields.find(isErrorExpr);
  if (failed !== undefined) return failed;
  const made: Expr = { kind: "MakeStruct", type: struct, fields, span };
  // biome-ignore lint/suspicious/noThenProperty: a branch of CASE is never awaited
  const branches = [{ when: call("$is_null", [variable], BOOL, span), then: nullExpr(span, struct) }];
  const body: Expr = { kind: "Case", type: struct, branches, else: made, span };
  return { kind: "Let", type: struct, variables: [{ column, expression: value }], body, span };
}

function checked(
  resolution: Resolution,
  value: Expr,
  node: Typed,
  message: string,
  isTooLarge: (variable: Expr) => Expr,
): Expr {
  const { span } = node;
  const column = resolution.newColumn("value", value.type);
  const variable: Expr = { kind: "Variable", type: value.type, column, span };
  const refused = node.isSafe ? nullExpr(span, value.type) : fail(message, value, span);
  // biome-ignore lint/suspicious/noThenProperty: a branch of CASE is never awaited
  const branches = [{ when: isTooLarge(variable), then: refused }];
  const body: Expr = { kind: "Case", type: value.type, branches, else: variable, span };
  return { kind: "Let", type: value.type, variables: [{ column, expression: value }], body, span };
}

function fail(message: string, value: Expr, span: Span): Expr {
  return call("ERROR", [literal(STRING, message, span)], value.type, span);
}

function parameterValue(node: Literal): number | "MAX" | undefined {
  if (node.kind === "MaxLiteral") return "MAX";
  return node.kind === "IntLiteral" ? Number(node.text) : undefined;
}

function hasParameters(type: TypeSyntax): boolean {
  switch (type.kind) {
    case "NamedType":
      return type.parameters.length > 0;
    case "ArrayTypeSyntax":
    case "RangeTypeSyntax":
      return hasParameters(type.element);
    case "StructTypeSyntax":
      return type.fields.some((field) => hasParameters(field.type));
  }
}
