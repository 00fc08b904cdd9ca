import type { FastifyReply } from "fastify";
import { ServiceError } from "../../shared/errors.ts";
import type { Shutdown } from "./shutdown.ts";

/** The caller no longer waits for the answer. */
export class CallerGoneError extends Error {
  override readonly name = "CallerGoneError";

  constructor() {
    super("The caller is gone");
  }
}

/**
 * Aborted with a `CallerGoneError` when the caller disconnects before the answer was sent, with `shutting_down` when
 * calls are cut off, with `timeout` after `waitMs`, if given, and with `unauthorized` once the call's token is not valid
 * any more. Aborted immediately when the caller is already gone.
 */
export function createCallSignal(
  reply: FastifyReply,
  shutdown: Pick<Shutdown, "onCutOff">,
  waitMs?: number,
): AbortSignal {
  const controller = new AbortController();
  const cut = () =>
    controller.abort(new ServiceError("shutting_down", "The service stopped before the answer was there"));
  const giveUp = () =>
    controller.abort(new ServiceError("timeout", "The query took longer than the caller wanted to wait"));
  const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
  const forget = shutdown.onCutOff(cut);
  const unwatch = reply.server.callWatch?.watch(reply.request, (error) => {
    // Whoever takes nothing of an answer that has begun would not learn of its end.
    if (controller.signal.aborted && reply.raw.headersSent) reply.raw.destroy();
    controller.abort(error);
  });
  const close = () => {
    clearTimeout(timer);
    forget();
    unwatch?.();
    if (!reply.raw.writableFinished) controller.abort(new CallerGoneError());
  };
  // A response emits its end once: one that ended while the request was being read or checked emits nothing later.
  if (reply.raw.closed || reply.raw.destroyed) close();
  else reply.raw.once("close", close);
  return controller.signal;
}
