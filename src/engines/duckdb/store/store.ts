/** The event store of the embedded engine, in the service: schemas, encoding and bounds; the host does the rest. */
import type { TableDefinition } from "../../../googlesql/relation.ts";
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
  StoredBody,
  StoreReport,
  StoreSnapshot,
  StoreSpace,
  TenantLoad,
} from "../../contract/query-engine.ts";
import { unlessAborted } from "../../contract/unless-aborted.ts";
import { appendRead } from "../../encoder/append-body.ts";
import type { BodyReaders } from "../../encoder/body-readers.ts";
import type { ThreadEvents } from "../../encoder/encoder-thread.ts";
import type { Carried } from "../../schema/carried-entries.ts";
import type { Tenant, TenantRequests } from "../../schema/field-requests.ts";
import { declaredEntries, grantEntries } from "../../schema/grant-entries.ts";
import type { LayoutCatalog } from "../../schema/layout.ts";
import type { SchemaEntry } from "../../schema/schema-entry.ts";
import { appendResult, newOf, noteCarried } from "../../schema/source/first-carried.ts";
import { PendingWork } from "../../schema/source/pending-work.ts";
import {
  defineSource,
  growSourceState,
  isSameRules,
  resetSourceState,
  rulesOf,
  type SourceState,
  toNewSource,
} from "../../schema/source/source-state.ts";
import { SourceStates } from "../../schema/source/source-states.ts";
import { defaultStoreLimits, type StoreLimits } from "../../schema/source/store-limits.ts";
import { type EncodedBatch, withOwnIds } from "../batch/batch.ts";
import { BatchEncoder, receiveBatch } from "../batch/event-encoder.ts";
import type { EngineHost, JointResult, OpenedStore, RowFilter } from "../host/protocol.ts";
import { JointAppends, type JointOutcome } from "./joint-appends.ts";
import { toReport, toSpace, toStatistics } from "./table-statistics.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { MAX_ROUNDS, untilDone } from "./until-done.ts";

/** Rows a second that a small machine stores, to advise a client when to come again. */
const TYPICAL_ROWS_PER_SECOND = 10_000;

/** Reads long bodies in a thread of its own. */
type BodyEncoder = Pick<BodyReaders<EncodedBatch>, "read">;

/** The outcome of storing events: done, or in want of fields, or encoded by a schema that has changed since. */
type Attempt = JointOutcome | "outdated";

/** Events that are encoded where they lie: here, or in the thread that read them. */
interface StorableEvents {
  /** Tries to store them; `full`: tenants that may bring no further fields, beside those that the state knows. */
  store(full: ReadonlySet<Tenant>, mayBeStored: boolean): Promise<Attempt>;
  /** Fields that the schema lacks for them now. */
  findMissing(full: ReadonlySet<Tenant>): Promise<readonly TenantRequests[] | undefined>;
}

export interface StoreSettings {
  readonly limits?: StoreLimits;
  readonly directory?: string;
  /** Waits for a host that is being started again; rejects where there is none to come. */
  readonly ready?: () => Promise<void>;
  /** Without it long bodies are read by the caller. */
  readonly encoder?: BodyEncoder;
}

export class DuckDbStore implements EventStore {
  logLoss: LogLoss | undefined;
  readonly appendBody?: NonNullable<EventStore["appendBody"]>;
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
    if (encoder !== undefined) this.appendBody = (...call) => this.#appendBody(encoder, ...call);
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

  async ensureSources(definitions: readonly SourceDefinition[]): Promise<void> {
    for (const { name } of definitions) await this.#sources.waitForDrop(name);
    const missing = definitions.filter(({ name }) => this.#sources.find(name) === undefined).map(toNewSource);
    const made = missing.length === 0 ? [] : await this.#host().createSources(missing);
    for (const schema of made) this.#sources.add(schema);
    for (const definition of definitions) await this.#define(definition);
  }

  /** Takes over what a definition declares, where that is not what it declared before. */
  async #define(definition: SourceDefinition): Promise<void> {
    const rules = rulesOf(definition);
    const state = this.#sources.get(definition.name);
    if (state.definition !== undefined && isSameRules(rulesOf(state.definition), rules)) return;
    await this.#change(state, async () => {
      this.#sources.checkPresent(state);
      defineSource(state, definition);
      await this.#addEntries(state, declaredEntries(state.tree));
      if (!isSameRules(state.rules, rules)) resetSourceState(state, await this.#host().defineSource(state.name, rules));
    });
  }

  async append(sourceName: string, events: readonly LogEvent[], signal: AbortSignal): Promise<AppendResult> {
    const state = this.#sources.get(sourceName);
    this.#pending.admit(signal);
    const storing = this.#store(state, events.length, {
      store: (full, mayBeStored) => this.#joint.append(state, { events, full, mayBeStored }),
      findMissing: async (full) => {
        return this.#encoder.encode({ tree: state.tree, full: new Set([...state.full, ...full]) }, events).missing;
      },
    });
    return unlessAborted(storing, signal);
  }

  async #appendBody(
    encoder: BodyEncoder,
    sourceName: string,
    body: StoredBody,
    signal: AbortSignal,
    admit?: (loads: readonly TenantLoad[]) => void,
  ): Promise<BodyResult> {
    const state = this.#sources.get(sourceName);
    const { sender } = body;
    this.#pending.admit(signal, sender);
    const storing = this.#pending
      .holdBytes(body.bytes.length, () => encoder.read(state, body, signal), sender)
      .then((events) => appendRead(events, admit, () => this.#storeRead(state, events)));
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
    return this.#host().deleteEvents(this.#sources.get(sourceName).name, toRowFilter(filter));
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

  /** Stores the events of a body that a thread has read and encodes. */
  #storeRead(state: SourceState, events: ThreadEvents<EncodedBatch>): Promise<AppendResult> {
    const attempt = async (full: ReadonlySet<Tenant>, mayBeStored: boolean): Promise<Attempt> => {
      const { version } = state;
      const outcome = await events.encode(state, full);
      if (outcome.missing !== undefined) return outcome;
      if (state.version !== version || state.openChanges > 0) return "outdated";
      const batch = receiveBatch(outcome.batch);
      const result = await this.#send(
        state,
        mayBeStored ? withOwnIds(batch) : batch,
        outcome.carried,
        [],
        events.sender,
      );
      return { result: appendResult(state, result, outcome.carried) };
    };
    const findMissing = async (full: ReadonlySet<Tenant>) => (await events.encode(state, full)).missing;
    return this.#store(state, events.count, { store: attempt, findMissing }, events.sender);
  }

  /**
   * Stores events once, however often the engine ends meanwhile. What was under way then may be on disk with its
   * answer lost, so the next time every id is looked up, those too that were made here and cannot be repeats
   * otherwise.
   */
  async #store(state: SourceState, count: number, events: StorableEvents, sender?: string): Promise<AppendResult> {
    if (count === 0) return { stored: 0, repeated: 0 };
    return this.#pending.holdRows(
      count,
      () => untilDone(this.#ready, (mayBeStored) => this.#storeOnce(state, events, mayBeStored)),
      sender,
    );
  }

  async #storeOnce(
    state: SourceState,
    { store, findMissing }: StorableEvents,
    mayBeStored: boolean,
  ): Promise<AppendResult> {
    let full: ReadonlySet<Tenant> = new Set();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const attempt = await store(full, mayBeStored);
      if (attempt === "outdated") await state.changes;
      else if (attempt.missing === undefined) return attempt.result;
      else {
        // Looked at again when it is its turn: another request may have brought the same fields.
        const refused = await this.#grow(state, async () => (await findMissing(full)) ?? []);
        full = new Set([...full, ...refused]);
      }
    }
    throw new Error(`The schema of ${state.name} still lacks fields of a batch after ${MAX_ROUNDS} changes`);
  }

  /** Records fields that tenants carried for the first time with the rows; queries see them before an answer. */
  async #send(
    state: SourceState,
    batch: EncodedBatch,
    carried: Carried,
    rowCounts: readonly number[],
    sender?: string,
  ): Promise<JointResult> {
    this.#sources.checkPresent(state);
    const added = newOf(state, carried);
    const { entries } = state;
    const context = { tenants: added.texts, ...(rowCounts.length > 1 ? { rowCounts } : {}) };
    const result = await this.#pending.holdBytes(
      batch.payload.length,
      () => this.#host().append(state.name, batch, context),
      sender,
    );
    // After a restart of the host the state is what the host says, this append among it.
    if (state.entries === entries) noteCarried(state, added, carried);
    return result;
  }

  /**
   * Adds what is granted of what `findMissing` answers, after all changes before it. Answers the tenants that were
   * refused some.
   */
  async #grow(state: SourceState, findMissing: () => Promise<readonly TenantRequests[]>): Promise<readonly Tenant[]> {
    let full: readonly Tenant[] = [];
    await this.#change(state, async () => {
      let entries: readonly SchemaEntry[];
      let version: number;
      do {
        // A host that was started again meanwhile may know more fields than were known here, under the next columns'
        // names.
        version = state.version;
        ({ entries, full } = grantEntries(state, await findMissing()));
      } while (state.version !== version);
      await this.#addEntries(state, entries);
    });
    return full;
  }

  async #addEntries(state: SourceState, entries: readonly SchemaEntry[]): Promise<void> {
    if (entries.length === 0) return;
    this.#sources.checkPresent(state);
    await this.#host().addEntries(state.name, entries);
    growSourceState(state, entries);
  }

  /** Changes of a source's schema come one after the other. */
  #change(state: SourceState, change: () => Promise<void>): Promise<void> {
    state.openChanges++;
    const changed = state.changes.then(change).finally(() => {
      state.openChanges--;
    });
    state.changes = changed.catch(() => undefined);
    return changed;
  }
}

function toRowFilter({ fromUs, toUs, ...rest }: EventFilter): RowFilter {
  return {
    ...rest,
    ...(fromUs === undefined ? {} : { fromUs: String(fromUs) }),
    ...(toUs === undefined ? {} : { toUs: String(toUs) }),
  };
}
