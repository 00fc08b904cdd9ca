import type { FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";

type Request<Route extends RouteGenericInterface> = FastifyRequest<Route>;

/**
 * A handler that sends its answer itself, immediately or later. An error that it throws before is answered like that of
 * any other handler. An async handler would have to return the reply, and the framework then waits for it with more
 * listeners on each response.
 */
export function answerBy<Route extends RouteGenericInterface>(
  answer: (request: Request<Route>, reply: FastifyReply) => Promise<void>,
): (request: Request<Route>, reply: FastifyReply) => undefined {
  return (request, reply): undefined => {
    answer(request, reply).catch((error: unknown) => {
      if (reply.sent) request.log.error({ err: error }, "fault");
      else reply.send(error);
    });
  };
}
