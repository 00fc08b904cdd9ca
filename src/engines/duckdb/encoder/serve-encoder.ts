/** The thread's side: reads bodies and encodes their events, one body after the other. */
import type { MessagePort } from "node:worker_threads";
import { BodyError, newestTimestampUs, type StoredBody } from "../../contract/query-engine.ts";
import type { Tenant } from "../../schema/field-requests.ts";
import { applyEntries, createFieldTree, type FieldTree } from "../../schema/field-tree.ts";
import { encodeEvents } from "./event-encoder.ts";
import type { BodyReader, EncodedBody, EncodeOutcome, EncoderAnswer, EncoderRequest } from "./protocol.ts";

interface HeldBody {
  readonly source: string;
  readonly body: StoredBody;
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

/** Answers what is asked over the port, one request after the other. */
export function serveEncoder(port: MessagePort, readBody: BodyReader): void {
  const server = new EncoderServer(port, readBody);
  let work: Promise<void> = Promise.resolve();
  port.on("message", (request: EncoderRequest) => {
    work = work.then(() => server.handle(request));
  });
}

class EncoderServer {
  readonly #port: MessagePort;
  readonly #readBody: BodyReader;
  readonly #schemas = new Map<string, KnownSchema>();
  /** Bytes are kept, not the events made of them: it is rare that they are needed again. */
  readonly #held = new Map<number, HeldBody>();

  constructor(port: MessagePort, readBody: BodyReader) {
    this.#port = port;
    this.#readBody = readBody;
  }

  async handle(request: EncoderRequest): Promise<void> {
    switch (request.kind) {
      case "schema":
        return this.#learnSchema(request);
      case "read":
        this.#held.set(request.id, request);
        return this.#answer(request.id);
      case "again":
        return this.#answer(request.id, request.full);
      case "release":
        this.#held.delete(request.id);
    }
  }

  #learnSchema({ source, entries, declaration, isNew, full }: Extract<EncoderRequest, { kind: "schema" }>): void {
    const known = isNew ? undefined : this.#schemas.get(source);
    if (known === undefined) {
      this.#schemas.set(source, { tree: createFieldTree(entries, declaration), full });
      return;
    }
    applyEntries(known.tree, entries);
    known.full = full;
  }

  async #answer(id: number, full: ReadonlySet<Tenant> = new Set()): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    try {
      const body = await this.#encode(held, full);
      this.#send({ kind: "encoded", id, body }, transferable(body.outcome));
    } catch (error) {
      this.#send(toFailure(id, error));
    }
  }

  #send(answer: EncoderAnswer, transferred: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(answer, transferred);
  }

  async #encode({ source, body }: HeldBody, alsoFull: ReadonlySet<Tenant>): Promise<EncodedBody> {
    const { events, ...remarks } = await this.#readBody(body);
    const { tree, full } = this.#schemas.get(source) ?? { tree: createFieldTree(), full: alsoFull };
    const encoded = encodeEvents(tree, events, alsoFull.size === 0 ? full : new Set([...full, ...alsoFull]));
    return {
      ...remarks,
      eventCount: events.length,
      newestTimestampUs: newestTimestampUs(events),
      keys: body.wantsKeys ? events.map(({ id, timestampUs }) => ({ id, timestampUs })) : undefined,
      outcome:
        encoded.missing === undefined
          ? { batches: events.length === 0 ? [] : [encoded.batch.encode()], carried: encoded.carried }
          : { missing: encoded.missing },
    };
  }
}

function toFailure(id: number, error: unknown): EncoderAnswer {
  if (error instanceof BodyError) {
    const { code, message, index } = error;
    return { kind: "refused", id, code, message, index };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: "failed", id, message };
}
