/** A message of a `text/event-stream` (HTML, section 9.2); an id without data is a `place`. */
export interface StreamMessage {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Reads messages as they come; comments are passed by. */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      rest += decoder.decode(step.value, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const message = parseBlock(block);
        if (message !== undefined) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): StreamMessage | undefined {
  let id: string | undefined;
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at <= 0) continue;
    const value = line.slice(at + 1).replace(/^ /, "");
    const name = line.slice(0, at);
    if (name === "id") id = value;
    else if (name === "event") event = value;
    else if (name === "data") data.push(value);
  }
  if (data.length > 0) return { id, event, data: data.join("\n") };
  return id === undefined ? undefined : { id, event: "place", data: "" };
}

/** Refusals of a service, or of a proxy in front of it, that will answer again. */
export const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The service's errors of these statuses, as the end of a stream has them. */
export const passingCodes: ReadonlySet<string> = new Set([
  ...["too_many_queries", "rate_limited", "tenant_limit", "held_back", "overloaded", "timeout"],
  ...["metadata_unavailable", "issuer_unavailable", "engine_unavailable", "shutting_down"],
]);
