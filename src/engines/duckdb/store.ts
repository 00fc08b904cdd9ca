/** The event store of the embedded engine, in the service: schemas, encoding and bounds; the host does the rest. */
import type { TableDefinition } from "../../googlesql/relation.ts";
import {
  type AppendResult,
  type BodyResult,
  EngineError,
  type EventBody,
  type EventStore,
  type LogEvent,
  type SourceDefinition,
  type SourceStatistics,
  type StoreReport,
  type StoreSnapshot,
} from "../engine.ts";
import type { EncodedBatch } from "./batch.ts";
import type { EncoderThread } from "./encoder/encoder-thread.ts";
import type { EncodeOutcome } from "./encoder/protocol.ts";
import type { EngineHost, SourceSchema, TableStatistics } from "./host/protocol.ts";
import type { TableLayout } from "./layout.ts";
import { encodeEvents } from "./schema/event-encoder.ts";
import { createFieldTree, defaultSchemaLimits, type SchemaLimits } from "./schema/field-tree.ts";
import type { SchemaEntry } from "./schema/schema-entry.ts";
import {
  createSourceState,
  growSourceState,
  missingKnownFields,
  resetSourceState,
  type SourceState,
} from "./source-state.ts";

export interface StoreLimits {
  /** Events and bytes that may wait for the disk; beyond, `append` fails with `overloaded`. */
  readonly maxPendingRows: number;
  readonly maxPendingBytes: number;
  readonly schema: SchemaLimits;
}

export const defaultStoreLimits: StoreLimits = {
  maxPendingRows: 100_000,
  maxPendingBytes: 128 * 1024 * 1024,
  schema: defaultSchemaLimits,
};

/** Rows a second that a small machine stores, for telling a client when to come again. */
const TYPICAL_ROWS_PER_SECOND = 10_000;

function toStatistics({ name, rowCount, oldestUs, newestUs, tailRowCount }: TableStatistics): SourceStatistics {
  return {
    name,
    rowCount,
    oldestTimestampUs: oldestUs === null ? null : BigInt(oldestUs),
    newestTimestampUs: newestUs === null ? null : BigInt(newestUs),
    tailRowCount,
  };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new EngineError("aborted", "The caller is gone"));
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Reads long bodies in a thread of its own. */
type BodyEncoder = Pick<EncoderThread, "read">;

/** Events that are encoded where they lie: here, or in the thread that read them. */
interface EncodableEvents {
  readonly count: number;
  /** By the schema of now. */
  encode(state: SourceState): Promise<EncodeOutcome>;
}

export interface StoreSettings {
  readonly limits?: StoreLimits;
  readonly directory?: string;
  /** Without it long bodies are read by the caller. */
  readonly encoder?: BodyEncoder;
}

export class DuckDbStore implements EventStore {
  readonly appendBody?: NonNullable<EventStore["appendBody"]>;
  readonly #host: () => EngineHost;
  readonly #limits: StoreLimits;
  readonly #directory: string | undefined;
  readonly #sources = new Map<string, SourceState>();
  #pendingRows = 0;
  #pendingBytes = 0;

  /** `host` answers the host of the moment, or throws `EngineError` `unavailable`. */
  constructor(host: () => EngineHost, { limits = defaultStoreLimits, directory, encoder }: StoreSettings = {}) {
    this.#directory = directory;
    this.#host = host;
    this.#limits = limits;
    if (encoder !== undefined) this.appendBody = (...call) => this.#appendBody(encoder, ...call);
  }

  /** Takes over the schemas of a host that was just opened. */
  load(schemas: readonly SourceSchema[]): void {
    for (const schema of schemas) {
      const state = this.#sources.get(schema.name);
      if (state === undefined) this.#sources.set(schema.name, createSourceState(schema));
      else resetSourceState(state, schema);
    }
  }

  layoutOf(sourceName: string): TableLayout | undefined {
    return this.#sources.get(sourceName)?.layout;
  }

  describe(sourceName: string): TableDefinition | undefined {
    return this.layoutOf(sourceName)?.definition;
  }

  async ensureSource(definition: SourceDefinition): Promise<void> {
    if (!this.#sources.has(definition.name)) {
      const entries = missingKnownFields(createFieldTree(), definition, this.#limits.schema);
      const schema = await this.#host().createSource(definition.name, entries);
      if (!this.#sources.has(definition.name)) this.#sources.set(definition.name, createSourceState(schema));
    }
    const state = this.#source(definition.name);
    await this.#grow(state, async () => missingKnownFields(state.tree, definition, this.#limits.schema));
  }

  async append(sourceName: string, events: readonly LogEvent[], signal: AbortSignal): Promise<AppendResult> {
    const state = this.#source(sourceName);
    this.#admit(signal);
    const encode = async ({ tree }: SourceState): Promise<EncodeOutcome> => {
      const { batch, missing } = encodeEvents(tree, events, this.#limits.schema);
      return missing === undefined ? { batches: [batch.encode()] } : { missing };
    };
    return unlessAborted(this.#store(state, { count: events.length, encode }), signal);
  }

  async #appendBody(
    encoder: BodyEncoder,
    sourceName: string,
    body: EventBody,
    signal: AbortSignal,
  ): Promise<BodyResult> {
    const state = this.#source(sourceName);
    this.#admit(signal);
    const storing = this.#hold(body.bytes.length, () => encoder.read(state, body)).then(async (events) => {
      const { rejected, newestTimestampUs } = events;
      try {
        const result = await this.#store(state, events);
        return { ...result, rejected, newestTimestampUs };
      } finally {
        events.release();
      }
    });
    return unlessAborted(storing, signal);
  }

  /** Refuses what would wait for long. */
  #admit(signal: AbortSignal): void {
    if (signal.aborted) throw new EngineError("aborted", "The caller is gone");
    if (this.#pendingRows >= this.#limits.maxPendingRows || this.#pendingBytes >= this.#limits.maxPendingBytes) {
      throw new EngineError("overloaded", "Too many events are waiting to be stored", {
        retryAfterSeconds: Math.max(1, Math.ceil(this.#pendingRows / TYPICAL_ROWS_PER_SECOND)),
      });
    }
  }

  async statistics(signal: AbortSignal): Promise<readonly SourceStatistics[]> {
    const tables = await unlessAborted(this.#host().statistics(), signal);
    return tables.map(toStatistics);
  }

  async deleteBefore(sourceName: string, timestampUs: bigint): Promise<number> {
    const state = this.#source(sourceName);
    return this.#host().deleteBefore(state.name, timestampUs.toString());
  }

  async inspect(signal: AbortSignal): Promise<StoreReport> {
    const { sources, ...sizes } = await unlessAborted(this.#host().report(), signal);
    return {
      directory: this.#directory,
      ...sizes,
      sources: sources.map(({ fieldCount, runCount, ...table }) => ({ ...toStatistics(table), fieldCount, runCount })),
    };
  }

  async snapshot(signal: AbortSignal): Promise<StoreSnapshot> {
    const host = this.#host();
    const beginning = host.beginSnapshot();
    // A caller that is gone by then releases nothing.
    const { sources, ...file } = await unlessAborted(beginning, signal).catch((error: unknown) => {
      beginning.then(() => host.endSnapshot()).catch(() => undefined);
      throw error;
    });
    return { files: [file], sources, release: () => host.endSnapshot() };
  }

  async #store(state: SourceState, events: EncodableEvents): Promise<AppendResult> {
    if (events.count === 0) return { stored: 0, repeated: 0 };
    this.#pendingRows += events.count;
    try {
      for (;;) {
        const { layout } = state;
        const { batches } = await events.encode(state);
        if (batches === undefined) {
          // Looked at again when it is its turn: another request may have brought the same fields.
          await this.#grow(state, async () => (await events.encode(state)).missing ?? []);
        } else if (state.layout === layout && state.openChanges === 0) {
          return await this.#send(state, batches);
        } else {
          // What was encoded by an older schema would arrive behind the change, and not where rows are read from then on.
          await state.changes;
        }
      }
    } finally {
      this.#pendingRows -= events.count;
    }
  }

  async #send(state: SourceState, batches: readonly EncodedBatch[]): Promise<AppendResult> {
    const byteCount = batches.reduce((sum, { payload }) => sum + payload.length, 0);
    return this.#hold(byteCount, () => this.#host().append(state.name, batches));
  }

  /** Counts bytes as pending during some work. */
  async #hold<T>(byteCount: number, work: () => Promise<T>): Promise<T> {
    this.#pendingBytes += byteCount;
    try {
      return await work();
    } finally {
      this.#pendingBytes -= byteCount;
    }
  }

  /** Adds what `findMissing` answers, after all changes before it. */
  #grow(state: SourceState, findMissing: () => Promise<readonly SchemaEntry[]>): Promise<void> {
    state.openChanges++;
    const change = state.changes.then(async () => {
      try {
        let layout: TableLayout;
        let entries: readonly SchemaEntry[];
        do {
          // A host that was started again meanwhile may know more fields than were known here, under the next columns' names.
          layout = state.layout;
          entries = await findMissing();
        } while (state.layout !== layout);
        if (entries.length === 0) return;
        await this.#host().addEntries(state.name, entries);
        growSourceState(state, entries);
      } finally {
        state.openChanges--;
      }
    });
    state.changes = change.catch(() => undefined);
    return change;
  }

  #source(name: string): SourceState {
    const state = this.#sources.get(name);
    if (state === undefined) throw new EngineError("internal", `The store has no source ${name}`);
    return state;
  }
}
