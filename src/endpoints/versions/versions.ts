import { GoogleSqlError } from "../../googlesql/diagnostic.ts";
import { tightest } from "../../shared/budget.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { CompileDependencies } from "../call/plan/compile-query.ts";
import { checkEndpoint, lookupOf } from "../definition/check-endpoint.ts";
import { readContract } from "../definition/contract.ts";
import {
  type Endpoint,
  type EndpointContract,
  type EndpointDefinition,
  noTenantParameter,
} from "../definition/definition.ts";
import { readDocument } from "../definition/document.ts";
import { draftEndpoint } from "../definition/draft-endpoint.ts";
import { toDefinition } from "../definition/to-definition.ts";
import type { FindVersion } from "../management/endpoint-registry.ts";
import type { EndpointStore, VersionRecord } from "../management/endpoint-store.ts";
import { createTenancyFinder } from "../tenants/tenancy.ts";

/** The definition and contract of a version that was kept. */
export function readVersion({
  endpointId,
  document,
  contract,
}: Pick<VersionRecord, "endpointId" | "document" | "contract">): {
  readonly definition: EndpointDefinition;
  readonly contract: EndpointContract;
} {
  // It was good when it was kept; what is read leniently here is checked before it runs.
  const { fields } = readDocument(JSON.parse(document));
  const { name = "", query = "", ...header } = fields;
  return {
    definition: toDefinition({ ...header, id: endpointId }, name, query).definition,
    contract: readContract(contract),
  };
}

/** The version, or `unknown_version`. */
export async function requireVersion(store: EndpointStore, endpoint: Endpoint, number: number): Promise<VersionRecord> {
  const record = Number.isSafeInteger(number) ? await store.version(endpoint.definition.id, number) : undefined;
  if (record !== undefined) return record;
  throw new ServiceError("unknown_version", `The endpoint ${endpoint.definition.name} has no version ${number}`);
}

export interface VersionFinder {
  /** The same object until it is forgotten. */
  readonly find: FindVersion;
  /** Forgets the versions of endpoints with these ids, those that read them, and those that could not run; or all. */
  forget(changed?: readonly string[]): void;
}

/**
 * Finds older versions to run. One runs as its document says, under the endpoint's present name, and what the owner
 * has closed since stays closed: no callers' queries where the endpoint takes none now, redaction where it is on now,
 * pins that bind calls to a tenant now or are refused, and the stricter of each limit.
 */
export function createVersionFinder(
  store: EndpointStore,
  dependencies: Pick<CompileDependencies, "engine" | "tables"> & { readonly endpoints: () => readonly Endpoint[] },
): VersionFinder {
  const opened = new Map<string, Endpoint>();
  const maxOpened = 200;
  // What was begun before something changed is not kept afterwards.
  let age = 0;
  return {
    async find(current, number) {
      const key = `${current.definition.id}@${number}`;
      const known = opened.get(key);
      if (known !== undefined) return known;
      const ageBefore = age;
      const record = await requireVersion(store, current, number);
      const endpoint = openVersion(record, current, { ...dependencies, endpoints: dependencies.endpoints() });
      if (age === ageBefore) {
        if (opened.size >= maxOpened) opened.clear();
        opened.set(key, endpoint);
      }
      return endpoint;
    },
    forget(changed) {
      age++;
      for (const [key, { definition, reads, problem }] of opened) {
        const isSame = changed !== undefined && problem === undefined && !changed.includes(definition.id);
        if (!isSame || reads.some((id) => changed.includes(id))) opened.delete(key);
      }
    },
  };
}

function openVersion(
  record: VersionRecord,
  current: Endpoint,
  {
    engine,
    tables,
    endpoints,
  }: Pick<CompileDependencies, "engine" | "tables"> & { readonly endpoints: readonly Endpoint[] },
): Endpoint {
  const { definition: then } = readVersion(record);
  const { definition: now } = current;
  const definition: EndpointDefinition = {
    ...then,
    name: now.name,
    isSandboxed: then.isSandboxed && now.isSandboxed,
    redactsPii: then.redactsPii || now.redactsPii,
    budget: tightest(then.budget ?? {}, now.budget ?? {}),
    ...(now.tenantParameter === noTenantParameter ? { tenantParameter: noTenantParameter } : {}),
    ...(now.redactsPii && now.detectors !== undefined ? { detectors: now.detectors } : {}),
  };
  const broken = (problem: string): Endpoint => ({
    ...draftEndpoint(definition, { version: record.number, origin: current.origin }),
    problem,
  });
  const tenantParameters = findTenantParameters(current, { tables, endpoints: lookupOf(endpoints) });
  if (tenantParameters === undefined)
    return broken("the current version does not resolve, so that nobody knows whose rows it reads");
  const draft = draftEndpoint(definition, { version: record.number, origin: current.origin, tenantParameters });
  const checked = checkEndpoint(draft, { engine, tables, endpoints: lookupOf(endpoints) });
  if (checked.endpoint !== undefined) return checked.endpoint;
  return broken(checked.problems[0]?.message ?? "it does not compile");
}

/** Undefined for an endpoint that does not resolve. */
function findTenantParameters(
  endpoint: Endpoint,
  dependencies: Parameters<typeof createTenancyFinder>[0],
): readonly string[] | undefined {
  try {
    return createTenancyFinder(dependencies).of(endpoint).parameters;
  } catch (error) {
    if (error instanceof GoogleSqlError) return undefined;
    throw error;
  }
}
