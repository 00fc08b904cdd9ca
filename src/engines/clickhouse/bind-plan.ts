/** Computes a query's constants before anything is sent, by the values of the call. */
import type { RunRequest } from "../contract/query-engine.ts";
import { NOW_PARAMETER } from "../lowering/run-constants.ts";
import type { AskEmbedded, RunValues } from "./asked-constants.ts";
import type { ServerPlan } from "./compile-query.ts";
import type { ServerValue } from "./driver/parameter-form.ts";
import { toServerValue } from "./parameters.ts";

interface BoundPlan {
  readonly plan: ServerPlan;
  readonly constants: Readonly<Record<string, ServerValue>>;
}

/** The plan for the values of a call, and what was computed beforehand. */
export async function bindPlan(
  general: ServerPlan,
  { query, values }: Pick<RunRequest, "query" | "values">,
  nowUs: bigint,
  ask: AskEmbedded,
): Promise<BoundPlan> {
  const own = query.parameters.map(({ key }, index) => [key, values[index] ?? null] as const);
  const run: RunValues = new Map([...own, [NOW_PARAMETER, String(nowUs)]]);
  const decided = await general.choices()?.compute(run, ask);
  const plan = decided === undefined ? general : general.withChoices(decided);
  const { names, asked } = plan.constants;
  if (asked === undefined) return { plan, constants: {} };
  const found = await asked.compute(run, ask);
  // The server, or the embedded engine, is to find out for which row one fails.
  if (found === undefined) return { plan: plan.perRow(), constants: {} };
  const bound = asked.expressions.map(({ type }, index) => {
    return [names[index] ?? "", toServerValue(type, found[index] ?? null)] as const;
  });
  return { plan, constants: Object.fromEntries(bound) };
}
