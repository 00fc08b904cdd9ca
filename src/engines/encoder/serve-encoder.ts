/** The thread's side: reads bodies and encodes their events, one body after the other. */
import type { MessagePort } from "node:worker_threads";
import { keyOf } from "../contract/event-tenant.ts";
import { BodyError, newestTimestampUs, type StoredBody } from "../contract/query-engine.ts";
import type { Tenant } from "../schema/field-requests.ts";
import { applyEntries, createFieldTree } from "../schema/field-tree.ts";
import type {
  BodyReading,
  EncodedBody,
  EncodeOutcome,
  EncoderAnswer,
  EncoderRequest,
  EncodingSchema,
  EventEncoder,
} from "./protocol.ts";

interface HeldBody {
  readonly source: string;
  readonly body: StoredBody;
}

/** Answers what is asked over the port, one request after the other. */
export function serveEncoder<Batch>(port: MessagePort, reading: BodyReading, encoder: EventEncoder<Batch>): void {
  const server = new EncoderServer(port, reading, encoder);
  let work: Promise<void> = Promise.resolve();
  port.on("message", (request: EncoderRequest) => {
    work = work.then(() => server.handle(request));
  });
  // Nobody knows whose request it was: the thread ends, and all of them are refused instead of never answered.
  port.on("messageerror", (error: Error) => {
    throw error;
  });
}

class EncoderServer<Batch> {
  readonly #port: MessagePort;
  readonly #reading: BodyReading;
  readonly #encoder: EventEncoder<Batch>;
  readonly #schemas = new Map<string, EncodingSchema>();
  /** The bytes are held, not the events read from them: they are rarely needed again. */
  readonly #held = new Map<number, HeldBody>();

  constructor(port: MessagePort, reading: BodyReading, encoder: EventEncoder<Batch>) {
    this.#port = port;
    this.#reading = reading;
    this.#encoder = encoder;
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

  #learnSchema(message: Extract<EncoderRequest, { kind: "schema" }>): void {
    const { source, entries, declaration, isNew, full, tenantField } = message;
    const known = isNew ? undefined : this.#schemas.get(source);
    const tree = known?.tree ?? createFieldTree(entries, declaration);
    if (known !== undefined) applyEntries(tree, entries);
    this.#schemas.set(source, { tree, full, tenantField });
  }

  async #answer(id: number, full: ReadonlySet<Tenant> = new Set()): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    try {
      const body = await this.#encode(held, full);
      this.#send({ kind: "encoded", id, body }, this.#transferable(body.outcome));
    } catch (error) {
      this.#send(toFailure(id, error));
    }
  }

  /** The buffer of the batch where it is handed over: small ones share a pool. */
  #transferable({ batch }: EncodeOutcome<Batch>): readonly ArrayBuffer[] {
    const buffer = batch === undefined ? undefined : (this.#encoder.bytesOf(batch).buffer as ArrayBuffer);
    return buffer === undefined || buffer.byteLength <= Buffer.poolSize ? [] : [buffer];
  }

  #send(answer: EncoderAnswer<Batch>, transferred: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(answer, transferred);
  }

  async #encode({ source, body }: HeldBody, alsoFull: ReadonlySet<Tenant>): Promise<EncodedBody<Batch>> {
    const known = this.#schemas.get(source) ?? { tree: createFieldTree(), full: alsoFull, tenantField: null };
    const schema = { ...known, full: alsoFull.size === 0 ? known.full : new Set([...known.full, ...alsoFull]) };
    const plain = this.#encoder.encodePlain === undefined ? undefined : await this.#reading.readPlain?.(body);
    const encoded = plain === undefined ? undefined : this.#encoder.encodePlain?.(schema, plain);
    if (encoded !== undefined) {
      return { ...encoded, rejected: [], keys: undefined };
    }
    const { events, ...remarks } = await this.#reading.read(body);
    const tenantPath = schema.tenantField?.split(".");
    return {
      ...remarks,
      eventCount: events.length,
      newestTimestampUs: newestTimestampUs(events),
      keys: body.wantsKeys ? events.map((event) => keyOf(tenantPath, event)) : undefined,
      outcome: this.#encoder.encode(schema, events),
    };
  }
}

function toFailure(id: number, error: unknown): EncoderAnswer<never> {
  if (error instanceof BodyError) {
    const { code, message, index } = error;
    return { kind: "refused", id, code, message, index };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: "failed", id, message };
}
