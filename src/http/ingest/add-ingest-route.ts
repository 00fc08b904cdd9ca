import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { BodyError } from "../../engines/contract/query-engine.ts";
import { mediaTypeOf } from "../../ingest/parse-events.ts";
import { answerPlainly } from "../../ingest/protocols/own-answers.ts";
import type { Protocol, ProtocolAnswer } from "../../ingest/protocols/protocol.ts";
import type { Source } from "../../sources/source.ts";
import type { AppContext } from "../app-context.ts";
import { answerErrors } from "../plugins/errors.ts";
import { formOf } from "../request/json-body.ts";
import { urlParameters } from "../request/request-parameters.ts";
import { callerOf, type RouteAccess } from "../request/route-access.ts";
import { missingSource, nameInRequest, openSource } from "./find-source.ts";
import { nameInBody } from "./source-in-body.ts";
import { storeBody } from "./store-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    ingestSource: Source | undefined;
  }
}

/** Where a protocol's senders send to. */
export interface IngestRoute {
  readonly protocol: Protocol;
  readonly urls: readonly string[];
  /** POST unless given. */
  readonly methods?: readonly ("POST" | "PUT")[];
  /** Where events go that name no source. */
  readonly defaultSource?: string;
  /** Parameters of the URL that are the protocol's own business and name no source here. */
  readonly ownParameters?: readonly string[];
}

/** The access of what senders call; a body is read only where that is said. */
export const senderAccess: RouteAccess = { scope: "ingest", tokenIn: "sender", hasBody: false };

/**
 * Takes events as a protocol writes them. Who may, and where to, is decided before the body is read, unless only the
 * body says where to.
 */
export function addIngestRoute(app: FastifyInstance, dependencies: AppContext, route: IngestRoute): void {
  const { protocol, defaultSource, ownParameters } = route;
  for (const url of route.urls) {
    app.route({
      method: [...(route.methods ?? ["POST"])],
      url,
      config: { access: { ...senderAccess, hasBody: true } },
      onRequest: async (request) => {
        const identity = callerOf(request);
        dependencies.quotas.check(identity.tokenId, identity.budget);
        const name = nameInRequest(request, ownParameters) ?? defaultSource;
        if (name !== undefined) request.ingestSource = await openSource(dependencies, identity, name);
      },
      ...(protocol.answerFailure === undefined ? {} : { errorHandler: failInItsWords(protocol.answerFailure) }),
      handler: async (request, reply) => {
        const source = request.ingestSource ?? (await openSourceInBody(dependencies, request));
        const details = readDetails(request, protocol.details ?? []);
        const outcome = await storeBody(dependencies, source, request, reply, { protocol: protocol.name, details });
        // Few protocols have words for it.
        if (outcome.untimed > 0) reply.header("X-Logweir-Untimed", outcome.untimed);
        return sendAnswer(reply, (protocol.answer ?? answerPlainly)(outcome));
      },
    });
  }
}

async function openSourceInBody(dependencies: AppContext, request: FastifyRequest): Promise<Source> {
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  const name = await nameInBody(bytes, formOf(request), dependencies.maxBodyBytes);
  if (name === undefined) throw missingSource();
  return openSource(dependencies, callerOf(request), name);
}

/** The headers and parameters of a request that a protocol looks at, by the names it has for them. */
function readDetails(request: FastifyRequest, names: readonly string[]): Readonly<Record<string, string>> {
  const path = request.params as Readonly<Record<string, string | undefined>>;
  const parameters = urlParameters(request);
  const read = (name: string) => {
    if (!name.startsWith("?")) return request.headers[name]?.toString();
    return parameters.get(name.slice(1))?.at(-1) ?? path[name.slice(1)];
  };
  const found = names.flatMap((name) => {
    const value = read(name);
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

function sendAnswer(reply: FastifyReply, { status, headers = {}, body }: ProtocolAnswer): FastifyReply {
  const answer = reply.status(status).headers(headers);
  return answer.send(body instanceof Uint8Array ? Buffer.from(body) : body);
}

/** Answers errors as the protocol's senders understand them. */
function failInItsWords(answerFailure: NonNullable<Protocol["answerFailure"]>) {
  return answerErrors((error, reply) => {
    const { cause, code, status } = error;
    const hint = error.details.hint === undefined ? "" : `. ${error.details.hint}`;
    const message = `${error.message}${hint}`;
    const index = cause instanceof BodyError ? cause.index : undefined;
    const mediaType = mediaTypeOf(reply.request.headers["content-type"]);
    return sendAnswer(
      reply,
      answerFailure({ code, status, message, mediaType, ...(index === undefined ? {} : { index }) }),
    );
  });
}
