/** The event store of the embedded engine, in the service: schemas, encoding and bounds; the host does the rest. */

import type { TableDefinition } from "../../../googlesql/relation.ts";
import { omitUndefined } from "../../../shared/omit-undefined.ts";
import type { LogLoss } from "../../contract/event-store.ts";
import type {
  AppendResult,
  BodyResult,
  Deletion,
  EventFilter,
  EventStore,
  LogEvent,
  SourceDefinition,
  SourceStatistics,
  StoreReport,
  StoreSnapshot,
  StoreSpace,
} from "../../contract/query-engine.ts";
import { unlessAborted } from "../../contract/unless-aborted.ts";
import { appendBody, type BodyEncoder } from "../../encoder/append-body.ts";
import { type StorableEvents, storable, storeEvents } from "../../encoder/store-events.ts";
import type { Carried } from "../../schema/carried-entries.ts";
import type { Tenant } from "../../schema/field-requests.ts";
import { declaredEntries } from "../../schema/grant-entries.ts";
import type { LayoutCatalog } from "../../schema/layout.ts";
import type { SchemaEntry } from "../../schema/schema-entry.ts";
import { deleteCarried, storeCarried } from "../../schema/source/first-carried.ts";
import { PendingWork } from "../../schema/source/pending-work.ts";
import type { SourceRules } from "../../schema/source/source-schema.ts";
import {
  defineSource,
  growSourceState,
  isSameRules,
  resetSourceState,
  type SourceState,
} from "../../schema/source/source-state.ts";
import { SourceStates } from "../../schema/source/source-states.ts";
import { defaultStoreLimits, type StoreLimits } from "../../schema/source/store-limits.ts";
import { type EncodedBatch, withOwnIds } from "../batch/batch.ts";
import { BatchEncoder, receiveBatch } from "../batch/event-encoder.ts";
import type { EngineHost, JointResult, OpenedStore, RowFilter } from "../host/protocol.ts";
import { eventCountOf, JointAppends } from "./joint-appends.ts";
import { toReport, toSpace, toStatistics } from "./store-report.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { untilDone } from "./until-done.ts";

/** Rows a second that a small machine stores, to advise a client when to come again. */
const TYPICAL_ROWS_PER_SECOND = 10_000;

const NOTHING: AppendResult = { stored: 0, repeated: 0 };

export interface StoreSettings {
  readonly limits?: StoreLimits;
  readonly directory?: string;
  /** Waits for a host that is being started again; rejects where there is none to come. */
  readonly ready?: () => Promise<void>;
  /** Without it long bodies are read by the caller. */
  readonly encoder?: BodyEncoder<EncodedBatch>;
}

export class DuckDbStore implements EventStore {
  logLoss: LogLoss | undefined;
  readonly appendBody?: NonNullable<EventStore["appendBody"]>;
  readonly appendPlain?: NonNullable<EventStore["appendPlain"]>;
  readonly #host: () => EngineHost;
  readonly #directory: string | undefined;
  readonly #ready: () => Promise<void>;
  readonly #sources: SourceStates;
  readonly #pending: PendingWork;
  readonly #encoder = new BatchEncoder();
  readonly #joint = new JointAppends(this.#encoder, (...call) => this.#send(...call));

  /** `host` answers the host of the moment, or throws `EngineError` `unavailable`. */
  constructor(
    host: () => EngineHost,
    { limits = defaultStoreLimits, directory, encoder, ready = async () => undefined }: StoreSettings = {},
  ) {
    this.#directory = directory;
    this.#ready = ready;
    this.#host = host;
    this.#pending = new PendingWork(limits, TYPICAL_ROWS_PER_SECOND);
    this.#sources = new SourceStates(limits.schema);
    if (encoder === undefined) return;
    this.appendBody = (...call) => this.#appendBody(encoder, ...call);
    this.appendPlain = (...call) => this.#appendPlain(...call);
  }

  /** Takes over what a host that was just opened reports about its store. */
  load({ sources, logLoss }: OpenedStore): void {
    this.logLoss = logLoss;
    this.#sources.load(sources);
  }

  /** The layout of a table that `describe` answered. */
  readonly layoutOf: LayoutCatalog = (table) => this.#sources.layoutOf(table);
  readonly stateOf = (sourceName: string): SourceState => this.#sources.get(sourceName);

  describe(sourceName: string, tenant?: string | null): TableDefinition | undefined {
    return this.#sources.describe(sourceName, tenant);
  }

  ensureSource(definition: SourceDefinition): Promise<void> {
    return this.ensureSources([definition]);
  }

  ensureSources(definitions: readonly SourceDefinition[]): Promise<void> {
    return this.#sources.ensure(definitions, {
      create: (sources) => this.#host().createSources(sources),
      define: (state, definition, rules) => this.#define(state, definition, rules),
    });
  }

  async #define(state: SourceState, definition: SourceDefinition, rules: SourceRules): Promise<void> {
    defineSource(state, definition);
    await this.#addEntries(state, declaredEntries(state.tree));
    if (!isSameRules(state.rules, rules)) resetSourceState(state, await this.#host().defineSource(state.name, rules));
  }

  async append(sourceName: string, events: readonly LogEvent[], signal: AbortSignal): Promise<AppendResult> {
    const state = this.#sources.get(sourceName);
    this.#pending.admit(signal);
    if (events.length === 0) return NOTHING;
    const storing = this.#store(state, events.length, (mayBeStored) => ({
      store: (full) => this.#joint.append(state, { events, full, mayBeStored }),
      findMissing: async (full) => this.#encoder.encode(schemaOf(state, full), events).missing,
    }));
    return unlessAborted(storing, signal);
  }

  async #appendPlain(...[sourceName, body, signal]: Parameters<NonNullable<EventStore["appendPlain"]>>) {
    const state = this.#sources.get(sourceName);
    this.#pending.admit(signal);
    const storing = this.#store(state, eventCountOf(body), (mayBeStored) => ({
      store: (full) => this.#joint.append(state, { events: body, full, mayBeStored }),
      findMissing: async (full) => this.#encoder.encodePlain(schemaOf(state, full), body)?.outcome.missing,
    }));
    return unlessAborted(storing, signal);
  }

  async #appendBody(
    encoder: BodyEncoder<EncodedBatch>,
    ...call: Parameters<NonNullable<EventStore["appendBody"]>>
  ): Promise<BodyResult> {
    const [sourceName, { sender }, signal] = call;
    const state = this.#sources.get(sourceName);
    const storing = appendBody(encoder, this.#pending, state, call, ({ count, encode }) => {
      const read = (mayBeStored: boolean) =>
        storable(state, encode, (encoded, carried) => {
          const batch = receiveBatch(encoded);
          return this.#send(state, mayBeStored ? withOwnIds(batch) : batch, carried, [], sender);
        });
      return count === 0 ? Promise.resolve(NOTHING) : this.#store(state, count, read, sender);
    });
    return unlessAborted(storing, signal);
  }

  async statistics(signal: AbortSignal): Promise<readonly SourceStatistics[]> {
    await this.#ready();
    return (await unlessAborted(this.#host().statistics(), signal)).map(toStatistics);
  }

  async countEvents(sourceName: string, filter: EventFilter): Promise<number> {
    await this.#ready();
    return this.#host().countEvents(this.#sources.get(sourceName).name, toRowFilter(filter));
  }

  async deleteEvents(sourceName: string, filter: EventFilter): Promise<Deletion> {
    await this.#ready();
    const state = this.#sources.get(sourceName);
    return deleteCarried(state, () => this.#host().deleteEvents(state.name, toRowFilter(filter)));
  }

  async dropSource(sourceName: string): Promise<void> {
    await this.#sources.drop(sourceName, () => untilDone(this.#ready, () => this.#host().dropSource(sourceName)));
  }

  async space(signal: AbortSignal): Promise<StoreSpace | undefined> {
    await this.#ready();
    const sizes = await unlessAborted(this.#host().sizes(), signal);
    return sizes === null ? undefined : toSpace(sizes);
  }

  async inspect(signal: AbortSignal): Promise<StoreReport> {
    await this.#ready();
    const report = await unlessAborted(this.#host().report(), signal);
    const { logLoss } = this;
    return toReport(report, { directory: this.#directory, logLoss }, (name) => this.#sources.find(name));
  }

  async snapshot(signal: AbortSignal): Promise<StoreSnapshot> {
    return takeSnapshot(this.#host(), signal);
  }

  /**
   * Stores events once, however often the engine ends meanwhile. What was under way then may be on disk with its
   * answer lost, so the next time every id is looked up, those too that were made here and cannot be repeats
   * otherwise.
   */
  async #store<Result>(
    state: SourceState,
    count: number,
    events: (mayBeStored: boolean) => StorableEvents<Result>,
    sender?: string,
  ): Promise<Result> {
    const store = (mayBeStored: boolean) => storeEvents(state, events(mayBeStored), this.#addEntries.bind(this));
    return this.#pending.holdRows(count, () => untilDone(this.#ready, store), sender);
  }

  #send(
    state: SourceState,
    batch: EncodedBatch,
    carried: Carried,
    rowCounts: readonly number[],
    sender?: string,
  ): Promise<JointResult> {
    this.#sources.checkPresent(state);
    return storeCarried(state, carried, (tenants) => {
      const context = { tenants, ...(rowCounts.length > 1 ? { rowCounts } : {}) };
      const append = () => this.#host().append(state.name, batch, context);
      return this.#pending.holdBytes(batch.payload.length, append, sender);
    });
  }

  async #addEntries(state: SourceState, entries: readonly SchemaEntry[]): Promise<boolean> {
    if (entries.length > 0) {
      this.#sources.checkPresent(state);
      await this.#host().addEntries(state.name, entries);
      growSourceState(state, entries);
    }
    return true;
  }
}

function schemaOf({ tree, full }: SourceState, alsoFull: ReadonlySet<Tenant>) {
  return { tree, full: new Set([...full, ...alsoFull]) };
}

function toRowFilter({ fromUs, toUs, ...rest }: EventFilter): RowFilter {
  return { ...rest, ...omitUndefined({ fromUs: fromUs?.toString(), toUs: toUs?.toString() }) };
}
