import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { canIngest, canIngestAnything, canQuery, type Identity, isOwner } from "../../access/scope.ts";
import { describeContract, tellEndpoint } from "../../endpoints/definition/contract.ts";
import type { Endpoint } from "../../endpoints/definition/definition.ts";
import { AnyRow, count, flag, listOf, mapOf, orNull, text, texts } from "../../openapi/forms.ts";
import { type AnswerOf, describeRoutes } from "../../openapi/route-description.ts";
import type { AppDependencies } from "../app-context.ts";
import { createRouteAdder } from "../request/add-route.ts";
import { callerOf } from "../request/route-access.ts";

export const sessionRoutes = describeRoutes({
  getSession: {
    method: "get",
    path: "/api/session",
    summary: "Show the token and what it may do",
    tag: "service",
    scope: "any",
    status: 200,
    answer: Type.Object({
      token: Type.Object({
        id: text,
        scopes: texts,
        pins: mapOf(text),
        budget: mapOf(count),
        redaction: text,
      }),
      may: Type.Object({ query: flag, manage: flag, ingest: flag, metrics: flag }),
      endpoints: listOf({
        id: text,
        name: text,
        description: orNull(text),
        version: count,
        sandbox: flag,
        max_rows: count,
        parameters: Type.Array(AnyRow),
        columns: listOf({ name: text, type: text }),
      }),
      sources: texts,
      ingest_sources: texts,
      now: text,
    }),
  },
});

type SessionEndpoint = AnswerOf<typeof sessionRoutes.getSession>["endpoints"][number];

/**
 * `GET /api/session`: the token and its permissions, with each endpoint that it may run and the parameters left to
 * choose. Any valid token will do.
 */
export function addSessionRoute(app: FastifyInstance, dependencies: AppDependencies): void {
  const { endpoints, sources, nowMs } = dependencies;
  createRouteAdder(app)(sessionRoutes.getSession, (request, reply) => {
    const identity = callerOf(request);
    const owns = isOwner(identity);
    const runnable = endpoints.endpoints.filter((endpoint) => isCallable(endpoint, identity));
    const writable = sources.sources.filter(({ name, aliases, origin }) => {
      return origin?.kind !== "service" && canIngest(identity, [name, ...aliases]);
    });
    reply.header("Cache-Control", "no-store").header("Vary", "X-API-KEY, Authorization");
    return {
      token: {
        id: identity.tokenId,
        scopes: identity.scopes,
        pins: identity.pins,
        budget: identity.budget,
        redaction: identity.redaction,
      },
      may: {
        query: runnable.length > 0 || owns,
        manage: owns,
        ingest: canIngestAnything(identity),
        metrics: owns || identity.scopes.includes("metrics"),
      },
      endpoints: runnable.map((endpoint) => showEndpoint(tellEndpoint(endpoint, owns), identity)),
      sources: owns ? sources.sources.map(({ name }) => name) : [],
      ingest_sources: writable.map(({ name }) => name),
      now: new Date(nowMs()).toISOString(),
    };
  });
}

/** An endpoint that lacks a parameter which the token pins is refused, and one that has a problem does not run. */
function isCallable({ definition, contract, problem }: Endpoint, identity: Identity): boolean {
  if (problem !== undefined || !canQuery(identity, definition)) return false;
  const declared = new Set(contract.parameters.map(({ name }) => name));
  return Object.keys(identity.pins).every((name) => declared.has(name));
}

/** Parameters that the token pins cannot be chosen by the caller. */
function showEndpoint({ definition, contract, version }: Endpoint, { pins }: Identity): SessionEndpoint {
  const parameters = contract.parameters.filter(({ name }) => !Object.hasOwn(pins, name));
  return {
    id: definition.id,
    name: definition.name,
    description: definition.description ?? null,
    version,
    sandbox: definition.isSandboxed,
    max_rows: definition.maxRows,
    ...describeContract({ parameters, columns: contract.columns }),
  };
}
