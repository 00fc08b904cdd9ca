/**
 * How an expression, not only its type, goes with another type: literals, NULL, parameters and the constructors made of
 * them take on types that a column would not. Source: the "Conversion rules" page of the GoogleSQL reference.
 */
import type { Expr } from "../resolved.ts";
import type { SqlType } from "../types.ts";
import { FLOAT64, STRING, UNKNOWN } from "../types.ts";
import { isCastable } from "./explicit.ts";
import { implicitCost, supertype } from "./implicit.ts";
import { isNumericType, isSameType } from "./same-type.ts";

/** A value to be matched; `expression` is absent for the elements of an array that is no constructor. */
export interface Operand {
  readonly type: SqlType;
  readonly expression?: Expr;
  /** A leaf of a log record: it is cast safely where another type is wanted. */
  readonly isLenient: boolean;
}

/** The cost of a coercion; smaller in an earlier member is better. */
export interface CoercionCost {
  readonly isLenient: boolean;
  readonly isLiteral: boolean;
  readonly distance: number;
}

/** No coercion at all. */
export const FREE: CoercionCost = { isLenient: false, isLiteral: true, distance: 0 };
const DATED: readonly string[] = ["DATE", "DATETIME", "TIME", "TIMESTAMP"];
const LITERALS: readonly string[] = ["INT64", "FLOAT64", "STRING", "BYTES", "BOOL", "UNKNOWN"];

/** Is it a literal, a NULL, or made of them only? */
function isLiteralLike(expression: Expr | undefined): boolean {
  switch (expression?.kind) {
    case "Literal":
      return expression.isTyped !== true && LITERALS.includes(expression.type.kind);
    case "MakeArray":
      return expression.elements.every(isLiteralLike);
    case "MakeStruct":
      return expression.fields.every(isLiteralLike);
    default:
      return expression?.type.kind === "UNKNOWN";
  }
}

/** Undefined when the value cannot become the type on its own. */
export function coercionCost(operand: Operand, to: SqlType): CoercionCost | undefined {
  const { type, expression } = operand;
  if (isSameType(type, to)) return FREE;
  if (type.kind === "UNKNOWN") return to.kind === "INT64" ? FREE : { ...FREE, distance: 1 };
  const isLiteral = isLiteralLike(expression);
  const distance = implicitCost(type, to);
  if (distance !== undefined) return { isLenient: false, isLiteral, distance };
  if (isLiteral && expression?.kind === "Literal") {
    if (type.kind === "STRING" && DATED.includes(to.kind)) return { isLenient: false, isLiteral, distance: 2 };
    if (type.kind === "STRING" && to.kind === "RANGE") return { isLenient: false, isLiteral, distance: 3 };
    if (type.kind === "FLOAT64" && (to.kind === "NUMERIC" || to.kind === "BIGNUMERIC"))
      return { isLenient: false, isLiteral, distance: 2 };
  }
  if (expression?.kind === "Parameter" && type.kind === "STRING" && DATED.includes(to.kind))
    return { isLenient: false, isLiteral: true, distance: 2 };
  if (expression?.kind === "MakeArray" && to.kind === "ARRAY") return worst(expression.elements, () => to.element);
  if (expression?.kind === "MakeStruct" && to.kind === "STRUCT" && expression.fields.length === to.fields.length) {
    return worst(expression.fields, (i) => to.fields[i]?.type ?? UNKNOWN);
  }
  // The nearest types to those of several shapes are those that lose nothing of numbers and of texts.
  if (type.kind === "MIXED" && isCastable(type, to))
    return { isLenient: true, isLiteral: false, distance: to.kind === "FLOAT64" || to.kind === "STRING" ? 10 : 20 };
  if (isCastable(type, to) && (isMixed(type) || (operand.isLenient && to.kind !== "RECORD" && to.kind !== "ARRAY")))
    return { isLenient: true, isLiteral: false, distance: 10 };
  return undefined;
}

function worst(expressions: readonly Expr[], target: (i: number) => SqlType): CoercionCost | undefined {
  let isLiteral = true;
  let distance = 1;
  for (const [i, expression] of expressions.entries()) {
    const cost = coercionCost({ type: expression.type, expression, isLenient: false }, target(i));
    if (cost === undefined) return undefined;
    isLiteral &&= cost.isLiteral;
    distance += cost.distance;
  }
  return { isLenient: false, isLiteral, distance };
}

/**
 * The one type that all operands take: that of the columns, which literals follow where they can; else the supertype of
 * all. Log record leaves follow what is compared with them. Undefined when there is none.
 */
export function commonType(operands: readonly Operand[]): SqlType | undefined {
  const first = operands[0]?.type;
  if (first !== undefined && isScalar(first) && operands.every(({ type }) => type.kind === first.kind)) return first;
  const known = operands.filter((operand) => operand.type.kind !== "UNKNOWN");
  if (known.length === 0) return operands[0]?.type ?? UNKNOWN;
  const firm = known.filter((operand) => !isFlexible(operand));
  if (firm.length > 0 && firm.length < known.length) {
    const target = reduceTypes(firm);
    if (target !== undefined && known.every((operand) => coercionCost(operand, target) !== undefined)) {
      return namedLike(target, known[0]?.type);
    }
  }
  const all = reduceTypes(known);
  if (all !== undefined) return all;
  const strict = known.filter((operand) => !isLenient(operand));
  if (strict.length === known.length) return undefined;
  if (strict.length === 0) return STRING;
  const target = commonType(strict);
  return target !== undefined && known.every((operand) => coercionCost(operand, target) !== undefined)
    ? target
    : undefined;
}

function isLenient({ isLenient, type }: Operand): boolean {
  return isLenient || isMixed(type);
}

/** Values of several shapes, or an array of them: they are lenient wherever they come from. */
export function isMixed(type: SqlType): boolean {
  return type.kind === "MIXED" || (type.kind === "ARRAY" && type.element.kind === "MIXED");
}

/** A type of one value, all of whose values are of that type itself. */
export function isScalar({ kind }: SqlType): boolean {
  return kind !== "ARRAY" && kind !== "STRUCT" && kind !== "RECORD" && kind !== "RANGE" && kind !== "MIXED";
}

/** A STRUCT has the field names of the first operand, whichever gave it its types. */
function namedLike(type: SqlType, first: SqlType | undefined): SqlType {
  if (type.kind !== "STRUCT" || first?.kind !== "STRUCT" || first.fields.length !== type.fields.length) return type;
  const fields = type.fields.map((field, i) => {
    const name = first.fields[i]?.name ?? field.name;
    const inner = namedLike(field.type, first.fields[i]?.type);
    return { ...field, type: inner, ...(name === undefined ? {} : { name }) };
  });
  return { kind: "STRUCT", fields };
}

/** As {@link commonType}, for numbers only: a lenient leaf of another type counts as FLOAT64. */
export function commonNumericType(operands: readonly Operand[]): SqlType | undefined {
  const numeric = operands.map((operand) =>
    isLenient(operand) &&
    !isNumericType(operand.type) &&
    isCastable(operand.type, FLOAT64) &&
    operand.type.kind !== "UNKNOWN"
      ? { type: FLOAT64, isLenient: false }
      : operand,
  );
  const type = commonType(numeric);
  return type !== undefined && (isNumericType(type) || type.kind === "UNKNOWN") ? type : undefined;
}

function isFlexible(operand: Operand): boolean {
  return (
    isLiteralLike(operand.expression) || (operand.expression?.kind === "Parameter" && operand.type.kind === "STRING")
  );
}

function reduceTypes(operands: readonly Operand[]): SqlType | undefined {
  let result: SqlType | undefined = operands[0]?.type;
  for (const operand of operands) {
    if (result === undefined) return undefined;
    result = supertype(result, operand.type);
  }
  return result;
}
