/** Explains which part of a query runs where. */
import type { CompiledQuery, ExplainedPart, RunRequest } from "../contract/query-engine.ts";
import type { AskEmbedded } from "./asked-constants.ts";
import { bindPlan } from "./bind-plan.ts";
import { planOf, type ServerPlan } from "./compile-query.ts";

/**
 * The statements of a query that `compileQuery` returned, and why parts of it do not run on the server: those of a call
 * with these values, or, without them, of any call. A query without parameters needs none. `ask` computes constants.
 */
export async function explainQuery(
  ask: AskEmbedded,
  query: CompiledQuery,
  values: RunRequest["values"] | undefined = query.parameters.length === 0 ? [] : undefined,
): Promise<readonly ExplainedPart[]> {
  const general = planOf(query);
  if (values === undefined) return describe(general);
  const nowUs = general.nowUs ?? BigInt(Date.now()) * 1000n;
  return describe((await bindPlan(general, { query, values }, nowUs, ask)).plan);
}

function describe(plan: ServerPlan): readonly ExplainedPart[] {
  if (plan.kind === "whole") return [{ runsOn: "clickhouse", sql: plan.statement.sql }];
  const [first, ...others] = plan.reasons;
  return [
    ...plan.remotes.map(({ sql }) => ({ runsOn: "clickhouse", sql })),
    { runsOn: "duckdb", sql: plan.residual.sql, ...first },
    ...others.map((reason) => ({ runsOn: "duckdb", ...reason })),
  ];
}
