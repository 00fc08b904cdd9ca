/**
 * Evaluates expressions that read no row, once here instead of for each row on the server. Operands are computed from
 * the left, and only those that the language's conditions select.
 */

import { functionFacts } from "../../googlesql/catalogue/index.ts";
import type { FunctionFacts } from "../../googlesql/catalogue/types.ts";
import { someExpression } from "../../googlesql/resolved/walk.ts";
import type { AnyExpr, CallExpr, CaseExpr, Expr, LetExpr } from "../../googlesql/resolved.ts";
import { castConstant, isCastComputed } from "./casts.ts";
import { plainFunctions } from "./functions.ts";
import { isInterval, movingFunctions, type Shift, shiftOf } from "./moves.ts";
import { convertTime, timeFunctions } from "./times.ts";
import { type ConstantValue, constantOf, isConstantType, LeftToEngine } from "./values.ts";

/** The values known to a run. */
export interface RunFacts {
  /** The value of a parameter. */
  valueOf(key: string | number): ConstantValue;
  readonly nowUs: bigint;
  /** Called for each text that names a time zone. Throws where too many do. */
  readonly nameZone: () => void;
}

const functions = { ...plainFunctions, ...timeFunctions };

/** Tells which expressions `computeConstant` can compute, wherever no zone but UTC counts. */
export class Computable {
  readonly #known = new WeakMap<Expr, boolean>();
  readonly #isUtc: boolean;

  constructor(timeZone: string) {
    this.#isUtc = timeZone === "UTC";
  }

  /** Does the expression read parameters, the clock and literals only, through functions that are known here? */
  has(expression: Expr): boolean {
    return this.#isUtc && this.#has(expression, new Set());
  }

  #has(expression: Expr, variables: ReadonlySet<number>): boolean {
    if (variables.size > 0) return this.#look(expression, variables);
    const known = this.#known.get(expression);
    if (known !== undefined) return known;
    const found = this.#look(expression, variables);
    this.#known.set(expression, found);
    return found;
  }

  #look(expression: Expr, variables: ReadonlySet<number>): boolean {
    const all = (each: readonly (Expr | undefined)[]) =>
      each.every((one) => one !== undefined && this.#has(one, variables));
    if (!isConstantType(expression.type)) return false;
    switch (expression.kind) {
      case "Literal":
      case "Parameter":
        return true;
      case "Variable":
        return variables.has(expression.column.id);
      case "Call":
        return this.#hasCall(expression, variables);
      case "Case":
        return all([...expression.branches.flatMap(({ when, then }) => [when, then]), ...optional(expression.else)]);
      case "Cast":
        return all([expression.operand]) && isCastComputed(expression);
      case "Let": {
        const inner = new Set(variables);
        for (const { column, expression: each } of expression.variables) {
          if (!this.#has(each, inner)) return false;
          inner.add(column.id);
        }
        return this.#has(expression.body, inner);
      }
      default:
        return false;
    }
  }

  #hasCall(call: CallExpr, variables: ReadonlySet<number>): boolean {
    const { function: name, arguments: operands } = call;
    const { laziness } = functionFacts(name);
    if (isClock(call)) return operands.length === 0;
    const move = movingFunctions[name];
    const interval = operands[1];
    if (move !== undefined && interval?.type.kind === "INTERVAL") {
      const [value] = operands;
      const isKnown = isInterval(interval, (amount) => this.#has(amount, variables));
      return value !== undefined && this.#has(value, variables) && isKnown && move.takes(call, interval);
    }
    const row = functions[name];
    if (laziness === undefined && row?.takes(call) !== true) return false;
    const values = operands.filter((operand) => operand?.kind !== "DatePart");
    return values.every((operand) => operand !== undefined && this.#has(operand, variables));
  }
}

const isClock = (at: AnyExpr): boolean => at.kind === "Call" && functionFacts(at.function).volatility === "run";

/** Does the value depend on the run, by a parameter or the clock? */
export function readsRun(expression: Expr): boolean {
  return someExpression(expression, (at) => at.kind === "Parameter" || isClock(at), false);
}

/** Does the value depend on the clock? */
export function readsClock(expression: Expr): boolean {
  return someExpression(expression, isClock, false);
}

/** Keys of the parameters that the value depends on. */
export function parametersOf(expression: Expr): ReadonlySet<string | number> {
  const keys = new Set<string | number>();
  const note = (at: AnyExpr) => {
    if (at.kind === "Parameter") keys.add(at.key);
    return false;
  };
  someExpression(expression, note, false);
  return keys;
}

function optional<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

type Variables = ReadonlyMap<number, ConstantValue>;

/** The value of what `Computable` has. Throws an `Error` where the language has one, of whatever words. */
export function computeConstant(expression: Expr, facts: RunFacts): ConstantValue {
  return compute(expression, facts, new Map());
}

function compute(expression: Expr, facts: RunFacts, variables: Variables): ConstantValue {
  switch (expression.kind) {
    case "Literal":
      return constantOf(expression.type, expression.value);
    case "Parameter":
      return facts.valueOf(expression.key);
    case "Variable":
      return variables.get(expression.column.id) ?? null;
    case "Call":
      return computeCall(expression, facts, variables);
    case "Case":
      return computeCase(expression, facts, variables);
    case "Cast":
      return castConstant(expression, compute(expression.operand, facts, variables), facts.nameZone);
    case "Let":
      return computeLet(expression, facts, variables);
    default:
      throw new Error(`No constant is a ${expression.kind}`);
  }
}

function computeLet(expression: LetExpr, facts: RunFacts, variables: Variables): ConstantValue {
  const inner = new Map(variables);
  for (const { column, expression: each } of expression.variables) inner.set(column.id, compute(each, facts, inner));
  return compute(expression.body, facts, inner);
}

function computeCase(expression: CaseExpr, facts: RunFacts, variables: Variables): ConstantValue {
  const taken = expression.branches.find(({ when }) => compute(when, facts, variables) === true);
  const result = taken === undefined ? expression.else : taken.then;
  return result === undefined ? null : compute(result, facts, variables);
}

function computeCall(call: CallExpr, facts: RunFacts, variables: Variables): ConstantValue {
  const operands = call.arguments.filter((each) => each !== undefined);
  const value = (each: Expr | undefined) => (each === undefined ? null : compute(each, facts, variables));
  if (isClock(call)) return call.type.kind === "DATE" ? convertTime(facts.nowUs, "DATE") : facts.nowUs;
  const { laziness } = functionFacts(call.function);
  if (laziness !== undefined) return computeLazily(laziness, operands, value);
  const move = movingFunctions[call.function];
  const [first, interval] = operands;
  if (move !== undefined && first !== undefined && interval?.type.kind === "INTERVAL") {
    const shift: Shift | null = shiftOf(interval, value);
    const moved = value(first);
    if (shift === null || moved === null) return null;
    return unlessSafe(call, () => move.move(moved, shift, call.type));
  }
  const row = functions[call.function];
  if (row === undefined) throw new Error(`No constant is made by ${call.function}`);
  const values = operands.filter(({ kind }) => kind !== "DatePart").map(value);
  if (row.acceptsNull !== true && values.includes(null)) return null;
  return unlessSafe(call, () => row.call(values, call));
}

function unlessSafe({ isSafe }: CallExpr, call: () => ConstantValue): ConstantValue {
  try {
    return call();
  } catch (error) {
    if (isSafe && !(error instanceof LeftToEngine)) return null;
    throw error;
  }
}

function computeLazily(
  laziness: NonNullable<FunctionFacts["laziness"]>,
  operands: readonly Expr[],
  value: (each: Expr | undefined) => ConstantValue,
): ConstantValue {
  switch (laziness) {
    case "choice":
      return value(operands[0]) === true ? value(operands[1]) : value(operands[2]);
    case "fallback":
      for (const operand of operands) {
        const found = value(operand);
        if (found !== null) return found;
      }
      return null;
    case "conjunction":
    case "disjunction": {
      const decisive = laziness === "disjunction";
      let isUnknown = false;
      for (const operand of operands) {
        const found = value(operand);
        if (found === decisive) return decisive;
        isUnknown ||= found === null;
      }
      return isUnknown ? null : !decisive;
    }
  }
}
