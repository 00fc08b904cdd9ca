/** Computes the constants of runs before their statements; see `compile/run-constants.ts`. */
import { LRUCache } from "lru-cache";
import { arrayOf } from "../../../../googlesql/types.ts";
import type { EngineErrorCode, ParameterValue } from "../../../contract/query-engine.ts";
import { readCells } from "../../../values/parameter-value.ts";
import type { BoundQuery } from "../../bind-query.ts";
import type { BoundValue, Connection } from "../../driver/connection.ts";
import { toEngineError } from "../../driver/driver-error.ts";
import { physicalType, toDriverValue } from "../../driver/parameters.ts";
import { chunkOf, createRowEncoder } from "../../driver/rows.ts";
import type { BoundConstants } from "../../statement-plan.ts";

type Parameters = BoundQuery["parameters"];
type Statement = NonNullable<BoundConstants["statement"]>;
/** Null where one of them fails, or cannot be bound as it is. */
type Values = { readonly found: readonly ParameterValue[] | null };

/** Characters of values and constants that are cached at most. */
const MAX_CACHED_LENGTH = 4_000_000;
const LENGTH_PER_ENTRY = 200;

/** Errors of a constant: the query may not reach it. */
const FAILURES: ReadonlySet<EngineErrorCode> = new Set(["query_failed", "limit_exceeded", "internal"] as const);

/** The values as the driver binds them. */
export function bindParameters(parameters: Parameters): BoundValue[] {
  return parameters.map(({ type, value }) => ({ value: toDriverValue(type, value), type: physicalType(type) }));
}

function inArray({ type, value }: Parameters[number]): Parameters[number] {
  return { type: arrayOf(type), value: [value] };
}

/** Computes constants, and caches those that read no clock by what they are computed from. */
export class ConstantsBinder {
  readonly #known = new LRUCache<string, Values>({
    maxSize: MAX_CACHED_LENGTH,
    sizeCalculation: ({ found }, key) => key.length + JSON.stringify(found).length + LENGTH_PER_ENTRY,
  });

  /**
   * The query with the values of its statement in the place of those that were sent; undefined where a constant fails.
   * `ask` runs a statement.
   */
  async bind<Q extends BoundQuery>(query: Q, ask: Connection["all"]): Promise<Q | undefined> {
    const { parameters, plan } = query;
    if (plan?.constants === undefined) return query;
    const { places, statement } = plan.constants;
    const computed = statement === undefined ? [] : await this.#compute(statement, parameters, ask);
    if (computed === undefined) return undefined;
    const own = places.map((place) => (place < 0 ? computed[-1 - place] : parameters[place]));
    const bounds = parameters.slice(parameters.length - 2 * plan.idConditions.length);
    return { ...query, parameters: [...own.filter((each) => each !== undefined), ...bounds] };
  }

  async #compute(
    { sql, columns, values, limits, readsClock }: Statement,
    parameters: Parameters,
    ask: Connection["all"],
  ): Promise<Parameters | undefined> {
    const arrays = values.flatMap((at) => parameters[at] ?? []).map(inArray);
    const given = [...arrays, ...limits.flatMap((at) => parameters[at] ?? [])];
    const key = readsClock ? undefined : JSON.stringify([sql, given.map(({ value }) => value)]);
    const known = key === undefined ? undefined : this.#known.get(key);
    const { found } = known ?? (await askValues(sql, columns, bindParameters(given), ask));
    if (key !== undefined && known === undefined) this.#known.set(key, { found });
    return found === null ? undefined : columns.map(({ type }, index) => ({ type, value: found[index] ?? null }));
  }
}

async function askValues(
  sql: string,
  columns: Statement["columns"],
  values: readonly BoundValue[],
  ask: Connection["all"],
): Promise<Values> {
  try {
    const rows = await ask(sql, values);
    return { found: readCells(columns, createRowEncoder(columns, "cells")(chunkOf(rows), 0, 1)) ?? null };
  } catch (error) {
    if (!FAILURES.has(toEngineError(error).code)) throw error;
    return { found: null };
  }
}
