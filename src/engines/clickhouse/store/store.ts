/** The event store over ClickHouse: any number of services may work on one, and none of them keeps anything. */

import type { TableDefinition } from "../../../googlesql/relation.ts";
import { createSerialQueue, type SerialQueue } from "../../../shared/concurrency/serial-queue.ts";
import {
  type AppendResult,
  type BodyResult,
  DEFAULT_REPEAT_WINDOW_MS,
  type Deletion,
  describeFullDisk,
  EngineError,
  type EventFilter,
  type EventStore,
  type LogEvent,
  type SourceDefinition,
  type SourceStatistics,
  type StoreReport,
  type StoreSpace,
} from "../../contract/query-engine.ts";
import { unlessAborted } from "../../contract/unless-aborted.ts";
import { appendBody, type BodyEncoder } from "../../encoder/append-body.ts";
import { type Encode, storable, storeEvents } from "../../encoder/store-events.ts";
import type { Carried } from "../../schema/carried-entries.ts";
import { declaredEntries } from "../../schema/grant-entries.ts";
import type { LayoutCatalog } from "../../schema/layout.ts";
import type { SchemaEntry } from "../../schema/schema-entry.ts";
import { deleteCarried, storeCarried } from "../../schema/source/first-carried.ts";
import { PendingWork } from "../../schema/source/pending-work.ts";
import {
  type NewSource,
  type SourceRules,
  type SourceSchema,
  tenantColumnOf,
} from "../../schema/source/source-schema.ts";
import { defineSource, growSourceState, isSameRules, type SourceState } from "../../schema/source/source-state.ts";
import { SourceStates } from "../../schema/source/source-states.ts";
import { defaultStoreLimits, type StoreLimits } from "../../schema/source/store-limits.ts";
import type { EncodedRows } from "../blocks/encoded-rows.ts";
import { collectRows } from "../blocks/event-encoder.ts";
import type { AppendRows } from "../blocks/insert-body.ts";
import type { ServerClient } from "../driver/client.ts";
import { AppendQueue } from "./append-queue.ts";
import { countEvents, deleteEvents, dropTable } from "./removal.ts";
import type { SchemaKeeper } from "./schema-keeper.ts";
import { SchemaWatch } from "./schema-watch.ts";
import { SharedRefusal } from "./shared-refusal.ts";
import type { TablePlace } from "./statements.ts";
import { readReport, readSpace, readStatistics } from "./statistics.ts";
import type { AppendTable } from "./stored-ids.ts";
import { checkTenantField, fillDeclaredColumns } from "./take-rules.ts";

/** Rows a second that a small server stores, to advise a client when to come again. */
const TYPICAL_ROWS_PER_SECOND = 20_000;

export interface StoreSettings {
  readonly client: ServerClient;
  readonly place: TablePlace;
  readonly keeper: SchemaKeeper;
  readonly limits?: StoreLimits;
  /** Without it long bodies are read by the caller. */
  readonly encoder?: BodyEncoder<EncodedRows>;
  /** How often the server is asked what other nodes decided, in milliseconds. */
  readonly watchMs: number;
  /** How long an event is recognised by its id alone, from its arrival. */
  readonly repeatWindowMs?: number | undefined;
  readonly log: (level: "warn", message: string) => void;
}

export class ClickHouseStore implements EventStore {
  readonly appendBody?: NonNullable<EventStore["appendBody"]>;
  readonly #client: ServerClient;
  readonly #place: TablePlace;
  readonly #keeper: SchemaKeeper;
  readonly #sources: SourceStates;
  readonly #watch: SchemaWatch;
  readonly #queues = new WeakMap<SourceState, AppendQueue>();
  readonly #open = new Set<Promise<unknown>>();
  readonly #pending: PendingWork;
  readonly #repeatWindowMs: number;
  readonly #deletions = new WeakMap<SourceState, SerialQueue>();
  readonly #refusal = new SharedRefusal();

  constructor(settings: StoreSettings) {
    const { client, place, keeper, limits = defaultStoreLimits, encoder, watchMs, log } = settings;
    this.#repeatWindowMs = settings.repeatWindowMs ?? DEFAULT_REPEAT_WINDOW_MS;
    this.#client = client;
    this.#place = place;
    this.#keeper = keeper;
    this.#pending = new PendingWork(limits, TYPICAL_ROWS_PER_SECOND);
    this.#sources = new SourceStates(limits.schema, (change) => this.#refusal.guard(change));
    this.#watch = new SchemaWatch({ keeper, sources: this.#sources, watchMs, log });
    if (encoder !== undefined) this.appendBody = (...call) => this.#appendBody(encoder, ...call);
  }

  /** Takes over what the server keeps, and follows it from then on. */
  open(): Promise<void> {
    return this.#watch.start();
  }

  /** Waits for running appends. */
  async close(): Promise<void> {
    await this.#watch.stop();
    await Promise.allSettled(this.#open);
  }

  /** The layout of a table that `describe` answered. */
  readonly layoutOf: LayoutCatalog = (table) => this.#sources.layoutOf(table);
  readonly stateOf = (sourceName: string): SourceState => this.#sources.get(sourceName);
  /** Resolves when everything is known that other services decided before this call. */
  readonly refresh = (): Promise<void> => this.#watch.refresh();

  describe(sourceName: string, tenant?: string | null): TableDefinition | undefined {
    return this.#sources.describe(sourceName, tenant);
  }

  ensureSource(definition: SourceDefinition): Promise<void> {
    return this.ensureSources([definition]);
  }

  ensureSources(definitions: readonly SourceDefinition[]): Promise<void> {
    return this.#sources.ensure(definitions, {
      create: (sources) => this.#create(sources),
      define: (state, definition, rules) => this.#define(state, definition, rules),
    });
  }

  async #create(sources: readonly NewSource[]): Promise<readonly SourceSchema[]> {
    const decisions = sources.map(({ name, entries, rules }) => {
      return { source: name, decision: { kind: "make", table: newTableName(name), entries, rules } as const };
    });
    const { outcome } = await this.#keeper.propose(decisions);
    const made = sources.flatMap(({ name }) => outcome.sources.get(name) ?? []);
    for (const source of made) await this.#keeper.apply(source);
    return made.map((source) => ({ ...source, tenants: [] }));
  }

  async #define(state: SourceState, definition: SourceDefinition, rules: SourceRules): Promise<void> {
    await checkTenantField(this.#client, this.#place, state, rules);
    defineSource(state, definition);
    for (;;) {
      const entries = declaredEntries(state.tree);
      if (entries.length === 0 || (await this.#addEntries(state, entries))) break;
    }
    if (isSameRules(state.rules, rules)) return;
    await fillDeclaredColumns(this.#client, this.#place, state, rules);
    this.#queues.delete(state);
    // Last: cut short, all of it is done again.
    await this.#keeper.propose([{ source: state.name, decision: { kind: "rules", table: state.table, rules } }]);
    state.rules = rules;
  }

  async append(sourceName: string, events: readonly LogEvent[], signal: AbortSignal): Promise<AppendResult> {
    const state = this.#sources.get(sourceName);
    this.#pending.admit(signal);
    const encode: Encode<AppendRows> = async ({ tree, full }, alsoFull) => {
      return collectRows({ tree, full: new Set([...full, ...alsoFull]) }, events);
    };
    return unlessAborted(this.#untilDone(this.#store(state, events.length, encode)), signal);
  }

  async #appendBody(
    encoder: BodyEncoder<EncodedRows>,
    ...call: Parameters<NonNullable<EventStore["appendBody"]>>
  ): Promise<BodyResult> {
    const [sourceName, { sender }, signal] = call;
    const state = this.#sources.get(sourceName);
    const storing = appendBody(encoder, this.#pending, state, call, ({ count, encode }) => {
      return this.#store(state, count, encode, sender);
    });
    return unlessAborted(this.#untilDone(storing), signal);
  }

  /** Closing the store waits for it. */
  #untilDone<T>(work: Promise<T>): Promise<T> {
    const done = () => void this.#open.delete(work);
    this.#open.add(work);
    work.then(done, done);
    return work;
  }

  async statistics(signal: AbortSignal): Promise<readonly SourceStatistics[]> {
    return unlessAborted(readStatistics(this.#client, this.#place, this.#sources.all()), signal);
  }

  async countEvents(sourceName: string, filter: EventFilter): Promise<number> {
    return countEvents(this.#client, this.#tableOf(this.#sources.get(sourceName)), filter);
  }

  async deleteEvents(sourceName: string, filter: EventFilter): Promise<Deletion> {
    const state = this.#sources.get(sourceName);
    const inTurn = this.#deletions.get(state) ?? createSerialQueue();
    this.#deletions.set(state, inTurn);
    // What two deletions would find is counted once.
    const work = this.#refusal.guard(() => deleteEvents(this.#client, this.#tableOf(state), filter));
    return this.#untilDone(inTurn(() => deleteCarried(state, work))).catch((error: unknown) => {
      throw describeFullDisk(error, "The deletion did not end, so that some of the events may be there");
    });
  }

  async dropSource(sourceName: string): Promise<void> {
    const state = this.#sources.find(sourceName);
    await this.#sources.drop(sourceName, async () => {
      if (state === undefined) return;
      const { table } = state;
      await this.#keeper.propose([{ source: sourceName, decision: { kind: "drop", table } }]);
      this.#keeper.noteDropped(table);
      // What came before the drop goes with it; what comes later is refused.
      await this.#queues.get(state)?.idle();
      await dropTable(this.#client, this.#place, table);
    });
  }

  async space(signal: AbortSignal): Promise<StoreSpace | undefined> {
    if (this.#place.cluster !== undefined) return undefined;
    return unlessAborted(readSpace(this.#client, this.#place, this.#sources.all()), signal);
  }

  async inspect(signal: AbortSignal): Promise<StoreReport> {
    return unlessAborted(readReport(this.#client, this.#place, this.#sources.all()), signal);
  }

  async #store(state: SourceState, count: number, encode: Encode<AppendRows>, sender?: string): Promise<AppendResult> {
    if (count === 0) return { stored: 0, repeated: 0 };
    const events = storable(state, encode, (...batch) => this.#send(state, ...batch, sender));
    return this.#pending.holdRows(count, () => storeEvents(state, events, this.#addEntries.bind(this)), sender);
  }

  /** New fields of tenants are stored before the rows: a row with an unknown field would be lost. */
  #send(state: SourceState, rows: AppendRows, carried: Carried, sender: string | undefined): Promise<AppendResult> {
    this.#sources.checkPresent(state);
    return storeCarried(state, carried, (added) => {
      const store = () => this.#queueOf(state).append(rows, () => this.#keeper.noteTenants(state.table, added));
      return this.#pending.holdBytes(rows.byteCount, store, sender);
    });
  }

  #queueOf(state: SourceState): AppendQueue {
    let queue = this.#queues.get(state);
    if (queue === undefined) {
      queue = new AppendQueue(this.#client, this.#tableOf(state), this.#repeatWindowMs);
      this.#queues.set(state, queue);
    }
    return queue;
  }

  #tableOf(state: SourceState): AppendTable {
    return { place: this.#place, table: state.table, tenantColumn: tenantColumnOf(state) };
  }

  /** False where another node was first: the state is what it made of it, and the caller looks again. */
  async #addEntries(state: SourceState, entries: readonly SchemaEntry[]) {
    this.#sources.checkPresent(state);
    const { name, table } = state;
    const decision = { kind: "grow", table, base: state.entries.length, entries } as const;
    const { outcome, taken } = await this.#keeper.propose([{ source: name, decision }]);
    const now = outcome.sources.get(name);
    if (now?.table !== table) throw new EngineError("unknown_source", `The source ${name} was dropped meanwhile`);
    await this.#keeper.apply(now);
    growSourceState(state, now.entries.slice(state.entries.length));
    return taken[0] === true;
  }
}

/** A name for a source's table that no other table has or had: queries of a dropped one must not read another. */
function newTableName(source: string): string {
  const readable = source.replace(/[^A-Za-z0-9]+/g, "_").slice(0, 40);
  const random = crypto.getRandomValues(new Uint32Array(2));
  return `events_${readable}_${[...random].map((word) => word.toString(16).padStart(8, "0")).join("")}`;
}
