/** The compiler's plan for the runs of a query, beside its SQL. */
import type { CompiledQuery } from "../contract/query-engine.ts";
import type { StatementPlan } from "./statement-plan.ts";

export interface QueryPlan {
  /** For the engine host; absent if that need not know anything. */
  readonly statement?: StatementPlan;
  /** Set where the statement has placeholders of constants. */
  readonly constants?: ConstantsPlan;
}

export interface ConstantsPlan {
  /** The instant that all runs have for now, in microseconds since 1970; the clock's unless set. */
  readonly nowUs?: bigint;
  /**
   * The same query with nothing computed beforehand, for values with which that fails: then it depends on the rows
   * whether the query does.
   */
  readonly perRow: CompiledQuery | (() => CompiledQuery);
}

/** The query with a plan that holds data only, and may be sent to another thread. */
export function toPortable(query: CompiledQuery): CompiledQuery {
  const plan = planOf(query);
  return plan.constants === undefined
    ? query
    : { ...query, plan: { ...plan, constants: { ...plan.constants, perRow: perRowOf(plan.constants) } } };
}

/** The query of `ConstantsPlan.perRow`. */
export function perRowOf({ perRow }: ConstantsPlan): CompiledQuery {
  return typeof perRow === "function" ? perRow() : perRow;
}

/** The plan that the compiler made. */
export function planOf({ plan }: Pick<CompiledQuery, "plan">): QueryPlan {
  return plan ?? {};
}
