import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { canIngest, canIngestAnything, type Identity, isOwner } from "../../../access/scope.ts";
import { ShownPin } from "../../../access/token-document.ts";
import { describeContract } from "../../../endpoints/definition/contract.ts";
import type { Endpoint } from "../../../endpoints/definition/definition.ts";
import { callableEndpoints } from "../../../openapi/build-open-api.ts";
import { AnyRow, count, flag, listOf, mapOf, orNull, text, texts } from "../../../openapi/forms.ts";
import { openParameters } from "../../../openapi/open-parameters.ts";
import { type AnswerOf, describeRoutes } from "../../../openapi/route-description.ts";
import { varyByToken } from "../../answer/answer-headers.ts";
import type { AppDependencies } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { callerOf } from "../../request/route-access.ts";
import { ShownPerson, showPerson } from "./sign-in.ts";

export const sessionRoutes = describeRoutes({
  getSession: {
    path: "/api/session",
    summary: "Show the token and what it may do",
    tag: "service",
    scope: "any",
    answer: Type.Object({
      token: Type.Object({
        id: text,
        scopes: texts,
        pins: mapOf(ShownPin),
        budget: mapOf(count),
        redaction: text,
      }),
      person: ShownPerson,
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
 * `GET /api/session`: the token or person, and their permissions, with each endpoint that may be run and the parameters
 * left to choose. Any valid token will do.
 */
export function addSessionRoute(app: FastifyInstance, dependencies: AppDependencies): void {
  const { endpoints, sources, nowMs } = dependencies;
  createRouteAdder(app)(sessionRoutes.getSession, (request, reply) => {
    const identity = callerOf(request);
    const owns = isOwner(identity);
    const runnable = callableEndpoints(endpoints.endpoints, identity);
    const writable = sources.sources.filter(({ name, aliases, origin }) => {
      return origin?.kind !== "service" && canIngest(identity, [name, ...aliases]);
    });
    reply.header("Vary", varyByToken);
    return {
      token: {
        id: identity.tokenId,
        scopes: identity.scopes,
        pins: identity.pins,
        budget: identity.budget,
        redaction: identity.redaction,
      },
      person: showPerson(identity.tokenId),
      may: {
        query: runnable.length > 0 || owns,
        manage: owns,
        ingest: canIngestAnything(identity),
        metrics: owns || identity.scopes.includes("metrics"),
      },
      endpoints: runnable.map((endpoint) => showEndpoint(endpoint, identity)),
      sources: owns ? sources.sources.map(({ name }) => name) : [],
      ingest_sources: writable.map(({ name }) => name),
      now: new Date(nowMs()).toISOString(),
    };
  });
}

function showEndpoint({ definition, contract, version }: Endpoint, { pins }: Identity): SessionEndpoint {
  const parameters = openParameters(contract.parameters, pins);
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
