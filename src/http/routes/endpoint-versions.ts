import type { FastifyInstance } from "fastify";
import { describeContract } from "../../endpoints/definition/contract.ts";
import { describeDefinition } from "../../endpoints/definition/document.ts";
import type { EndpointRegistry } from "../../endpoints/management/endpoint-registry.ts";
import type { EndpointStore, VersionRecord, VersionSummary } from "../../endpoints/management/endpoint-store.ts";
import { isUuid, unknownEndpoint } from "../../endpoints/management/managed-endpoints.ts";
import { compareVersions } from "../../endpoints/versions/compare-versions.ts";
import { readVersion } from "../../endpoints/versions/versions.ts";
import { ServiceError } from "../../shared/errors.ts";
import { requirePrivate } from "../request/require-private.ts";
import {
  audited,
  changeRequest,
  type ManagedEndpointDependencies,
  sendEndpoint,
  Unchanged,
} from "./managed-endpoints.ts";

/** What the routes of versions work with. */
export interface VersionDependencies extends ManagedEndpointDependencies {
  readonly endpoints: EndpointRegistry;
  readonly store: Pick<EndpointStore, "versions" | "version">;
}

interface VersionRoute {
  readonly Params: { readonly name: string; readonly number: string; readonly other: string };
}

/** `/api/endpoints/{id-or-name}/versions`: list, show, compare, and go back (scope `private`). */
export function addEndpointVersionRoutes(app: FastifyInstance, dependencies: VersionDependencies): void {
  const { authenticator, managed, endpoints, store } = dependencies;
  const options = { onRequest: requirePrivate(authenticator) };

  /** By its id, an endpoint that was removed still has its versions. */
  const listVersions = async (reference: string): Promise<readonly VersionSummary[]> => {
    const id = endpoints.find(reference)?.definition.id ?? (isUuid(reference) ? reference.toLowerCase() : undefined);
    const versions = id === undefined ? [] : await store.versions(id);
    if (versions.length === 0) throw unknownEndpoint(reference);
    return versions;
  };
  const findVersion = async (reference: string, number: string): Promise<VersionRecord> => {
    const [newest] = await listVersions(reference);
    const isNumber = /^[1-9]\d{0,8}$/.test(number);
    const record =
      newest !== undefined && isNumber ? await store.version(newest.endpointId, Number(number)) : undefined;
    if (record !== undefined) return record;
    throw new ServiceError("unknown_version", `The endpoint ${reference} has no version ${number.slice(0, 20)}`);
  };

  app.get<VersionRoute>("/api/endpoints/:name/versions", options, async ({ params }) => {
    const current = endpoints.find(params.name)?.version;
    return (await listVersions(params.name)).map((version) => describeVersion(version, current));
  });
  app.get<VersionRoute>("/api/endpoints/:name/versions/:number", options, async ({ params }) => {
    const record = await findVersion(params.name, params.number);
    const { definition, contract } = readVersion(record);
    return {
      ...describeVersion(record, endpoints.find(params.name)?.version),
      document: describeDefinition(definition),
      contract: describeContract(contract),
    };
  });
  app.get<VersionRoute>("/api/endpoints/:name/versions/:number/diff/:other", options, async ({ params }) => {
    const from = await findVersion(params.name, params.number);
    const to = await findVersion(params.name, params.other);
    return { from: from.number, to: to.number, ...compareVersions(readVersion(from), readVersion(to)) };
  });
  app.post<VersionRoute>("/api/endpoints/:name/versions/:number/rollback", options, async (request, reply) => {
    const { name, number } = request.params;
    const endpoint = await audited(dependencies, request, "endpoint.rollback", name, async () => {
      const record = await findVersion(name, number);
      const changed = await managed.rollback(name, record.number, changeRequest(request));
      return changed.isChanged ? changed.endpoint : new Unchanged(changed.endpoint);
    });
    return sendEndpoint(reply, endpoint);
  });
}

function describeVersion(version: VersionSummary, current: number | undefined): object {
  const { number, name, createdAt, author, action, rollbackTo, changed } = version;
  return {
    version: number,
    name,
    current: number === current,
    created_at: new Date(createdAt).toISOString(),
    author,
    action,
    rollback_to: rollbackTo ?? null,
    changed,
  };
}
