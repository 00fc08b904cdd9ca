import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { LRUCache } from "lru-cache";
import type { Identity } from "../../../access/scope.ts";
import type { Endpoint } from "../../../endpoints/definition/definition.ts";
import { writeOpenApi } from "../../../openapi/build-open-api.ts";
import { anyRow } from "../../../openapi/forms.ts";
import { describeRoutes, type ServiceDescription } from "../../../openapi/route-description.ts";
import { varyByToken } from "../../answer/answer-headers.ts";
import { isKnownTag } from "../../answer/entity-tag.ts";
import type { AppDependencies } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { callerOf } from "../../request/route-access.ts";

export const openApiRoutes = describeRoutes({
  getOpenApi: {
    tag: "service",
    scope: "any",
    path: "/api/openapi.json",
    aliases: ["/api/openapi"],
    summary: "This document, which describes what the token may do",
    answer: anyRow,
  },
});

/**
 * `GET /api/openapi.json`, also without the ending: what the token that is sent along may do, as an OpenAPI document.
 * Any valid token will do. It is written once for callers of the same rights, until an endpoint changes.
 */
export function addOpenApiRoute(
  app: FastifyInstance,
  { endpoints }: AppDependencies,
  service: ServiceDescription,
): void {
  const find = cacheDocuments((all, caller) => writeOpenApi(service, all, caller));
  createRouteAdder(app)(openApiRoutes.getOpenApi, async (request, reply) => {
    const { tag, body } = await find(endpoints.endpoints, callerOf(request));
    // The same address answers each token something else.
    reply.header("Cache-Control", "private, no-cache").header("Vary", varyByToken).header("ETag", tag);
    if (isKnownTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
    return reply.type("application/json; charset=utf-8").send(body);
  });
}

interface WrittenDocument {
  readonly tag: string;
  readonly body: Buffer;
}

type WriteDocument = (endpoints: readonly Endpoint[], caller: Identity) => Promise<Buffer>;

/** The largest size of documents that are cached; a larger one is cached alone. */
const maxCachedBytes = 64_000_000;

/**
 * Writes a document once for all callers of the same rights, also for those who ask at the same time, as long as the
 * list of endpoints is the same object.
 */
export function cacheDocuments(write: WriteDocument, maxBytes = maxCachedBytes) {
  const open = () =>
    new LRUCache<string, WrittenDocument, Parameters<WriteDocument>>({
      maxSize: maxBytes,
      sizeCalculation: ({ body }) => Math.min(body.length, maxBytes),
      // Callers wait for a document also where another takes its place meanwhile.
      ignoreFetchAbort: true,
      fetchMethod: async (_rights, _stale, { context }) => {
        const body = await write(...context);
        return { tag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`, body };
      },
    });
  let source: readonly Endpoint[] | undefined;
  let documents = open();
  return (endpoints: readonly Endpoint[], caller: Identity): Promise<WrittenDocument> => {
    if (source !== endpoints) [source, documents] = [endpoints, open()];
    const { tokenId: _, expiresAt: __, ...of } = caller;
    return documents.forceFetch(JSON.stringify(of), { context: [endpoints, caller] });
  };
}
