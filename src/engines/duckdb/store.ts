/** The event store of the embedded engine, in the service: schemas, encoding and bounds; the host does the rest. */
import { setImmediate } from "node:timers/promises";
import type { TableDefinition } from "../../googlesql/relation.ts";
import {
  type AppendResult,
  EngineError,
  type EventStore,
  type LogEvent,
  type SourceDefinition,
  type SourceStatistics,
  type StoreReport,
  type StoreSnapshot,
} from "../engine.ts";
import type { EncodedBatch } from "./batch.ts";
import type { EngineHost, SourceSchema, TableStatistics } from "./host/protocol.ts";
import type { TableLayout } from "./layout.ts";
import { encodeEvents } from "./schema/event-encoder.ts";
import { defaultSchemaLimits, type SchemaLimits } from "./schema/field-tree.ts";
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

/** Events that are encoded without a pause: some 20 ms. */
const EVENTS_PER_SLICE = 500;

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

export class DuckDbStore implements EventStore {
  readonly #host: () => EngineHost;
  readonly #limits: StoreLimits;
  readonly #directory: string | undefined;
  readonly #sources = new Map<string, SourceState>();
  #pendingRows = 0;
  #pendingBytes = 0;

  /** `host` answers the host of the moment, or throws `EngineError` `unavailable`. */
  constructor(host: () => EngineHost, limits: StoreLimits = defaultStoreLimits, directory?: string) {
    this.#directory = directory;
    this.#host = host;
    this.#limits = limits;
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
      const schema = await this.#host().createSource(definition.name);
      if (!this.#sources.has(definition.name)) this.#sources.set(definition.name, createSourceState(schema));
    }
    const state = this.#source(definition.name);
    await this.#grow(state, () => missingKnownFields(state.tree, definition, this.#limits.schema));
  }

  async append(sourceName: string, events: readonly LogEvent[], signal: AbortSignal): Promise<AppendResult> {
    const state = this.#source(sourceName);
    if (signal.aborted) throw new EngineError("aborted", "The caller is gone");
    if (events.length === 0) return { stored: 0, repeated: 0 };
    if (this.#pendingRows >= this.#limits.maxPendingRows || this.#pendingBytes >= this.#limits.maxPendingBytes) {
      throw new EngineError("overloaded", "Too many events are waiting to be stored", {
        retryAfterSeconds: Math.max(1, Math.ceil(this.#pendingRows / TYPICAL_ROWS_PER_SECOND)),
      });
    }
    this.#pendingRows += events.length;
    const stored = this.#store(state, events).finally(() => {
      this.#pendingRows -= events.length;
    });
    return unlessAborted(stored, signal);
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

  async #store(state: SourceState, events: readonly LogEvent[]): Promise<AppendResult> {
    for (;;) {
      const { layout } = state;
      const batches = await this.#encode(state, events);
      // What was encoded by an older schema would arrive behind the change, and not where rows are read from then on.
      if (state.layout === layout && state.openChanges === 0) return this.#send(state, batches);
      await state.changes;
    }
  }

  async #encode(state: SourceState, events: readonly LogEvent[]): Promise<EncodedBatch[]> {
    const batches: EncodedBatch[] = [];
    for (let from = 0; from < events.length; from += EVENTS_PER_SLICE) {
      // A long request must not hold up the others.
      if (from > 0) await setImmediate();
      const slice = events.slice(from, from + EVENTS_PER_SLICE);
      let { batch } = encodeEvents(state.tree, slice, this.#limits.schema);
      while (batch === undefined) {
        // Looked at again when it is its turn: another request may have brought the same fields.
        await this.#grow(state, () => encodeEvents(state.tree, slice, this.#limits.schema).missing ?? []);
        batch = encodeEvents(state.tree, slice, this.#limits.schema).batch;
      }
      batches.push(batch.encode());
    }
    return batches;
  }

  async #send(state: SourceState, batches: readonly EncodedBatch[]): Promise<AppendResult> {
    const byteCount = batches.reduce((sum, { payload }) => sum + payload.length, 0);
    this.#pendingBytes += byteCount;
    try {
      return await this.#host().append(state.name, batches);
    } finally {
      this.#pendingBytes -= byteCount;
    }
  }

  /** Adds what `findMissing` answers, after all changes before it. */
  #grow(state: SourceState, findMissing: () => readonly SchemaEntry[]): Promise<void> {
    state.openChanges++;
    const change = state.changes.then(async () => {
      try {
        const entries = findMissing();
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
