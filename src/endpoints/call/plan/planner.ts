import { LRUCache } from "lru-cache";
import type { TableDefinition } from "../../../googlesql/relation.ts";
import type { QueryTarget } from "../../definition/query-target.ts";
import { refuseClosedSources, toCallAccess } from "../../tenants/call-access.ts";
import { createTenancyFinder } from "../../tenants/tenancy.ts";
import type { ReadParameter } from "../../tenants/tenant-rule.ts";
import { type CallAccess, type Scope, tenantOf } from "../../tenants/tenant-tables.ts";
import { PlanningBudget } from "./apart/planning-budget.ts";
import type { PlanningThread } from "./apart/planning-thread.ts";
import {
  type CompileDependencies,
  type CompiledEndpoint,
  compileConsumer,
  compileOwn,
  type Place,
} from "./compile-query.ts";
import { type EndpointLookup, type FoundTables, noEndpoints } from "./endpoint-tables.ts";
import type { CallTenants, ConsumerQuery, Planner, PlanningTurn } from "./plan.ts";
import type { PlannedQuery, TenantRead } from "./planned-query.ts";

/** The dependencies of planning. */
export interface PlannerDependencies extends Omit<CompileDependencies, "endpoints"> {
  /** The endpoints that queries may read as tables; none unless given. */
  readonly endpoints?: EndpointLookup;
  /** The clock of LQL's shorthands, in milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Plans long queries; without it they are planned here. */
  readonly thread?: PlanningThread | undefined;
}

/** Characters of a query and of the endpoint's around it that are compiled within some ten milliseconds. */
const longQuery = 8_192;

/** The maximum number of cached characters of SQL, before and after compilation. */
const maxCachedCharacters = 32_000_000;

/** Everything besides its text that the plan of a call depends on, in a fixed order. */
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
interface CachedPlan {
  readonly query: PlannedQuery;
  /** Retained so that they stay the same objects for as long as the plan is cached. */
  readonly tables: readonly (TableDefinition | undefined)[];
  readonly reads: readonly { readonly source: string; readonly scope: Scope }[];
}

/**
 * Keeps plans by the tables that they were made of: as long as these are the same objects, calls share a plan, of
 * however many tenants. A source's table, whole or as one tenant sees it, is another object once it has got new
 * fields.
 */
export function createPlanner(given: PlannerDependencies): Planner {
  return new KeepingPlanner(given);
}

class KeepingPlanner implements Planner {
  readonly #dependencies: CompileDependencies;
  readonly #nowMs: () => number;
  readonly #tenancies: ReturnType<typeof createTenancyFinder>;
  readonly #plans = new LRUCache<string, CachedPlan>({
    maxSize: maxCachedCharacters,
    sizeCalculation: (plan, key) => key.length + plan.query.sql.length + 1_000,
  });
  readonly #lookups = new LRUCache<string, Lookups>({
    maxSize: maxCachedCharacters,
    sizeCalculation: (_, key) => key.length + 1_000,
  });
  readonly #numberOf = createNumbers();
  readonly #thread: PlanningThread | undefined;
  readonly #budget = new PlanningBudget(() => performance.now());

  constructor({ nowMs, thread, ...given }: PlannerDependencies) {
    this.#dependencies = { endpoints: noEndpoints, ...given };
    this.#thread = thread;
    this.#nowMs = nowMs;
    this.#tenancies = createTenancyFinder(this.#dependencies);
  }

  tenantParameters(target: QueryTarget): readonly string[] {
    return this.#tenancies.of(target).parameters;
  }

  plan(
    target: QueryTarget,
    consumer: ConsumerQuery | undefined,
    rowLimit: number | undefined,
    place: Place,
    tenants: CallTenants = noTenants,
  ): PlannedQuery {
    const asked: Asked = { consumer, rowLimit, place };
    const { access, key } = this.#lookUp(target, asked, tenants);
    return this.#recall(key, access) ?? this.#keep(key, asked, access, this.#compile(target, asked, access));
  }

  planFairly(
    target: QueryTarget,
    consumer: ConsumerQuery | undefined,
    rowLimit: number | undefined,
    place: Place,
    tenants: CallTenants,
    turn: PlanningTurn,
  ): PlannedQuery | Promise<PlannedQuery> {
    const thread = this.#thread;
    const isTiedHere = consumer?.shape !== undefined && consumer.shape.made === undefined;
    if (thread === undefined || isTiedHere) return this.plan(target, consumer, rowLimit, place, tenants);
    const asked: Asked = { consumer, rowLimit, place };
    const { access, key } = this.#lookUp(target, asked, tenants);
    const known = this.#recall(key, access);
    if (known !== undefined) return known;
    const length = (consumer?.text.length ?? 0) + target.sourceText.length;
    if (length <= longQuery && this.#budget.hasTime(turn.caller)) {
      const compiled = this.#budget.spend(turn.caller, () => this.#compile(target, asked, access));
      return this.#keep(key, asked, access, compiled);
    }
    const query = { target, ...asked, tenants, nowMs: this.#nowMs() };
    return thread.plan(query, turn).then((compiled) => this.#keep(key, asked, access, compiled));
  }

  #lookUp(target: QueryTarget, asked: Asked, tenants: CallTenants) {
    const access = toCallAccess(this.#tenancies.of(target), asked.consumer !== undefined, tenants);
    return { access, key: this.#keyOf(target, asked, access) };
  }

  #keyOf(target: QueryTarget, { consumer, rowLimit, place }: Asked, { confinement }: CallAccess): string {
    const { language, text, redactsPii, maxDepth, shape } = consumer ?? {};
    const query = [language, text, redactsPii, maxDepth, shape?.key ?? null];
    // Calls of all tenants share a plan: the tenant is a value.
    const confined = [confinement?.kind, confinement?.parameter];
    return JSON.stringify([this.#numberOf(target), rowLimit ?? 0, query, place, ...confined]);
  }

  /** The cached plan for such a call, if it would be made the same way now. */
  #recall(key: string, { readValue }: CallAccess): PlannedQuery | undefined {
    const known = this.#lookups.get(key);
    if (known === undefined) return undefined;
    const ofCall = lookUpFor(known, readValue);
    const seen = this.#describe(ofCall);
    const cached = this.#plans.get(`${seen}${key}`);
    return cached === undefined ? undefined : toPlanned(cached, readValue, this.#createCheck(ofCall, seen));
  }

  /** Keeps what was compiled by what was found for it, which may be something else by now. */
  #keep(key: string, asked: Asked, access: CallAccess, compiled: CompiledEndpoint): PlannedQuery {
    const { readValue } = access;
    refuseClosedSources(access, compiled.found.sources, compiled.query.tables);
    const plan = toCached(compiled);
    // The meaning of LQL's shorthands changes with the clock.
    if (asked.consumer?.language === "lql") return toPlanned(plan, readValue, undefined);
    const needed = lookupsOf(compiled);
    const ofCall = lookUpFor(needed, readValue);
    const seen = this.#describeFound(needed, compiled.found);
    this.#lookups.set(key, needed);
    this.#plans.set(`${seen}${key}`, plan);
    return toPlanned(plan, readValue, this.#createCheck(ofCall, seen));
  }

  #compile(target: QueryTarget, { consumer, rowLimit, place }: Asked, access: CallAccess): CompiledEndpoint {
    if (consumer === undefined) return compileOwn(this.#dependencies, target, { access, rowLimit, place });
    return compileConsumer({ ...this.#dependencies, nowMs: this.#nowMs() }, target, consumer, place, access);
  }

  /** The current results of the lookups, as a text. */
  #describe({ sources, endpoints: names }: CallLookups): string {
    const { tables, endpoints } = this.#dependencies;
    let text = "";
    for (const { name, tenant } of sources) text += `${this.#numberOf(tables.findTable(name, tenant))},`;
    for (const name of names) text += `${this.#numberOf(endpoints.findByName(name))},`;
    return text;
  }

  /** The same of lookups that were made for a plan. */
  #describeFound({ sources, endpoints: names }: Lookups, found: FoundTables): string {
    let text = "";
    for (const { name, scope } of sources) {
      const lookup = found.sources.find((each) => each.name === name && each.scope === scope);
      text += `${this.#numberOf(lookup?.definition)},`;
    }
    for (const name of names) text += `${this.#numberOf(found.endpoints.get(name))},`;
    return text;
  }

  /**
   * Made in a function of its own, because it is cached with answers: a closure retains everything that its neighbours
   * read.
   */
  #createCheck(asked: CallLookups, seen: string): () => boolean {
    return () => this.#describe(asked) === seen;
  }
}

interface Asked {
  readonly consumer: ConsumerQuery | undefined;
  readonly rowLimit: number | undefined;
  readonly place: Place;
}

const noTenants: CallTenants = { readValue: () => undefined };

function toCached({ query, found }: CompiledEndpoint): CachedPlan {
  const reads = found.sources.flatMap(({ scope, definition }) =>
    definition !== undefined && query.tables.includes(definition.name) ? { source: definition.name, scope } : [],
  );
  return { query, reads, tables: found.sources.map(({ definition }) => definition) };
}

/** Tables that were found but are not read do not affect the plan; a name that was not found does. */
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
  { query, reads }: CachedPlan,
  readValue: ReadParameter,
  isCurrent: (() => boolean) | undefined,
): PlannedQuery {
  const sources = reads.map(({ source, scope }): TenantRead => ({ source, tenant: tenantOf(scope, readValue) }));
  return isCurrent === undefined ? { ...query, reads: sources } : { ...query, reads: sources, isCurrent };
}

/**
 * Objects are distinguished by numbers: ids and versions are set by owners, but an object is only identical to itself.
 */
function createNumbers(): (object: object | undefined) => number {
  const numbers = new WeakMap<object, number>();
  let count = 0;
  return (object) => {
    if (object === undefined) return 0;
    const number = numbers.get(object) ?? ++count;
    numbers.set(object, number);
    return number;
  };
}
