import { LRUCache } from "lru-cache";
import type { TableDefinition } from "../../googlesql/relation.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Endpoint } from "../definition/definition.ts";
import { createTenancyFinder } from "../tenants/tenancy.ts";
import { boundParameter, type ReadParameter } from "../tenants/tenant-rule.ts";
import { type CallAccess, type Scope, tenantOf } from "../tenants/tenant-tables.ts";
import {
  type CompileDependencies,
  type CompiledEndpoint,
  compileConsumer,
  compileOwn,
  type Place,
} from "./compile-endpoint.ts";
import { type EndpointLookup, noEndpoints } from "./endpoint-tables.ts";
import type { PlannedQuery, TenantRead } from "./planned-query.ts";
import type { CallTenants, ConsumerQuery, Planner } from "./run-endpoint.ts";

/** What plans are made with. */
export interface PlannerDependencies extends Omit<CompileDependencies, "endpoints"> {
  /** Those that queries may read as tables; none unless given. */
  readonly endpoints?: EndpointLookup;
  /** The clock of LQL's shorthands, in milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** Characters of SQL that are kept at most, before and after compiling. */
const maxKeptCharacters = 32_000_000;
/** Calls of which it is kept what they look up; a lookup takes some hundred bytes. */
const maxKeptLookups = 20_000;

/** What the plan of a call depends on besides its text, in an order of its own. */
interface Lookups {
  readonly sources: readonly { readonly name: string; readonly scope: Scope }[];
  readonly endpoints: readonly string[];
}

/** The same for one call. */
interface CallLookups extends Pick<Lookups, "endpoints"> {
  readonly sources: readonly { readonly name: string; readonly tenant: string | null | undefined }[];
}

function lookUpFor({ sources, endpoints }: Lookups, readValue: ReadParameter): CallLookups {
  return { endpoints, sources: sources.map(({ name, scope }) => ({ name, tenant: tenantOf(scope, readValue) })) };
}

/** A plan, and the tables of the sources that it reads. */
interface KeptPlan {
  readonly query: PlannedQuery;
  /** Held so that they stay the same objects for as long as the plan is kept. */
  readonly tables: readonly (TableDefinition | undefined)[];
  readonly reads: readonly { readonly source: string; readonly scope: Scope }[];
}

/**
 * Keeps plans by the tables that they were made of: as long as these are the same objects, calls share a plan, of however many tenants. A
 * source's table, whole or as one tenant sees it, is another object once it has got new fields.
 */
export function createPlanner({ nowMs, ...given }: PlannerDependencies): Planner {
  const dependencies: CompileDependencies = { endpoints: noEndpoints, ...given };
  const { tables, endpoints } = dependencies;
  const tenancies = createTenancyFinder(dependencies);
  const plans = new LRUCache<string, KeptPlan>({
    maxSize: maxKeptCharacters,
    sizeCalculation: (plan, key) => key.length + plan.query.sql.length + 1_000,
  });
  const lookups = new LRUCache<string, Lookups>({
    max: maxKeptLookups,
    maxSize: maxKeptCharacters,
    sizeCalculation: (_, key) => key.length + 1_000,
  });
  const numberOf = createNumbers();

  /** What the lookups answer now, as a text. */
  const describe = ({ sources, endpoints: names }: CallLookups): string => {
    let text = "";
    for (const { name, tenant } of sources) text += `${numberOf(tables.findTable(name, tenant))},`;
    for (const name of names) text += `${numberOf(endpoints.findByName(name))},`;
    return text;
  };
  /** Made here, since it is kept with answers: a function holds on to all that the functions beside it read. */
  const createCheck = (asked: CallLookups, seen: string) => () => describe(asked) === seen;

  const compile = (endpoint: Endpoint, asked: Asked, access: CallAccess): CompiledEndpoint => {
    const { consumer, rowLimit, place } = asked;
    if (consumer === undefined) return compileOwn(dependencies, endpoint, { access, rowLimit, place });
    return compileConsumer({ ...dependencies, nowMs: nowMs() }, endpoint, consumer, place, access);
  };

  return {
    tenantParameters: (endpoint) => tenancies.of(endpoint).parameters,
    plan(endpoint, consumer, rowLimit, place, tenants = noTenants) {
      const tenancy = tenancies.of(endpoint);
      const access = toAccess(consumer === undefined ? tenancy.guards : tenancy.exposedGuards, tenants);
      const { readValue } = access;
      const { language, text, redactsPii, maxDepth, shape } = consumer ?? {};
      const bound = access.bound?.parameter;
      const asked = [language, text, redactsPii, maxDepth, shape?.key ?? null];
      const key = JSON.stringify([numberOf(endpoint), rowLimit ?? 0, asked, place, bound]);
      const known = lookups.get(key);
      if (known !== undefined) {
        const ofCall = lookUpFor(known, readValue);
        const seen = describe(ofCall);
        const kept = plans.get(`${seen}${key}`);
        if (kept !== undefined) return toPlanned(kept, readValue, createCheck(ofCall, seen));
      }
      const compiled = compile(endpoint, { consumer, rowLimit, place }, access);
      refuseShared(compiled, access);
      const plan = toKept(compiled);
      // What LQL's shorthands mean changes with the clock.
      if (consumer?.language === "lql") return toPlanned(plan, readValue, undefined);
      const needed = lookupsOf(compiled);
      const ofCall = lookUpFor(needed, readValue);
      const seen = describe(ofCall);
      lookups.set(key, needed);
      plans.set(`${seen}${key}`, plan);
      return toPlanned(plan, readValue, createCheck(ofCall, seen));
    },
  };
}

interface Asked {
  readonly consumer: ConsumerQuery | undefined;
  readonly rowLimit: number | undefined;
  readonly place: Place;
}

const noTenants: CallTenants = { readValue: () => undefined };

function toAccess(guards: CallAccess["guards"], { readValue, bound }: CallTenants): CallAccess {
  if (bound === undefined) return { kind: "call", guards, readValue };
  const { tenant } = bound;
  return {
    kind: "call",
    guards,
    readValue: (name) => (name === boundParameter ? tenant : readValue(name)),
    bound: { parameter: bound.parameter.toLowerCase(), tenant },
  };
}

/** Nothing of a source without tenants belongs to the tenant that a pin binds a call to. */
function refuseShared({ query, found }: CompiledEndpoint, { bound }: CallAccess): void {
  if (bound === undefined) return;
  const shared = found.sources.filter(({ scope, definition }) => scope.kind === "declared" && definition !== undefined);
  if (!shared.some(({ definition }) => query.tables.includes(definition?.name ?? ""))) return;
  const { parameter } = bound;
  throw new ServiceError(
    "pinned_parameter",
    `This token is bound by ${parameter}, and a source of this query has no tenants`,
    {
      parameter,
      hint: "Use an endpoint whose sources name their tenant's field, or a token without the pin.",
    },
  );
}

function toKept({ query, found }: CompiledEndpoint): KeptPlan {
  const reads = found.sources.flatMap(({ scope, definition }) =>
    definition !== undefined && query.tables.includes(definition.name) ? { source: definition.name, scope } : [],
  );
  return { query, reads, tables: found.sources.map(({ definition }) => definition) };
}

/** Tables that the query found and does not read play no part in its plan; that a name was not found does. */
function lookupsOf({ query, found }: CompiledEndpoint): Lookups {
  const sources = found.sources.filter(
    ({ definition }) => definition === undefined || query.tables.includes(definition.name),
  );
  return {
    sources: sources.map(({ name, scope }) => ({ name, scope })),
    endpoints: [...found.endpoints.keys()],
  };
}

function toPlanned(
  { query, reads }: KeptPlan,
  readValue: ReadParameter,
  isCurrent: (() => boolean) | undefined,
): PlannedQuery {
  const sources = reads.map(({ source, scope }): TenantRead => ({ source, tenant: tenantOf(scope, readValue) }));
  return isCurrent === undefined ? { ...query, reads: sources } : { ...query, reads: sources, isCurrent };
}

/** Objects told apart by numbers: ids and versions are what an owner says, an object is itself only. */
function createNumbers(): (object: Endpoint | TableDefinition | undefined) => number {
  const numbers = new WeakMap<object, number>();
  let count = 0;
  return (object) => {
    if (object === undefined) return 0;
    const number = numbers.get(object) ?? ++count;
    numbers.set(object, number);
    return number;
  };
}
