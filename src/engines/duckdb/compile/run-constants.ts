/**
 * Computes the values that conditions compare rows with before the run: `timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(),
 * INTERVAL @n HOUR)`. DuckDB skips row groups by a value that it knows when it plans the statement, but not by an
 * expression that is guarded against failure, which it computes for each row. So values that are the same for every row
 * are bound like parameters.
 */

import { createMapping } from "../../../googlesql/resolved/map.ts";
import { isSubquery } from "../../../googlesql/resolved/walk.ts";
import type { Expr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { Computable, readsClock, readsRun } from "../../constants/evaluate.ts";
import { NO_FACTS, tryConstant } from "../../constants/run-facts.ts";
import { literalFor } from "../../constants/values.ts";

/** Placeholders by the keys of parameters. */
export type PlaceholderMap = Map<string | number, { readonly index: number; readonly type: SqlType }>;

const COMPUTED: ReadonlySet<Expr["kind"]> = new Set(["Call", "Case", "Cast", "Let"] as const);

/** The constants found in one statement. */
export class RunConstants {
  readonly #parameters: PlaceholderMap;
  readonly #computable: Computable;
  /** Which expressions stand for them. */
  readonly #bound = new Map<Expr, Expr>();
  readonly #byIndex = new Map<number, Expr>();

  #nextIndex: number;
  #clockIndex: number | undefined;

  /** Constants become further parameters, with placeholders from `firstIndex` on. */
  constructor(parameters: PlaceholderMap, firstIndex: number, timeZone: string) {
    this.#parameters = parameters;
    this.#nextIndex = firstIndex;
    this.#computable = new Computable(timeZone);
  }

  /** The condition with a literal or a parameter in the place of each constant. */
  bindIn(condition: Expr): Expr {
    // The scans of a sub-query are printed, and their conditions bound, by themselves.
    const expression = (at: Expr) => (isSubquery(at) ? at : this.#bind(at));
    return createMapping({ expression }).expression(condition);
  }

  /** The constant behind a placeholder. */
  at(index: number): Expr | undefined {
    return this.#byIndex.get(index);
  }

  /** The placeholder of the clock, where a constant reads it: all that reads the clock has to read one instant. */
  get clockIndex(): number | undefined {
    const clock = [...this.#byIndex.values()].find(readsClock);
    if (clock === undefined || this.#clockIndex !== undefined) return this.#clockIndex;
    const { span } = clock;
    const now: Expr = {
      kind: "Call",
      function: "CURRENT_TIMESTAMP",
      arguments: [],
      isSafe: false,
      type: { kind: "TIMESTAMP" },
      span,
    };
    this.#clockIndex = this.#add(now).index;
    return this.#clockIndex;
  }

  #bind(expression: Expr): Expr | undefined {
    const known = this.#bound.get(expression);
    if (known !== undefined) return known;
    const bound = this.#make(expression);
    if (bound !== undefined) this.#bound.set(expression, bound);
    return bound;
  }

  #make(expression: Expr): Expr | undefined {
    const { kind, type, span } = expression;
    // A choice between conditions is the engine's: it is decided when the statement is planned.
    if (!COMPUTED.has(kind) || type.kind === "BOOL" || !this.#computable.has(expression)) return undefined;
    if (!readsRun(expression)) {
      const value = tryConstant(expression, NO_FACTS);
      return value === undefined ? undefined : literalFor(expression, value);
    }
    return { kind: "Parameter", key: this.#add(expression).key, type, span };
  }

  #add(constant: Expr): { readonly key: number; readonly index: number } {
    const index = this.#nextIndex++;
    // Parameters have names, of any characters, or positions from 1 on.
    const key = -index;
    this.#parameters.set(key, { index, type: constant.type });
    this.#byIndex.set(index, constant);
    return { key, index };
  }
}
