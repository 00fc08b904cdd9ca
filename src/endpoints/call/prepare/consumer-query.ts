import type { Budget } from "../../../shared/budget.ts";
import { invalidParameter, ServiceError } from "../../../shared/errors.ts";
import type { QueryTarget } from "../../definition/query-target.ts";
import type { ConsumerQuery } from "../plan/plan.ts";

/**
 * The query that a call sends along; undefined where it has none. Throws `sql_and_lql`, `sandbox_disabled` and
 * `query_too_long`.
 */
export function readConsumerQuery(
  { definition }: QueryTarget,
  parameters: ReadonlyMap<string, unknown>,
  redactsPii: boolean,
  budget: Budget,
  dialect?: "clickhouse",
): ConsumerQuery | undefined {
  const sql = readQueryText(parameters, "sql");
  const lql = readQueryText(parameters, "lql");
  if (sql !== undefined && lql !== undefined) {
    throw new ServiceError("sql_and_lql", "A call has sql or lql, not both", { parameter: "lql" });
  }
  const parameter = sql === undefined ? "lql" : "sql";
  const text = sql ?? lql;
  if (text === undefined) return undefined;
  if (!definition.isSandboxed) {
    const message = `The endpoint ${definition.name} takes no query of the caller's`;
    throw new ServiceError("sandbox_disabled", message, { parameter });
  }
  refuseLongQuery(parameter, text, budget);
  const { max_query_depth: maxDepth } = budget;
  return {
    language: sql === undefined ? "lql" : (dialect ?? "sql"),
    text,
    ...(redactsPii ? { redactsPii } : {}),
    ...(maxDepth === undefined ? {} : { maxDepth }),
  };
}

/** Throws `query_too_long` for a text that is longer than the budget allows. */
export function refuseLongQuery(parameter: string, text: string, { max_query_characters: maximum }: Budget): void {
  if (maximum === undefined || text.length <= maximum) return;
  const message = `The query is longer than max_query_characters, ${maximum}`;
  throw new ServiceError("query_too_long", message, { parameter, limit: "max_query_characters" });
}

/** An empty or blank text counts as none, and runs the endpoint's own query. */
function readQueryText(parameters: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const value = parameters.get(name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalidParameter(name, `The parameter ${name} must be text`);
  return value.trim() === "" ? undefined : value;
}
