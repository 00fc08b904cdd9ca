/**
 * How a field that carried several shapes (MIXED) becomes what a query asks of it, row by row. What a signature or
 * another value asks is a safe cast like that of other fields of log records; here is what needs more than that.
 */
import { functionFacts } from "../../catalogue/index.ts";
import type { Expr } from "../../resolved.ts";
import { arrayOf, BIGNUMERIC, BOOL, FLOAT64, INT64, MIXED, NUMERIC, type SqlType, STRING } from "../../types.ts";
import { isCastable } from "../../typing/explicit.ts";
import { isNumericType } from "../../typing/same-type.ts";
import { asMixed, castToString, commonTypeOf, isLenientExpr } from "../call/coerce.ts";
import type { Resolution } from "../resolution.ts";
import { call } from "./expr.ts";

/** The value as `type`, where it is that; NULL otherwise. */
export function castSafely(value: Expr, type: SqlType): Expr {
  return value.type.kind === type.kind
    ? value
    : { kind: "Cast", operand: value, type, isSafe: true, isImplicit: true, span: value.span };
}

/**
 * A call's arguments, where the function asks more of them than its signature says. `first` is the call's first
 * argument.
 */
export function argumentsOf<Value extends Expr | undefined>(
  resolution: Resolution,
  name: string,
  values: readonly Value[],
  first: Expr | undefined,
): (Expr | Value)[] {
  const isFormat = name === "FORMAT" && values.some((value) => value !== undefined && isLenientExpr(resolution, value));
  const letters = isFormat ? lettersOf(first) : [];
  return values.map((value, position) => {
    if (value === undefined) return value;
    if (position === 0) return firstArgument(resolution, name, value);
    return isFormat ? formatted(resolution, value, letters[position - 1]) : value;
  });
}

function firstArgument(resolution: Resolution, name: string, value: Expr): Expr {
  if (name === "ARRAY_AGG" && value.type.kind === "ARRAY") return asMixed(resolution, value) ?? value;
  if (value.type.kind !== "MIXED") return value;
  const { readsMixedAs } = functionFacts(name);
  if (readsMixedAs === "number") return castSafely(value, FLOAT64);
  return readsMixedAs === "json" ? call("$mixed_json", [value], STRING, value.span) : value;
}

const SPECIFIER = /%[-+ #0']*(\*|[1-9]\d*)?(?:\.(\*|-?\d*))?([A-Za-z%])/g;
const FORMATTED: readonly (readonly [letters: string, types: readonly SqlType[]])[] = [
  ["diuoxX", [INT64]],
  ["fFeEgG", [FLOAT64, NUMERIC, BIGNUMERIC]],
  ["s", [STRING]],
];

/** The letters of a format string's places, in order. */
function lettersOf(format: Expr | undefined): readonly string[] {
  if (format?.kind !== "Literal" || format.value === null) return [];
  return [...format.value.matchAll(SPECIFIER)].flatMap(([found, width, precision, letter = ""]) =>
    found === "%%" ? [] : [...(width === "*" ? ["d"] : []), ...(precision === "*" ? ["d"] : []), letter],
  );
}

/** A field of log records as what its place in the format string asks for. */
function formatted(resolution: Resolution, value: Expr, letter = ""): Expr {
  const [type, ...others] = FORMATTED.find(([known]) => letter !== "" && known.includes(letter))?.[1] ?? [];
  if (type === undefined || [type, ...others].some(({ kind }) => kind === value.type.kind)) return value;
  const mixed = value.type.kind === "MIXED" ? value : asMixed(resolution, value);
  return mixed === undefined ? value : castSafely(mixed, type);
}

/** The value as the list that it is; any other as a list of one. */
export function asList(value: Expr): Expr {
  const record = value.type.kind === "MIXED" ? value.type.record : undefined;
  return castSafely(value, arrayOf(record === undefined ? MIXED : { kind: "MIXED", record }));
}

/** The operands of a comparison with values of several shapes among them, each as what the others are. */
export function reconcileMixed(resolution: Resolution, operands: readonly Expr[]): readonly Expr[] {
  const others = operands.filter(
    ({ kind, type }) => type.kind !== "MIXED" && (type.kind !== "UNKNOWN" || kind === "Parameter"),
  );
  if (others.length === 0) return operands;
  const type = comparedAs(resolution, others);
  if (type === undefined) return operands.map((operand) => (isText(operand.type) ? castToString(operand) : operand));
  return operands.map((operand) => (operand.type.kind === "MIXED" ? castSafely(operand, type) : operand));
}

function isText(type: SqlType): boolean {
  return type.kind === "MIXED" || (type.kind !== "UNKNOWN" && isCastable(type, STRING));
}

/**
 * Returns the type in which the others compare with a value of several shapes; undefined if they have no type in
 * common.
 */
function comparedAs(resolution: Resolution, others: readonly Expr[]): SqlType | undefined {
  if (others.every(({ type }) => type.kind === "UNKNOWN")) return STRING;
  if (others.every(({ type }) => isNumericType(type))) {
    if (others.every(isBeyondDoubles)) return BIGNUMERIC;
    return others.every(({ type }) => type.kind === "INT64" || type.kind === "FLOAT64")
      ? FLOAT64
      : commonTypeOf(resolution, others);
  }
  if (others.every(({ type }) => type.kind === "BOOL")) return BOOL;
  const type = commonTypeOf(resolution, others);
  if (type?.kind === "ARRAY" || type?.kind === "RECORD") return MIXED;
  return type;
}

/** A whole number that a FLOAT64 may not distinguish from its neighbours. */
function isBeyondDoubles(expression: Expr): boolean {
  if (expression.kind !== "Literal" || expression.type.kind !== "INT64" || expression.value === null) return false;
  return !Number.isSafeInteger(Number(expression.value));
}
