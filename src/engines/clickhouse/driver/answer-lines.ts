import { randomUUID } from "node:crypto";
import { readTextLines } from "../../../shared/network/read-answer.ts";
import { EngineError } from "../../contract/errors.ts";
import type { ServerClient, ServerQuery } from "./client.ts";

/** The lines of a query's rows, in the pieces in which they come. Leaving it ends the query on the server. */
export async function* readLines(
  client: Pick<ServerClient, "stream" | "kill">,
  query: Omit<ServerQuery, "queryId">,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly string[], void, void> {
  const queryId = randomUUID();
  let isOver = false;
  let isLost = false;
  try {
    yield* readTextLines(atMost(await client.stream({ ...query, queryId }), maxBytes));
    isOver = true;
  } catch (error) {
    // What ends with its connection need not be killed, and a server that is away would be waited for.
    isLost = error instanceof EngineError && error.isLost;
    throw error;
  } finally {
    if (!isOver && !isLost) await client.kill(queryId).catch(() => undefined);
  }
}

async function* atMost(parts: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, void> {
  let byteCount = 0;
  for await (const part of parts) {
    byteCount += part.length;
    if (byteCount > maxBytes) throw new EngineError("result_too_large", `The rows have more than ${maxBytes} bytes`);
    yield part;
  }
}
