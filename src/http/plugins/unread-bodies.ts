import type { FastifyInstance, FastifyRequest } from "fastify";
import { announcesBody } from "../server.ts";
import { accessOf } from "./authentication.ts";

/** Answers 100 to callers that ask before they send a body (RFC 9110, section 10.1.1) only where it is read. */
export function addUnreadBodies(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw }, reply) => {
    // A caller that was not asked to go on may send its body all the same, or its next request.
    if (announcesBody(raw) && expectsContinue(raw)) reply.header("Connection", "close");
  });
  app.addHook("preParsing", async (request, reply) => {
    if (!expectsContinue(request.raw) || !accessOf(request).hasBody) return;
    reply.removeHeader("Connection");
    reply.raw.writeContinue();
  });
}

function expectsContinue({ headers }: FastifyRequest["raw"]): boolean {
  return headers.expect?.toLowerCase() === "100-continue";
}
