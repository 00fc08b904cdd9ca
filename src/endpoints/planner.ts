import { LRUCache } from "lru-cache";
import { type CompileDependencies, type CompiledEndpoint, compileConsumer, compileOwn } from "./compile-endpoint.ts";
import type { Endpoint } from "./definition.ts";
import { type EndpointLookup, noEndpoints } from "./endpoint-tables.ts";
import type { Planner } from "./run-endpoint.ts";

/** What plans are made with. */
export interface PlannerDependencies extends Omit<CompileDependencies, "endpoints"> {
  /** Those that queries may read as tables; none unless given. */
  readonly endpoints?: EndpointLookup;
  /** The clock of LQL's shorthands, in milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** Characters of SQL that are kept at most, before and after compiling. */
const maxKeptCharacters = 32_000_000;

/** Plans are kept as long as the tables they read have not got new fields, and the endpoints they read are the same. */
export function createPlanner({ nowMs, ...given }: PlannerDependencies): Planner {
  const dependencies: CompileDependencies = { endpoints: noEndpoints, ...given };
  const plans = new LRUCache<string, CompiledEndpoint>({
    maxSize: maxKeptCharacters,
    sizeCalculation: (plan, key) => key.length + plan.query.sql.length + 1_000,
  });
  // Ids and versions are what an owner says; an endpoint is itself only.
  const numbers = new WeakMap<Endpoint, number>();
  let count = 0;
  const numberOf = (endpoint: Endpoint): number => {
    const number = numbers.get(endpoint) ?? ++count;
    numbers.set(endpoint, number);
    return number;
  };
  return {
    plan(endpoint, consumer, rowLimit, place) {
      const { language, text, redactsPii, maxDepth } = consumer ?? {};
      const key = JSON.stringify([numberOf(endpoint), rowLimit ?? 0, language, text, redactsPii, maxDepth, place]);
      const kept = plans.get(key);
      if (kept !== undefined && isCurrent(kept, dependencies)) return kept.query;
      const plan =
        consumer === undefined
          ? compileOwn(dependencies, endpoint, rowLimit, place)
          : compileConsumer({ ...dependencies, nowMs: nowMs() }, endpoint, consumer, place);
      // What LQL's shorthands mean changes with the clock.
      if (consumer?.language === "lql") return plan.query;
      const lasting = { ...plan, query: { ...plan.query, isCurrent: () => isCurrent(plan, dependencies) } };
      plans.set(key, lasting);
      return lasting.query;
    },
  };
}

function isCurrent({ found }: CompiledEndpoint, { tables, endpoints }: CompileDependencies): boolean {
  for (const [name, definition] of found.sources) if (tables.findTable(name) !== definition) return false;
  for (const [name, endpoint] of found.endpoints) if (endpoints.findByName(name) !== endpoint) return false;
  return true;
}
