import type { FastifyReply } from "fastify";
import { ServiceError } from "../errors.ts";

/** Nobody waits for the answer any more. */
export class CallerGoneError extends Error {
  override readonly name = "CallerGoneError";

  constructor() {
    super("The caller is gone");
  }
}

/**
 * Aborted with a `CallerGoneError` when the caller is gone before the answer was sent, and with `shutting_down` when
 * `cutOff` is aborted.
 */
export function createCallSignal(reply: FastifyReply, cutOff: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const cut = () =>
    controller.abort(new ServiceError("shutting_down", "The service stopped before the answer was there"));
  reply.raw.once("close", () => {
    cutOff.removeEventListener("abort", cut);
    if (!reply.raw.writableFinished) controller.abort(new CallerGoneError());
  });
  cutOff.addEventListener("abort", cut, { once: true });
  if (cutOff.aborted) cut();
  return controller.signal;
}
