/**
 * The service's side of the thread that reads and encodes long bodies: starts it when it is needed, and again when it
 * fails.
 */
import { Worker } from "node:worker_threads";
import { findScript } from "../contract/find-script.ts";
import { BodyError, type BodyRemarks, EngineError, type EventKey, type StoredBody } from "../contract/query-engine.ts";
import type { Tenant } from "../schema/field-requests.ts";
import type { SourceState } from "../schema/source/source-state.ts";
import type { EncodedBody, EncodeOutcome, EncoderAnswer, EncoderRequest } from "./protocol.ts";

/** Without work for so long the thread is ended: an idle service should be small. */
const IDLE_MS = 60_000;
/**
 * A body makes about ten times its size of short-lived objects: a small young generation would copy many of them
 * twice.
 */
const MEMORY_LIMITS = { maxYoungGenerationSizeMb: 96, maxOldGenerationSizeMb: 512 };

/** Events of a body that lie in the thread, until they are released. */
export interface ThreadEvents<Batch> {
  readonly count: number;
  /** Whose they are. */
  readonly sender?: string | undefined;
  readonly remarks: BodyRemarks;
  readonly newestTimestampUs: bigint | undefined;
  /** As they were encoded last: the field of the tenant may be another by now. */
  readonly keys: readonly EventKey[] | undefined;
  /** By the source's schema of now. `full`: tenants that may bring no further fields, beside those of the state. */
  encode(state: SourceState, full: ReadonlySet<Tenant>): Promise<EncodeOutcome<Batch>>;
  release(): void;
}

interface Pending<Batch> {
  readonly resolve: (body: EncodedBody<Batch>) => void;
  readonly reject: (error: Error) => void;
}

interface KnownSchema {
  readonly entries: SourceState["entries"];
  readonly declaration: SourceState["declaration"];
  readonly tenantField: string | null;
  readonly version: number;
  readonly count: number;
}

/** One run of the thread, and what it was sent. */
interface RunningThread<Batch> {
  readonly worker: Worker;
  readonly pending: Map<number, Pending<Batch>>;
  /**
   * How much of the schemas it knows: `epoch` is the list of entries itself, which is another after the engine was
   * started again.
   */
  readonly schemas: Map<string, KnownSchema>;
  heldBodies: number;
}

function tenantFieldOf({ rules }: SourceState): string | null {
  return rules?.tenantField ?? null;
}

function remarksOf({ rejected, untimed, receipt, loads }: BodyRemarks): BodyRemarks {
  return { rejected, untimed, receipt, loads };
}

function failureOf(answer: Exclude<EncoderAnswer<never>, { kind: "encoded" }>): Error {
  if (answer.kind === "refused") return new BodyError(answer.code, answer.message, answer.index);
  return new EngineError("internal", "The events could not be encoded", { cause: new Error(answer.message) });
}

function threadEnded(): EngineError {
  return new EngineError("unavailable", "The thread that reads events ended", { retryAfterSeconds: 1 });
}

/** Bodies are read one after the other: memory ran out over the one that waits the longest. */
function blameOldest({ pending }: Pick<RunningThread<never>, "pending">): void {
  for (const [id, { reject }] of pending) {
    reject(
      new BodyError(
        "body_too_large",
        "The body holds more than can be read at once; send its events in smaller bodies",
      ),
    );
    pending.delete(id);
    return;
  }
}

export interface EncoderThreadOptions {
  /** Whose encoder the thread uses, by the name that the thread's entry has for it. */
  readonly engine: string;
  /** The thread's script; by default the bundle beside this one, or of the checkout. */
  readonly path?: string;
  readonly log: (level: "warn", message: string) => void;
}

export class EncoderThread<Batch> {
  readonly #options: EncoderThreadOptions;
  #thread: RunningThread<Batch> | undefined;
  #lastId = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: EncoderThreadOptions) {
    this.#options = options;
  }

  /**
   * Reads a body, whose bytes are taken away from the caller, and encodes its events. Rejects with `BodyError`, or with
   * `EngineError` `unavailable` when the thread ended meanwhile. What it resolves with must be released.
   */
  async read(state: SourceState, body: StoredBody): Promise<ThreadEvents<Batch>> {
    const thread = this.#start();
    const id = ++this.#lastId;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      thread.worker.postMessage({ kind: "release", id } satisfies EncoderRequest);
      thread.heldBodies--;
      this.#restAfterWork(thread);
    };
    thread.heldBodies++;
    this.#sendSchema(thread, state);
    let { version } = state;
    let tenantField = tenantFieldOf(state);
    try {
      const { bytes } = body;
      const isWhole = bytes.buffer.byteLength === bytes.byteLength;
      const own = { ...body, bytes: isWhole ? bytes : new Uint8Array(bytes) };
      const request = { kind: "read", id, source: state.name, body: own } as const;
      let encoded = await this.#request(thread, request, [own.bytes.buffer as ArrayBuffer]);
      return {
        count: encoded.eventCount,
        sender: body.sender,
        remarks: remarksOf(encoded),
        newestTimestampUs: encoded.newestTimestampUs,
        get keys() {
          return encoded.keys;
        },
        encode: async (now, full) => {
          if (now.version !== version || tenantFieldOf(now) !== tenantField || full.size > 0) {
            this.#sendSchema(thread, now);
            [version, tenantField] = [now.version, tenantFieldOf(now)];
            encoded = await this.#request(thread, { kind: "again", id, full });
          }
          return encoded.outcome;
        },
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#thread?.worker.terminate();
  }

  #start(): RunningThread<Batch> {
    clearTimeout(this.#idleTimer);
    if (this.#thread !== undefined) return this.#thread;
    const { engine, path = findScript("encoder-thread.js") } = this.#options;
    const worker = new Worker(path, { resourceLimits: MEMORY_LIMITS, workerData: engine });
    const thread: RunningThread<Batch> = { worker, pending: new Map(), schemas: new Map(), heldBodies: 0 };
    worker.unref();
    worker.on("message", (answer: EncoderAnswer<Batch>) => {
      const waiting = thread.pending.get(answer.id);
      thread.pending.delete(answer.id);
      if (answer.kind === "encoded") waiting?.resolve(answer.body);
      else waiting?.reject(failureOf(answer));
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      this.#options.log("warn", `the thread that reads events failed: ${error.message}`);
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") blameOldest(thread);
    });
    worker.on("exit", () => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const { reject } of thread.pending.values()) reject(threadEnded());
      thread.pending.clear();
    });
    this.#thread = thread;
    return thread;
  }

  #restAfterWork(thread: RunningThread<Batch>): void {
    if (thread.heldBodies > 0 || this.#thread !== thread) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#thread === thread) this.#thread = undefined;
      void thread.worker.terminate();
    }, IDLE_MS).unref();
  }

  /** Before a request that needs it; the messages arrive in their order. */
  #sendSchema({ worker, schemas }: RunningThread<Batch>, state: SourceState): void {
    const { name, entries, declaration, full, version } = state;
    const tenantField = tenantFieldOf(state);
    const known = schemas.get(name);
    if (known?.version === version && known.tenantField === tenantField) return;
    const isNew = known?.entries !== entries || known.declaration !== declaration;
    const added = entries.slice(isNew ? 0 : known.count);
    const schema = { kind: "schema", source: name, isNew, entries: added, full, tenantField } as const;
    worker.postMessage((isNew ? { ...schema, declaration } : schema) satisfies EncoderRequest);
    schemas.set(name, { entries, declaration, tenantField, version, count: entries.length });
  }

  #request(
    thread: RunningThread<Batch>,
    request: EncoderRequest & { id: number },
    give: ArrayBuffer[] = [],
  ): Promise<EncodedBody<Batch>> {
    return new Promise((resolve, reject) => {
      if (this.#thread !== thread) {
        reject(threadEnded());
        return;
      }
      thread.pending.set(request.id, { resolve, reject });
      thread.worker.postMessage(request, give);
    });
  }
}
