import type { SourceTables } from "../../sources/source-tables.ts";
import { type ResolvedEndpoint, resolveOwn } from "../call/plan/compile-query.ts";
import { type EndpointLookup, effectiveParameters, type FoundTables } from "../call/plan/endpoint-tables.ts";
import type { QueryTarget } from "../definition/query-target.ts";
import { findComparedParameters } from "./compared-parameters.ts";
import { findGuards } from "./find-guards.ts";
import { type PlaceGuards, placeGuards } from "./place-guards.ts";

/** The facts about tenants in a target's query, independent of any events. */
export interface Tenancy {
  /** The guards of its own query. */
  readonly guards: PlaceGuards;
  /** The guards of the tables that callers' queries read. */
  readonly exposedGuards: PlaceGuards;
  /**
   * Parameters that say whose rows a call reads, as callers write them: the one of the header, else those that the
   * query compares with a tenant's field and those of the headers of endpoints that it reads. A token that pins one
   * of them reads no other rows; a token that pins others reads nothing of a source with tenants.
   */
  readonly parameters: readonly string[];
  /**
   * The only one of them, in lower case, where no header names it: every call that has a value for it reads that
   * tenant's rows, in each scan that the query itself does not confine.
   */
  readonly inferredParameter: string | undefined;
}

/**
 * Knows the tenancy of targets; one is found once, and again when a declaration or an endpoint that it reads has
 * changed.
 */
export interface TenancyFinder {
  /** Throws `GoogleSqlError` for a query that does not resolve. */
  of(target: QueryTarget): Tenancy;
}

interface FoundTenancy {
  readonly tenancy: Tenancy;
  readonly found: FoundTables;
}

export function createTenancyFinder(dependencies: {
  readonly tables: SourceTables;
  readonly endpoints: EndpointLookup;
}): TenancyFinder {
  const { tables, endpoints } = dependencies;
  const known = new WeakMap<QueryTarget, FoundTenancy>();
  const isCurrent = ({ found }: FoundTenancy): boolean => {
    for (const { name, definition } of found.sources) if (tables.findTable(name, null) !== definition) return false;
    for (const [name, endpoint] of found.endpoints) if (endpoints.findByName(name) !== endpoint) return false;
    return true;
  };
  return {
    of(target) {
      const before = known.get(target);
      if (before !== undefined && isCurrent(before)) return before.tenancy;
      const resolved = resolveOwn(dependencies, target, { access: { kind: "declared" } });
      const next = { tenancy: findTenancy(target, resolved), found: resolved.found };
      known.set(target, next);
      return next.tenancy;
    },
  };
}

/** The tenancy of a target whose query was resolved over what the sources declare. */
export function findTenancy(target: QueryTarget, { query, found }: ResolvedEndpoint): Tenancy {
  const tables = (target.savedQuery.with?.entries ?? []).map((entry) => entry.name.name.toLowerCase());
  const guards = placeGuards(findGuards(query.scan));
  const exposedGuards = placeGuards(findGuards(query.scan, new Set(tables)));
  const read = [...found.endpoints.values()].flatMap((each) => each ?? []);
  const declared = target.definition.tenantParameter?.toLowerCase();
  const guarding = guards.rules.flatMap((rule) => (rule.kind === "parameter" ? rule.name : []));
  const compared = new Set([...guarding, ...findComparedParameters(query.scan)]);
  const inherited = read.flatMap(({ definition }) => definition.tenantParameter?.toLowerCase() ?? []);
  const own = declared === undefined ? [...compared, ...inherited] : [declared];
  const wanted = new Set([...own, ...(target.tenantParameters ?? []).map((name) => name.toLowerCase())]);
  const parameters = effectiveParameters(target, read)
    .filter(({ name, type }) => type === "string" && wanted.has(name.toLowerCase()))
    .map(({ name }) => name);
  const [only, ...others] = parameters.map((name) => name.toLowerCase());
  const isInferred = only !== undefined && others.length === 0 && declared === undefined && compared.has(only);
  const inferredParameter = isInferred ? only : undefined;
  return { guards, exposedGuards, parameters, inferredParameter };
}
