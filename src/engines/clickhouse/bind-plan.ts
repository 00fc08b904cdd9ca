/** Computes a query's constants before anything is sent, by the values of the call. */
import { factsOf } from "../constants/run-facts.ts";
import type { RunRequest } from "../contract/query-engine.ts";
import { bindConstants, computeKnown } from "./compile/run-constants.ts";
import type { ServerPlan } from "./compile-query.ts";
import type { ServerValue } from "./driver/parameter-form.ts";

interface BoundPlan {
  readonly plan: ServerPlan;
  readonly constants: Readonly<Record<string, ServerValue>>;
}

/** The plan for the values of a call, and what was computed beforehand. */
export function bindPlan(general: ServerPlan, request: Pick<RunRequest, "query" | "values">, nowUs: bigint): BoundPlan {
  const facts = factsOf(request, nowUs);
  const choices = general.choices();
  const plan = choices.length === 0 ? general : general.withChoices(computeKnown(choices, facts));
  const statements = plan.kind === "whole" ? [plan.statement] : plan.remotes;
  const needed = statements.flatMap((statement) => statement.constants);
  const constants = needed.length === 0 ? {} : bindConstants(needed, facts);
  return constants === undefined ? { plan: plan.perRow(), constants: {} } : { plan, constants };
}
