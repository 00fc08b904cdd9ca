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
 * `cutOff` is aborted, and with `timeout` after `waitMs`, where that is given.
 */
export function createCallSignal(reply: FastifyReply, cutOff: AbortSignal, waitMs?: number): AbortSignal {
  const controller = new AbortController();
  const cut = () =>
    controller.abort(new ServiceError("shutting_down", "The service stopped before the answer was there"));
  const giveUp = () =>
    controller.abort(new ServiceError("timeout", "The query took longer than the caller wanted to wait"));
  const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
  reply.raw.once("close", () => {
    clearTimeout(timer);
    cutOff.removeEventListener("abort", cut);
    if (!reply.raw.writableFinished) controller.abort(new CallerGoneError());
  });
  cutOff.addEventListener("abort", cut, { once: true });
  if (cutOff.aborted) cut();
  return controller.signal;
}
