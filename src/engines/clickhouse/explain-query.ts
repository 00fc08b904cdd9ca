/** Explains which part of a query runs where. */
import type { CompiledQuery, ExplainedPart, RunRequest } from "../contract/query-engine.ts";
import { bindPlan } from "./bind-plan.ts";
import { planOf, type ServerPlan } from "./compile-query.ts";

/**
 * The statements of a query that `compileQuery` returned, and why parts of it do not run on the server: those of a call
 * with these values, or, without them, of any call. A query without parameters needs none.
 */
export function explainQuery(query: CompiledQuery, values?: RunRequest["values"]): readonly ExplainedPart[] {
  return describe(planFor(query, values ?? (query.parameters.length === 0 ? [] : undefined)));
}

function planFor(query: CompiledQuery, values: RunRequest["values"] | undefined): ServerPlan {
  const general = planOf(query);
  if (values === undefined) return general;
  return bindPlan(general, { query, values }, general.nowUs ?? BigInt(Date.now()) * 1000n).plan;
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
