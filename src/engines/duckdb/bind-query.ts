/** A query with the values of a call: what the engine host is sent. */
import { INT64, TIMESTAMP } from "../../googlesql/types.ts";
import { type CompiledQuery, EngineError, type ParameterValue, type QueryLimits } from "../contract/query-engine.ts";
import { MAX_ARRAY_ELEMENTS, MAX_STRING_BYTES } from "./compile/limits.ts";
import type { HostQuery } from "./host/protocol.ts";
import { perRowOf, planOf } from "./query-plan.ts";
import { FIRST_US, LAST_US } from "./statement-plan.ts";

const generatedSizes = { maxArrayElements: MAX_ARRAY_ELEMENTS, maxStringBytes: MAX_STRING_BYTES };

/** The part of a request to the engine host that comes from the query and its values. */
export type BoundQuery = Pick<HostQuery, "sql" | "parameters" | "columns" | "plan">;

/**
 * The statement, and the values of the query's parameters, of the clock where constants of the run read it, of the
 * limits that stand in it, and of the bounds of its conditions on ids.
 */
export function bindQuery(
  query: CompiledQuery,
  values: readonly ParameterValue[],
  limits: Partial<QueryLimits> = {},
): BoundQuery {
  if (values.length !== query.parameters.length) {
    throw new EngineError("internal", `The query has ${query.parameters.length} parameters, not ${values.length}`);
  }
  const { statement, constants } = planOf(query);
  const given = query.parameters.map(({ type }, index) => ({ type, value: values[index] ?? null }));
  const nowUs = constants === undefined ? [] : [constants.nowUs ?? BigInt(Date.now()) * 1_000n];
  const clock = nowUs.map((us) => ({ type: TIMESTAMP, value: String(us) }));
  const sizes = (query.limits ?? []).map((limit) => {
    return { type: INT64, value: String(limits[limit] ?? generatedSizes[limit]) };
  });
  // All times, unless the engine host knows better.
  const bounds = (statement?.idConditions ?? []).flatMap(() =>
    [FIRST_US, LAST_US].map((us) => ({ type: TIMESTAMP, value: String(us) })),
  );
  return {
    sql: query.sql,
    parameters: [...given, ...clock, ...sizes, ...bounds],
    columns: query.columns,
    ...(statement === undefined ? {} : { plan: statement }),
  };
}

/**
 * The call of a query in which nothing is computed before the run: for values with which that fails, so that it depends
 * on the rows whether the query does.
 */
export function perRowCall<T extends { readonly query: CompiledQuery; readonly values: readonly ParameterValue[] }>(
  call: T,
): T {
  const { constants } = planOf(call.query);
  if (constants === undefined) return call;
  const query = perRowOf(constants);
  const byKey = new Map(call.query.parameters.map(({ key }, index) => [key, call.values[index] ?? null]));
  return { ...call, query, values: query.parameters.map(({ key }) => byKey.get(key) ?? null) };
}
