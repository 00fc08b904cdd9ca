import type { FastifyRequest } from "fastify";
import { applyPins } from "../../access/pins.ts";
import { canQuery, canQueryAnything, type Identity, isOwner } from "../../access/scope.ts";
import type { AuditSurface } from "../../audit/audit-event.ts";
import type { QueryCall } from "../../endpoints/call/prepare/query-call.ts";
import type { QueryTarget } from "../../endpoints/definition/query-target.ts";
import { sourceScopePrefix } from "../../endpoints/explore/source-scopes.ts";
import { unknownEndpoint } from "../../endpoints/management/managed-endpoints.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { AppContext } from "../app-context.ts";
import { sinceRevision } from "./call-watch.ts";
import { readParameters, type SentParameters } from "./request-parameters.ts";
import { callerOf } from "./route-access.ts";

/**
 * The endpoint that a call names and its caller may run: by name or id, in a version, or for owners a source as
 * `source:NAME`. Throws `insufficient_scope`, `unknown_endpoint` and `unknown_source`.
 */
export async function findTarget(
  { endpoints, scopes }: Pick<AppContext, "endpoints" | "scopes">,
  identity: Identity,
  name: string,
): Promise<QueryTarget> {
  const noScope = () => new ServiceError("insufficient_scope", "The access token has no scope for this endpoint");
  if (!canQueryAnything(identity)) throw noScope();
  if (name.startsWith(sourceScopePrefix)) {
    if (!isOwner(identity)) throw noScope();
    const scope = scopes.find(name.slice(sourceScopePrefix.length));
    if (scope !== undefined) return scope;
    throw new ServiceError("unknown_source", `There is no source ${name.slice(sourceScopePrefix.length, 200)}`);
  }
  const endpoint = endpoints.find(name) ?? (await endpoints.open(name));
  if (endpoint === undefined) throw unknownEndpoint(name);
  if (!canQuery(identity, endpoint.definition)) throw noScope();
  return endpoint;
}

/** The last value of each name, and the token's pins over them. */
export function chooseParameters(
  identity: Identity,
  { contract }: QueryTarget,
  sent: SentParameters,
): ReadonlyMap<string, unknown> {
  const declared = new Map(contract.parameters.map(({ name, type }) => [name, type]));
  const pins = applyPins(identity.pins, declared, sent);
  const chosen = new Map<string, unknown>();
  for (const [name, values] of sent) chosen.set(name, values.at(-1));
  for (const [name, value] of pins) chosen.set(name, value);
  return chosen;
}

/**
 * A token may require it. The header turns it on for every caller, and off for tokens that may; otherwise the
 * endpoint's setting applies.
 */
export function decideRedaction(identity: Identity, { definition }: QueryTarget, request: FastifyRequest): boolean {
  const header = request.headers["lf-endpoint-redact-pii"];
  const { redactsPii } = definition;
  if (identity.redaction === "required") return true;
  if (header === undefined) return redactsPii;
  const values = String(header).split(",");
  if (values.some((value) => value.trim().toLowerCase() === "true")) return true;
  return redactsPii && identity.redaction !== "switchable";
}

/** For the audit, which learns the outcome of the call once it is answered. */
export function noteRun(
  request: FastifyRequest,
  { tokenId }: Identity,
  { target, parameters, redactsPii }: Pick<QueryCall, "target" | "parameters" | "redactsPii">,
  surface?: AuditSurface,
): void {
  const { definition, contract, version } = target;
  const audited = { id: definition.id, name: definition.name, parameters: contract.parameters };
  const actor = tokenId;
  request.auditRun = {
    ...{ action: "endpoint.run", actor, endpoint: audited, version, parameters, redactsPii },
    ...(surface === undefined ? {} : { surface }),
  };
}

/** A call of an endpoint by an authorized caller, with unchecked parameters. */
export interface OpenedCall
  extends Pick<QueryCall, "target" | "parameters" | "pinned" | "isOwner" | "redactsPii" | "budget"> {
  readonly identity: Identity;
  /** Every value that was sent, including undeclared ones. */
  readonly sent: SentParameters;
}

/** Determines the endpoint and the parameters of a call, for every route that names an endpoint in its path. */
export async function openCall(
  dependencies: AppContext,
  request: FastifyRequest<{ Params: { readonly endpoint: string } }>,
): Promise<OpenedCall> {
  const sent = await readParameters(request, dependencies.maxBodyBytes);
  return openNamedCall(dependencies, request, request.params.endpoint, sent);
}

/** The same for an endpoint and parameters that the request names elsewhere. */
export async function openNamedCall(
  dependencies: AppContext,
  request: FastifyRequest,
  name: string,
  sent: SentParameters,
): Promise<OpenedCall> {
  const identity = callerOf(request);
  dependencies.rates.take(identity.tokenId);
  const openedAt = dependencies.revision();
  const target = await findTarget(dependencies, identity, name);
  request.reads ??= new Map();
  const isSame = async () => (await findTarget(dependencies, identity, name)) === target;
  request.reads.set(name, sinceRevision(openedAt, dependencies.revision, isSame));
  request.logNotes.endpoint = target.definition.name;
  const parameters = chooseParameters(identity, target, sent);
  return {
    target,
    parameters,
    pinned: new Set(Object.keys(identity.pins)),
    isOwner: isOwner(identity),
    redactsPii: decideRedaction(identity, target, request),
    budget: identity.budget,
    identity,
    sent,
  };
}
