import type { FastifyReply } from "fastify";

/** Aborted when the caller is gone before the answer was sent, or when `cutOff` is. */
export function createCallSignal(reply: FastifyReply, cutOff: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new Error("The caller is gone"));
  reply.raw.once("close", () => {
    cutOff.removeEventListener("abort", abort);
    if (!reply.raw.writableFinished) abort();
  });
  cutOff.addEventListener("abort", abort, { once: true });
  if (cutOff.aborted) abort();
  return controller.signal;
}
