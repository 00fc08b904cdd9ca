import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { describeContract } from "../../../endpoints/definition/contract.ts";
import { describeDefinition } from "../../../endpoints/definition/document.ts";
import { isUuid } from "../../../endpoints/definition/header.ts";
import type { EndpointRegistry } from "../../../endpoints/management/endpoint-registry.ts";
import type { EndpointStore, VersionRecord, VersionSummary } from "../../../endpoints/management/endpoint-store.ts";
import { unknownEndpoint } from "../../../endpoints/management/managed-endpoints.ts";
import { compareVersions } from "../../../endpoints/versions/compare-versions.ts";
import { readVersion } from "../../../endpoints/versions/versions.ts";
import {
  anyRow,
  count,
  flag,
  ifMatch,
  inPath,
  listOf,
  oneOf,
  orNull,
  reference,
  text,
  texts,
} from "../../../openapi/forms.ts";
import { describeRoutes, type Shown } from "../../../openapi/route-description.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { contract, endpoint, endpointInPath, sendEndpoint } from "./endpoints.ts";
import { audited, changeRequest, changingErrors, type ManagedEndpointDependencies } from "./managed-endpoints.ts";

/** The dependencies of the routes of versions. */
export interface VersionDependencies extends ManagedEndpointDependencies {
  readonly endpoints: EndpointRegistry;
  readonly store: Pick<EndpointStore, "versions" | "version">;
}

const ofAny = {
  version: count,
  name: text,
  current: flag,
  created_at: Type.String({ format: "date-time" }),
  author: text,
  action: text,
  rollback_to: orNull(count),
  changed: texts,
};
const VersionHead = Type.Object(ofAny);
const Version = Type.Object({ ...ofAny, document: Type.Optional(anyRow), contract: Type.Optional(contract) });

const VersionDiff = Type.Object({
  from: count,
  to: count,
  breaking: flag,
  changes: listOf({
    area: oneOf(["column", "parameter", "setting"]),
    name: text,
    change: text,
    from: orNull(text),
    to: orNull(text),
    breaking: flag,
  }),
  query: Type.Array(anyRow),
});

export const versionSchemas = { Version, VersionDiff };
const version = reference("Version", Version);
const number = inPath("version", "Number of a version");
const ofVersions = { tag: "endpoint management", scope: "private" } as const;

export const versionRoutes = describeRoutes({
  listVersions: {
    ...ofVersions,
    isRedacted: true,
    path: "/api/endpoints/{endpoint}/versions",
    summary: "List an endpoint's versions, newest first",
    parameters: [endpointInPath],
    answer: Type.Array(version),
    errors: ["unknown_endpoint"],
  },
  getVersion: {
    ...ofVersions,
    isRedacted: true,
    path: "/api/endpoints/{endpoint}/versions/{version}",
    summary: "Show a version with its document and contract",
    parameters: [endpointInPath, number],
    answer: version,
    errors: ["unknown_endpoint", "unknown_version"],
  },
  diffVersions: {
    ...ofVersions,
    isRedacted: true,
    path: "/api/endpoints/{endpoint}/versions/{version}/diff/{other}",
    summary: "Compare two versions: text and contract",
    parameters: [endpointInPath, number, inPath("other", "Number of the other version")],
    answer: reference("VersionDiff", VersionDiff),
    errors: ["unknown_endpoint", "unknown_version"],
  },
  rollBack: {
    ...ofVersions,
    method: "post",
    path: "/api/endpoints/{endpoint}/versions/{version}/rollback",
    summary: "Create a new version with an older one's document",
    parameters: [endpointInPath, number, ifMatch],
    answer: endpoint,
    errors: [...changingErrors, "unknown_version"],
  },
});

/** `/api/endpoints/{id-or-name}/versions`: list, show, compare, and go back (scope `private`). */
export function addEndpointVersionRoutes(app: FastifyInstance, dependencies: VersionDependencies): void {
  const { managed, endpoints, store } = dependencies;
  const addRoute = createRouteAdder(app);

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

  addRoute(versionRoutes.listVersions, async ({ params }) => {
    const current = endpoints.find(params.endpoint)?.version;
    return (await listVersions(params.endpoint)).map((version) => describeVersion(version, current));
  });
  addRoute(versionRoutes.getVersion, async ({ params }) => {
    const record = await findVersion(params.endpoint, params.version);
    const { definition, contract } = readVersion(record);
    return {
      ...describeVersion(record, endpoints.find(params.endpoint)?.version),
      document: describeDefinition(definition),
      contract: describeContract(contract),
    };
  });
  addRoute(versionRoutes.diffVersions, async ({ params }) => {
    const from = await findVersion(params.endpoint, params.version);
    const to = await findVersion(params.endpoint, params.other);
    return { from: from.number, to: to.number, ...compareVersions(readVersion(from), readVersion(to)) };
  });
  addRoute(versionRoutes.rollBack, async (request, reply) => {
    const { endpoint: name, version: number } = request.params;
    const endpoint = await audited(dependencies, request, "endpoint.rollback", name, async () => {
      const record = await findVersion(name, number);
      return managed.rollback(name, record.number, changeRequest(request));
    });
    return sendEndpoint(reply, endpoint);
  });
}

function describeVersion(version: VersionSummary, current: number | undefined): Shown<typeof VersionHead> {
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
