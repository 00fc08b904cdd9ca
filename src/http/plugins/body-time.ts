import type { FastifyInstance } from "fastify";
import { ServiceError } from "../../shared/errors.ts";

/** How often progress is checked within each time limit. */
const looks = 4;

/**
 * Ends requests whose body does not arrive: where nothing of it came for `timeoutMs`, it is answered 408 and the
 * connection closed. What was read of a body is held until its end, and a caller that never sends it would hold it
 * for ever.
 */
export function addBodyTime(app: FastifyInstance, timeoutMs: number): void {
  app.addHook("onRequest", async (request, reply) => {
    const { raw } = request;
    const { "content-length": length = "0", "transfer-encoding": encoding } = raw.headers;
    if (length === "0" && encoding === undefined) return;
    let seenBytes = raw.socket.bytesRead;
    let quiet = 0;
    const timer = setInterval(() => {
      const { bytesRead } = raw.socket;
      // All of it has arrived, and its reader may take its time.
      if (raw.complete) return stop();
      quiet = bytesRead === seenBytes ? quiet + 1 : 0;
      seenBytes = bytesRead;
      if (quiet < looks) return;
      stop();
      if (reply.sent || raw.listenerCount("error") === 0) raw.destroy();
      else {
        reply.raw.once("finish", () => raw.destroy());
        // The reader of the body sees this like any other failure of the connection.
        raw.emit("error", new ServiceError("request_timeout", `Nothing more of the body came for ${timeoutMs} ms`));
      }
    }, timeoutMs / looks).unref();
    const stop = () => clearInterval(timer);
    raw.once("end", stop);
    raw.once("close", stop);
  });
}
