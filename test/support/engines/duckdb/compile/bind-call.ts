/** A compiled query and its values as the engine host runs them, for tests that run statements themselves. */
import type { CompiledQuery, ParameterValue } from "../../../../../src/engines/contract/query-engine.ts";
import { type BoundQuery, bindQuery, perRowCall } from "../../../../../src/engines/duckdb/bind-query.ts";
import type { Connection } from "../../../../../src/engines/duckdb/driver/connection.ts";
import { ConstantsBinder } from "../../../../../src/engines/duckdb/host/query/constants.ts";

/** The statement and its values; constants are computed by statements that `all` runs. */
export async function bindCall(
  all: Connection["all"],
  query: CompiledQuery,
  values: readonly ParameterValue[],
): Promise<BoundQuery> {
  const bound = await new ConstantsBinder().bind(bindQuery(query, values), all);
  if (bound !== undefined) return bound;
  const perRow = perRowCall({ query, values });
  return bindQuery(perRow.query, perRow.values);
}
