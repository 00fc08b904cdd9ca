/** The thread's side: reads bodies and encodes their events, one body after the other. */
import type { MessagePort } from "node:worker_threads";
import { BodyError, type EventBody, newestTimestampUs } from "../../contract/query-engine.ts";
import { encodeEvents } from "../schema/event-encoder.ts";
import type { Tenant } from "../schema/field-requests.ts";
import { applyEntries, createFieldTree, type FieldTree } from "../schema/field-tree.ts";
import type { BodyReader, EncodedBody, EncodeOutcome, EncoderAnswer, EncoderRequest } from "./protocol.ts";

interface HeldBody {
  readonly source: string;
  readonly body: EventBody;
}

interface KnownSchema {
  tree: FieldTree;
  full: ReadonlySet<Tenant>;
}

/** Buffers of the batches that can be handed over instead of copied: small ones share a pool. */
function transferable({ batches = [] }: EncodeOutcome): ArrayBuffer[] {
  return batches
    .map(({ payload }) => payload.buffer as ArrayBuffer)
    .filter(({ byteLength }) => byteLength > Buffer.poolSize);
}

export function serveEncoder(port: MessagePort, readBody: BodyReader): void {
  const schemas = new Map<string, KnownSchema>();
  // Bytes are kept, not the events made of them: it is rare that they are needed again.
  const held = new Map<number, HeldBody>();
  let work: Promise<void> = Promise.resolve();

  const encode = async ({ source, body }: HeldBody, alsoFull: ReadonlySet<Tenant>): Promise<EncodedBody> => {
    const { events, ...remarks } = await readBody(body);
    const { tree, full } = schemas.get(source) ?? { tree: createFieldTree(), full: alsoFull };
    const encoded = encodeEvents(tree, events, alsoFull.size === 0 ? full : new Set([...full, ...alsoFull]));
    return {
      ...remarks,
      eventCount: events.length,
      newestTimestampUs: newestTimestampUs(events),
      keys: body.wantsKeys === true ? events.map(({ id, timestampUs }) => ({ id, timestampUs })) : undefined,
      outcome:
        encoded.missing === undefined
          ? { batches: events.length === 0 ? [] : [encoded.batch.encode()], carried: encoded.carried }
          : { missing: encoded.missing },
    };
  };

  const answer = async (id: number, full: ReadonlySet<Tenant> = new Set()): Promise<void> => {
    const body = held.get(id);
    if (body === undefined) return;
    try {
      const encoded = await encode(body, full);
      port.postMessage({ kind: "encoded", id, body: encoded } satisfies EncoderAnswer, transferable(encoded.outcome));
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      port.postMessage(
        (error instanceof BodyError
          ? { kind: "refused", id, code: error.code, message: error.message, index: error.index }
          : { kind: "failed", id, message }) satisfies EncoderAnswer,
      );
    }
  };

  const handle = async (request: EncoderRequest): Promise<void> => {
    switch (request.kind) {
      case "schema": {
        const { source, entries, declaration, isNew, full } = request;
        const known = isNew ? undefined : schemas.get(source);
        if (known === undefined) schemas.set(source, { tree: createFieldTree(entries, declaration), full });
        else {
          applyEntries(known.tree, entries);
          known.full = full;
        }
        return;
      }
      case "read":
        held.set(request.id, request);
        return answer(request.id);
      case "again":
        return answer(request.id, request.full);
      case "release":
        held.delete(request.id);
    }
  };

  port.on("message", (request: EncoderRequest) => {
    work = work.then(() => handle(request));
  });
}
