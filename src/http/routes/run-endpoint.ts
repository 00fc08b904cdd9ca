import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { applyPins } from "../../access/pins.ts";
import { canQuery, canQueryAnything, type Identity } from "../../access/scope.ts";
import { runCached } from "../../endpoints/cache/run-cached.ts";
import type { Endpoint } from "../../endpoints/definition.ts";
import { prepareCall, runPrepared } from "../../endpoints/run-endpoint.ts";
import { ServiceError } from "../../errors.ts";
import type { AppDependencies } from "../app.ts";
import { authenticate, findSecret } from "../authenticate.ts";
import { createCallSignal } from "../call-signal.ts";
import { readParameters, type SentParameters, urlParameters } from "../request-parameters.ts";
import { sendCached } from "../send-cached.ts";
import { sendResult } from "../stream-answer.ts";

const paths = ["/api/endpoints/query/:name", "/api/endpoints/query/name/:name", "/endpoints/query/:name"];

declare module "fastify" {
  interface FastifyRequest {
    identity: Identity | undefined;
  }
}

/** `GET` and `POST /api/endpoints/query/{uuid-or-name}` and its older forms: runs an endpoint. */
export function addRunEndpointRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  app.decorateRequest("identity");
  for (const url of paths) {
    app.route<{ Params: { name: string } }>({
      method: ["GET", "POST"],
      url,
      onRequest: async (request) => {
        request.identity = await identifyEarly(dependencies, request);
      },
      handler: (request, reply) => runEndpoint(dependencies, request.params.name, request, reply),
    });
  }
}

/** Before the body is read, unless the token can only be in there. */
async function identifyEarly(
  { authenticator }: AppDependencies,
  request: FastifyRequest,
): Promise<Identity | undefined> {
  const secret = findSecret(request, urlParameters(request));
  const { "content-length": length = "0", "transfer-encoding": transferEncoding } = request.headers;
  const hasBody = length !== "0" || transferEncoding !== undefined;
  return secret === undefined && hasBody ? undefined : authenticate(authenticator, request, secret);
}

async function runEndpoint(
  dependencies: AppDependencies,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sent = await readParameters(request, dependencies.maxBodyBytes);
  const identity =
    request.identity ?? (await authenticate(dependencies.authenticator, request, textOf(sent.get("api_key"))));
  const endpoint = findEndpoint(dependencies, identity, name);
  request.logNotes.endpoint = endpoint.definition.name;
  const call = {
    endpoint,
    parameters: chooseParameters(identity, endpoint, sent),
    redactsPii: decideRedaction(identity, endpoint, request),
  };
  if (endpoint.definition.cacheSeconds > 0) {
    const signal = createCallSignal(reply, dependencies.drain.cutOff);
    const { answer, isHit } = await runCached(dependencies.runner, dependencies.cache, { ...call, signal });
    const { cacheSeconds } = endpoint.definition;
    return sendCached(request, reply, { answer, isHit, cacheSeconds, nowMs: dependencies.nowMs() });
  }
  const prepared = prepareCall(dependencies.runner, call);
  const signal = createCallSignal(reply, dependencies.drain.cutOff);
  reply.header("Cache-Control", "no-store");
  await sendResult(reply, runPrepared(dependencies.runner, prepared, signal));
  return reply;
}

function textOf(values: readonly unknown[] | undefined): string | undefined {
  const value = values?.at(-1);
  return typeof value === "string" ? value : undefined;
}

function findEndpoint({ endpoints }: AppDependencies, identity: Identity, name: string): Endpoint {
  const noScope = () => new ServiceError("insufficient_scope", "The access token has no scope for this endpoint");
  if (!canQueryAnything(identity)) throw noScope();
  const endpoint = endpoints.find(name);
  if (endpoint === undefined) {
    throw new ServiceError("unknown_endpoint", `There is no endpoint ${name.slice(0, 200)}`);
  }
  if (!canQuery(identity, endpoint.definition)) throw noScope();
  return endpoint;
}

/** The last value of each name, and the token's pins over them. */
function chooseParameters(identity: Identity, endpoint: Endpoint, sent: SentParameters): ReadonlyMap<string, unknown> {
  const declared = new Set(endpoint.definition.parameters.map((parameter) => parameter.name));
  const pins = applyPins(identity, declared, sent);
  const chosen = new Map<string, unknown>();
  for (const [name, values] of sent) chosen.set(name, values.at(-1));
  for (const [name, value] of pins) chosen.set(name, value);
  return chosen;
}

/** The header turns redaction on for anybody, and off for who has the scope `private`; else the endpoint's setting holds. */
function decideRedaction(identity: Identity, endpoint: Endpoint, request: FastifyRequest): boolean {
  const header = request.headers["lf-endpoint-redact-pii"];
  const { redactsPii } = endpoint.definition;
  if (header === undefined) return redactsPii;
  const values = String(header).split(",");
  if (values.some((value) => value.trim().toLowerCase() === "true")) return true;
  return redactsPii && !identity.scopes.includes("private");
}
