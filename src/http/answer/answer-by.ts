import type { FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";

type Request<Route extends RouteGenericInterface> = FastifyRequest<Route>;

/**
 * A handler that sends its answer by itself, at once or later. What it throws before is answered like the error of
 * any handler. An async handler would have to return the reply, which the framework then waits for with more
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
