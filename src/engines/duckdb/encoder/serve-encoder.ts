/** The thread's side: reads bodies and encodes their events, one body after the other. */
import type { MessagePort } from "node:worker_threads";
import { BodyError, type EventBody, newestTimestampUs } from "../../engine.ts";
import { encodeEvents } from "../schema/event-encoder.ts";
import { applyEntries, createFieldTree, type FieldTree, type SchemaLimits } from "../schema/field-tree.ts";
import type { BodyReader, EncodedBody, EncodeOutcome, EncoderAnswer, EncoderRequest } from "./protocol.ts";

interface HeldBody {
  readonly source: string;
  readonly body: EventBody;
  readonly limits: SchemaLimits;
}

/** Buffers of the batches that can be handed over instead of copied: small ones share a pool. */
function transferable({ batches = [] }: EncodeOutcome): ArrayBuffer[] {
  return batches
    .map(({ payload }) => payload.buffer as ArrayBuffer)
    .filter(({ byteLength }) => byteLength > Buffer.poolSize);
}

export function serveEncoder(port: MessagePort, readBody: BodyReader): void {
  const trees = new Map<string, FieldTree>();
  // Bytes are kept, not the events made of them: it is rare that they are needed again.
  const held = new Map<number, HeldBody>();
  let work: Promise<void> = Promise.resolve();

  const encode = async ({ source, body, limits }: HeldBody): Promise<EncodedBody> => {
    const { events, rejected } = await readBody(body);
    const { batch, missing } = encodeEvents(trees.get(source) ?? createFieldTree(), events, limits);
    return {
      eventCount: events.length,
      rejected,
      newestTimestampUs: newestTimestampUs(events),
      outcome: missing === undefined ? { batches: events.length === 0 ? [] : [batch.encode()] } : { missing },
    };
  };

  const answer = async (id: number): Promise<void> => {
    const body = held.get(id);
    if (body === undefined) return;
    try {
      const encoded = await encode(body);
      port.postMessage({ kind: "encoded", id, body: encoded } satisfies EncoderAnswer, transferable(encoded.outcome));
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      port.postMessage(
        (error instanceof BodyError
          ? { kind: "refused", id, code: error.code, message: error.message }
          : { kind: "failed", id, message }) satisfies EncoderAnswer,
      );
    }
  };

  const handle = async (request: EncoderRequest): Promise<void> => {
    switch (request.kind) {
      case "schema": {
        const tree = request.isNew ? undefined : trees.get(request.source);
        if (tree === undefined) trees.set(request.source, createFieldTree(request.entries));
        else applyEntries(tree, request.entries);
        return;
      }
      case "read":
        held.set(request.id, request);
        return answer(request.id);
      case "again":
        return answer(request.id);
      case "release":
        held.delete(request.id);
    }
  };

  port.on("message", (request: EncoderRequest) => {
    work = work.then(() => handle(request));
  });
}
