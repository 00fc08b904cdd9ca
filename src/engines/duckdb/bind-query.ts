/** A query with the values of a call: what the engine host is sent. */
import type { Expr } from "../../googlesql/resolved.ts";
import { INT64, TIMESTAMP } from "../../googlesql/types.ts";
import { factsOf, tryConstant } from "../constants/run-facts.ts";
import { valueTextOf } from "../constants/values.ts";
import { type CompiledQuery, EngineError, type ParameterValue, type QueryLimits } from "../contract/query-engine.ts";
import { MAX_ARRAY_ELEMENTS, MAX_STRING_BYTES } from "./compile/limits.ts";
import type { HostQuery } from "./host/protocol.ts";
import { type ConstantsPlan, perRowOf, planOf } from "./query-plan.ts";
import { FIRST_US, LAST_US } from "./statement-plan.ts";

const generatedSizes = { maxArrayElements: MAX_ARRAY_ELEMENTS, maxStringBytes: MAX_STRING_BYTES };

type Bound = Pick<HostQuery, "sql" | "parameters" | "columns" | "plan">;

/**
 * The statement, and the values of the query's parameters, of what is computed from them, of the limits that stand in
 * it, and of the bounds of its conditions on ids.
 */
export function bindQuery(
  query: CompiledQuery,
  values: readonly ParameterValue[],
  limits: Partial<QueryLimits> = {},
): Bound {
  if (values.length !== query.parameters.length) {
    throw new EngineError("internal", `The query has ${query.parameters.length} parameters, not ${values.length}`);
  }
  const { statement, constants } = planOf(query);
  const given = query.parameters.map(({ type }, index) => ({ type, value: values[index] ?? null }));
  const computed = constants && bindConstants(query, values, constants, given);
  if (constants !== undefined && computed === undefined) return bindPerRow(query, values, perRowOf(constants), limits);
  const sizes = (query.limits ?? []).map((limit) => {
    return { type: INT64, value: String(limits[limit] ?? generatedSizes[limit]) };
  });
  // All times, unless the engine host knows better.
  const bounds = (statement?.idConditions ?? []).flatMap(() =>
    [FIRST_US, LAST_US].map((us) => ({ type: TIMESTAMP, value: String(us) })),
  );
  return {
    sql: query.sql,
    parameters: [...(computed ?? given), ...sizes, ...bounds],
    columns: query.columns,
    ...(statement === undefined ? {} : { plan: statement }),
  };
}

/** Undefined where a constant has no value. */
function bindConstants(
  query: CompiledQuery,
  values: readonly ParameterValue[],
  { places, nowUs }: ConstantsPlan,
  given: HostQuery["parameters"],
): HostQuery["parameters"] | undefined {
  const facts = factsOf({ query, values }, nowUs ?? BigInt(Date.now()) * 1_000n);
  const bind = (place: number | Expr) => {
    if (typeof place === "number") return given[place];
    const value = tryConstant(place, facts);
    return value === undefined ? undefined : { type: place.type, value: valueTextOf(place.type, value) };
  };
  const bound = places.map(bind).filter((each) => each !== undefined);
  return bound.length === places.length ? bound : undefined;
}

function bindPerRow(
  query: CompiledQuery,
  values: readonly ParameterValue[],
  perRow: CompiledQuery,
  limits: Partial<QueryLimits>,
): Bound {
  const byKey = new Map(query.parameters.map(({ key }, index) => [key, values[index] ?? null]));
  return bindQuery(
    perRow,
    perRow.parameters.map(({ key }) => byKey.get(key) ?? null),
    limits,
  );
}
