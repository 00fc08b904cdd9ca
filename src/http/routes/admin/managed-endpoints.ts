import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { AuditedChange } from "../../../audit/audit-event.ts";
import type { AuditLog } from "../../../audit/audit-log.ts";
import type { Endpoint } from "../../../endpoints/definition/definition.ts";
import { describeEndpoint } from "../../../endpoints/definition/describe-endpoint.ts";
import { EndpointDocument } from "../../../endpoints/definition/document.ts";
import type {
  ChangedEndpoint,
  ChangeRequest,
  ManagedEndpoints,
} from "../../../endpoints/management/managed-endpoints.ts";
import { savingErrors } from "../../../openapi/error-responses.ts";
import { ifMatch, reference } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import type { ErrorCode } from "../../../shared/error-catalogue.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { entityTag, readIfMatch } from "../../answer/entity-tag.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { callerOf } from "../../request/route-access.ts";
import { endpoint, endpointInPath, sendEndpoint } from "./endpoints.ts";

/** The dependencies of the routes that change endpoints. */
export interface ManagedEndpointDependencies {
  readonly managed: ManagedEndpoints;
  readonly audit: Pick<AuditLog, "record">;
}

const { properties } = EndpointDocument;

/** A document that is all of an endpoint. */
const WholeDocument = Type.Object(
  { ...properties, ...Type.Required(Type.Pick(EndpointDocument, ["name", "query"])).properties },
  { additionalProperties: false },
);

export const managedEndpointSchemas = { EndpointDocument: WholeDocument, EndpointChange: EndpointDocument };
const document = reference("EndpointDocument", WholeDocument);

/** Errors of a change of an existing endpoint. */
export const changingErrors = [
  ...savingErrors,
  "unknown_endpoint",
  "endpoint_read_only",
  "endpoint_in_use",
  "version_conflict",
] as const satisfies readonly ErrorCode[];

const ofEndpoints = { tag: "endpoint management", scope: "private" } as const;
const ofOne = { ...ofEndpoints, path: "/api/endpoints/{endpoint}", parameters: [endpointInPath, ifMatch] } as const;

export const managedEndpointRoutes = describeRoutes({
  createEndpoint: {
    ...ofEndpoints,
    method: "post",
    path: "/api/endpoints",
    summary: "Create an endpoint",
    body: document,
    isCheckedByHandler: true,
    status: 201,
    answer: endpoint,
    errors: savingErrors,
  },
  validateEndpoint: {
    ...ofEndpoints,
    method: "post",
    path: "/api/endpoints/validate",
    summary: "Check a document as a save would, and change nothing",
    body: document,
    isCheckedByHandler: true,
    answer: endpoint,
    errors: savingErrors,
  },
  replaceEndpoint: {
    ...ofOne,
    method: "put",
    summary: "Replace an endpoint's document",
    body: document,
    isCheckedByHandler: true,
    answer: endpoint,
    errors: changingErrors,
  },
  changeEndpoint: {
    ...ofOne,
    method: "patch",
    summary: "Change fields of an endpoint",
    body: reference("EndpointChange", EndpointDocument),
    isCheckedByHandler: true,
    errors: changingErrors,
  },
  deleteEndpoint: {
    ...ofOne,
    method: "delete",
    summary: "Delete an endpoint; its versions stay",
    errors: ["unknown_endpoint", "endpoint_read_only", "endpoint_in_use", "version_conflict"],
  },
});

/** `POST /api/endpoints`, and `PUT`, `PATCH` and `DELETE /api/endpoints/{id-or-name}` (scope `private`). */
export function addManagedEndpointRoutes(app: FastifyInstance, dependencies: ManagedEndpointDependencies): void {
  const { managed } = dependencies;
  const addRoute = createRouteAdder(app);
  addRoute(managedEndpointRoutes.createEndpoint, async (request, reply) => {
    const document = request.body;
    const endpoint = await audited(dependencies, request, "endpoint.create", nameOf(document), () =>
      managed.create(document, changeRequest(request)),
    );
    reply.status(201).header("Location", `/api/endpoints/${endpoint.definition.id}`);
    return sendEndpoint(reply, endpoint);
  });
  addRoute(managedEndpointRoutes.validateEndpoint, async (request, reply) => {
    const { version: _, ...shown } = describeEndpoint(managed.validate(request.body));
    return reply.send(shown);
  });
  addRoute(managedEndpointRoutes.replaceEndpoint, async (request, reply) => {
    const { endpoint: name } = request.params;
    const document = request.body;
    const endpoint = await audited(dependencies, request, "endpoint.update", name, () =>
      managed.replace(name, document, changeRequest(request)),
    );
    return sendEndpoint(reply, endpoint);
  });
  addRoute(managedEndpointRoutes.changeEndpoint, async (request, reply) => {
    const { endpoint: name } = request.params;
    const fields = request.body;
    const { version } = await audited(dependencies, request, "endpoint.update", name, () =>
      managed.patch(name, fields, changeRequest(request)),
    );
    return reply.status(204).header("ETag", entityTag(version)).send();
  });
  addRoute(managedEndpointRoutes.deleteEndpoint, async (request, reply) => {
    const { endpoint: name } = request.params;
    await audited(dependencies, request, "endpoint.delete", name, () => managed.remove(name, changeRequest(request)));
    return reply.status(204).send();
  });
}

/** Makes a change and records it, also where it is refused, but not where the endpoint is what it was. */
export async function audited(
  { audit }: Pick<ManagedEndpointDependencies, "audit">,
  request: FastifyRequest,
  action: AuditedChange,
  name: string | undefined,
  change: () => Promise<Endpoint | ChangedEndpoint>,
): Promise<Endpoint> {
  const actor = callerOf(request).tokenId;
  try {
    const changed = await change();
    const { endpoint, isChanged } = "isChanged" in changed ? changed : { endpoint: changed, isChanged: true };
    const { definition, version } = endpoint;
    if (isChanged) audit.record({ action, actor, target: definition.name, targetId: definition.id, version });
    return endpoint;
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : "internal";
    audit.record({ action, actor, error: code, ...(name === undefined ? {} : { target: name.slice(0, 200) }) });
    throw error;
  }
}

/** Who changes something, and on what. */
export function changeRequest(request: FastifyRequest): ChangeRequest {
  return { author: callerOf(request).tokenId, accepts: readIfMatch(request.headers["if-match"]) };
}

function nameOf({ name }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof name === "string" ? name : undefined;
}
