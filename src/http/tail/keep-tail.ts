import type { FastifyRequest } from "fastify";
import type { Follower } from "../../endpoints/tail/shared-tail.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Shutdown } from "../request/shutdown.ts";
import type { TailOutlet, TailStream } from "./tail-stream.ts";

const heartbeatMs = 15_000;
const checkMs = 500;

interface KeptTail {
  readonly outlet: Pick<TailOutlet, "onClose">;
  readonly stream: TailStream;
  /** The stream's follower behind its guard. */
  readonly guarded: Follower;
}

/** Has a tail beat, and end with what it shows or with the service, until its connection is closed. */
export function keepTail(
  shutdown: Pick<Shutdown, "onStopping">,
  request: FastifyRequest,
  { outlet, stream, guarded }: KeptTail,
): void {
  request.isTail = true;
  const timers = [
    setInterval(stream.beat, heartbeatMs).unref(),
    setInterval(() => guarded.deliver([]), checkMs).unref(),
  ];
  const stop = () => stream.follower.end(new ServiceError("shutting_down", "The service is stopping"));
  const forget = shutdown.onStopping(stop);
  outlet.onClose(() => {
    for (const timer of timers) clearInterval(timer);
    forget();
  });
}
