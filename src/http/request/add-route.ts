import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import type { AnswerOf, PathParameters, RouteDescription } from "../../openapi/route-description.ts";
import { requirePrivate } from "./require-private.ts";

/** A request to a described route, with the parameters of its path. */
export type RequestOf<Description extends RouteDescription> = FastifyRequest<{
  Params: PathParameters<Description["path"]>;
}>;

/** Answers a described route: with what its description says, or by the reply itself. */
type Handler<Description extends RouteDescription, Result> = (
  request: RequestOf<Description>,
  reply: FastifyReply,
) => Result | Promise<Result>;

/** Registers a route by its description, under all its paths and methods. */
export type AddRoute = <const Description extends RouteDescription>(
  description: Description,
  handler: Handler<NoInfer<Description>, AnswerOf<NoInfer<Description>> | FastifyReply | undefined>,
) => void;

/**
 * Registers routes by their descriptions. Those of the scope `private` let no other token through, before anything
 * of the body is read; who it was is told by `ownerOf`. All others find out themselves who calls.
 */
export function createRouteAdder(app: FastifyInstance, authenticator: Authenticator): AddRoute {
  const onRequest = requirePrivate(authenticator);
  return ({ method, alsoBy = [], path, aliases = [], scope }, handler) => {
    for (const each of [path, ...aliases]) {
      app.route({
        method: [method, ...alsoBy].map((name) => name.toUpperCase()),
        url: each.replaceAll(/\{(\w+)\}/g, ":$1"),
        ...(scope === "private" ? { onRequest } : {}),
        handler: handler as (request: FastifyRequest, reply: FastifyReply) => unknown,
      });
    }
  };
}
