import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { CATALOGUE } from "../../../googlesql/catalogue/index.ts";
import { listOf, text, texts } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { isKnownTag } from "../../answer/entity-tag.ts";
import { createRouteAdder } from "../../request/add-route.ts";

/** Functions seldom change, and only with the service. */
const cacheControl = "private, max-age=3600";

export const catalogueRoutes = describeRoutes({
  listFunctions: {
    path: "/api/catalogue",
    summary: "List the functions that queries may call",
    tag: "service",
    scope: "any",
    answer: Type.Object({
      functions: listOf({ name: text, aliases: texts, kind: text, area: text, signatures: texts, summary: text }),
    }),
  },
});

/**
 * `GET /api/catalogue`: the functions that queries may call, with signatures and a line of documentation. Any valid
 * token will do.
 */
export function addCatalogueRoute(app: FastifyInstance): void {
  const functions = CATALOGUE.definitions
    .filter(({ name, refused }) => !name.startsWith("$") && refused === undefined)
    .map(({ name, aliases = [], kind, area, signatures, summary }) => ({
      name,
      aliases,
      kind,
      area,
      signatures,
      summary,
    }));
  const body = JSON.stringify({ functions });
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  createRouteAdder(app)(catalogueRoutes.listFunctions, (request, reply) => {
    reply.header("Cache-Control", cacheControl).header("ETag", etag).type("application/json; charset=utf-8");
    return isKnownTag(request.headers["if-none-match"], etag) ? reply.code(304).send() : reply.send(body);
  });
}
