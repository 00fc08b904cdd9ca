/**
 * Expressions that are the same for every row of a run. Where the server would compute one for each row, under guards
 * or not at all, it is computed here and bound as a parameter: then the server finds rows by it as by any value.
 */
import type { Expr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { type RunFacts, readsRun } from "../../constants/evaluate.ts";
import { NO_FACTS, tryConstant } from "../../constants/run-facts.ts";
import { type ConstantValue, isConstantType, literalFor } from "../../constants/values.ts";
import type { ServerValue } from "../driver/parameter-form.ts";
import { floatText } from "../parameters.ts";
import { placeholder } from "../sql/atoms.ts";
import type { Sql } from "../sql/sql.ts";
import type { Compilation, RunConstant } from "./compilation.ts";
import { physicalType, printLiteral, refusedType } from "./expression/literals.ts";

/**
 * An expression that is a constant of the run and would be a burden to the server; undefined for any other.
 * `print` prints the expression as it stands.
 */
export function printRunConstant(
  compilation: Compilation,
  expression: Expr,
  print: (trial: Compilation) => Sql,
): Sql | undefined {
  const { constants } = compilation;
  if (constants === undefined || isPlain(expression) || !constants.has(expression)) return undefined;
  const trial: Compilation = { ...compilation, constants: undefined };
  const computed = print(trial);
  if (!computed.canFail && !computed.isRefused) {
    compilation.aliasCount = trial.aliasCount;
    return computed;
  }
  if (!readsRun(expression)) return tryLiteral(expression) ?? printFailing(compilation, trial, print);
  const { type } = expression;
  return refusedType(type) ?? placeholder(constants.placeholderOf(expression), physicalType(type));
}

function printFailing(compilation: Compilation, trial: Compilation, print: (trial: Compilation) => Sql): Sql {
  const delaying = { ...trial, delaysFailures: true };
  const printed = print(delaying);
  compilation.aliasCount = delaying.aliasCount;
  return printed;
}

function isPlain({ kind, type }: Expr): boolean {
  return kind === "Literal" || kind === "Parameter" || !isConstantType(type);
}

/** Undefined where it fails, which the server must find out at the first row, and not before there is one. */
function tryLiteral(expression: Expr): Sql | undefined {
  const value = tryConstant(expression, NO_FACTS);
  const literal = value === undefined ? undefined : literalFor(expression, value);
  return literal?.kind === "Literal" ? printLiteral(literal.type, literal.value) : undefined;
}

/** As a parameter of the server has it. */
function toServerConstant(value: ConstantValue, type: SqlType): ServerValue {
  return typeof value === "number" && type.kind === "FLOAT64" ? floatText(value) : value;
}

/** Undefined where one has no value: then the server, or the embedded engine, is to find out for which row. */
export function bindConstants(
  constants: readonly RunConstant[],
  facts: RunFacts,
): Readonly<Record<string, ServerValue>> | undefined {
  const bound: Record<string, ServerValue> = {};
  for (const { name, expression } of constants) {
    const value = tryConstant(expression, facts);
    if (value === undefined) return undefined;
    bound[name] = toServerConstant(value, expression.type);
  }
  return bound;
}

/** The values of the constants that have one. */
export function computeKnown(constants: readonly Expr[], facts: RunFacts): ReadonlyMap<Expr, ConstantValue> {
  const values = new Map<Expr, ConstantValue>();
  for (const constant of constants) {
    const value = tryConstant(constant, facts);
    if (value !== undefined) values.set(constant, value);
  }
  return values;
}
