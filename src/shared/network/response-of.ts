import type { ClientRequest, IncomingMessage } from "node:http";

/** Interim answers (1xx) to one request: parsing a flood of them takes the time of all others. */
const maxHints = 10;

/**
 * Resolves with the head of the answer to a request; rejects where its connection ends without one, also where Node
 * says nothing else: behind an answer that changes the protocol (101), a request has neither an error nor an answer,
 * and no signal ends it any more. A request that is answered by more than ten hints is ended. Errors after that are
 * those of the answer, as a stream.
 */
export function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let hintCount = 0;
    request.on("information", () => {
      if (++hintCount <= maxHints) return;
      // At once: an answer behind them may be in the same bytes.
      reject(Object.assign(new Error("too many hints"), { code: "TOO_MANY_HINTS" }));
      request.destroy();
    });
    request.once("response", resolve);
    request.on("error", reject);
    request.once("close", () => reject(Object.assign(new Error("no answer"), { code: "ECONNRESET" })));
  });
}
