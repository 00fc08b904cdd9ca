import type { ClientRequest, IncomingMessage } from "node:http";

/**
 * Resolves with the head of the answer to a request; rejects where its connection ends without one, also where Node
 * says nothing else: behind an answer that changes the protocol (101), a request has neither an error nor an answer,
 * and no signal ends it any more. Errors after that are those of the answer, as a stream.
 */
export function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.on("error", reject);
    request.once("close", () => reject(Object.assign(new Error("no answer"), { code: "ECONNRESET" })));
  });
}
