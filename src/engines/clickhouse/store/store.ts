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
  type StoredBody,
  type StoreReport,
  type StoreSpace,
  type TenantLoad,
} from "../../contract/query-engine.ts";
import { unlessAborted } from "../../contract/unless-aborted.ts";
import { appendRead } from "../../encoder/append-body.ts";
import type { Carried } from "../../schema/carried-entries.ts";
import type { Tenant } from "../../schema/field-requests.ts";
import { declaredEntries, grantEntries } from "../../schema/grant-entries.ts";
import type { LayoutCatalog } from "../../schema/layout.ts";
import { appendResult, newOf, noteCarried } from "../../schema/source/first-carried.ts";
import { PendingWork } from "../../schema/source/pending-work.ts";
import {
  defineSource,
  growSourceState,
  isSameRules,
  rulesOf,
  type SourceState,
  toNewSource,
} from "../../schema/source/source-state.ts";
import { SourceStates } from "../../schema/source/source-states.ts";
import { defaultStoreLimits, type StoreLimits } from "../../schema/source/store-limits.ts";
import type { AppendRows } from "../blocks/insert-body.ts";
import type { ServerClient } from "../driver/client.ts";
import { AppendQueue } from "./append-queue.ts";
import { type BodyEncoder, type EncodableEvents, encodable } from "./encodable-events.ts";
import { countEvents, deleteEvents, dropTable } from "./removal.ts";
import type { SchemaKeeper } from "./schema-keeper.ts";
import { SchemaWatch } from "./schema-watch.ts";
import { SharedRefusal } from "./shared-refusal.ts";
import { type TablePlace, tenantColumnOf } from "./statements.ts";
import { readReport, readSpace, readStatistics } from "./statistics.ts";
import type { AppendTable } from "./stored-ids.ts";
import { checkTenantField, fillDeclaredColumns } from "./take-rules.ts";

/** How often events may meet a schema that changed since they were encoded. */
const MAX_ROUNDS = 1000;
/** Rows a second that a small server stores, to advise a client when to come again. */
const TYPICAL_ROWS_PER_SECOND = 20_000;

export interface StoreSettings {
  readonly client: ServerClient;
  readonly place: TablePlace;
  readonly keeper: SchemaKeeper;
  readonly limits?: StoreLimits;
  /** Without it long bodies are read by the caller. */
  readonly encoder?: BodyEncoder;
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
    this.#sources = new SourceStates(limits.schema);
    this.#watch = new SchemaWatch({ keeper, sources: this.#sources, watchMs, log, change: this.#change.bind(this) });
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

  async ensureSources(definitions: readonly SourceDefinition[]): Promise<void> {
    for (const { name } of definitions) await this.#sources.waitForDrop(name);
    const missing = definitions.filter(({ name }) => this.#sources.find(name) === undefined);
    if (missing.length > 0) {
      const decisions = missing.map((definition) => {
        const { name, entries, rules } = toNewSource(definition);
        return { source: name, decision: { kind: "make", table: newTableName(name), entries, rules } as const };
      });
      const { outcome } = await this.#keeper.propose(decisions);
      for (const { name } of missing) {
        const made = outcome.sources.get(name);
        if (made === undefined) continue;
        await this.#keeper.apply(made);
        this.#sources.add({ ...made, tenants: [] });
      }
    }
    for (const definition of definitions) await this.#define(definition);
  }

  /** Takes over what a definition declares, where that is not what it declared before. */
  async #define(definition: SourceDefinition): Promise<void> {
    const rules = rulesOf(definition);
    const state = this.#sources.get(definition.name);
    if (state.definition !== undefined && isSameRules(rulesOf(state.definition), rules)) return;
    await this.#change(state, async () => {
      this.#sources.checkPresent(state);
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
    });
  }

  async append(sourceName: string, events: readonly LogEvent[], signal: AbortSignal): Promise<AppendResult> {
    const state = this.#sources.get(sourceName);
    this.#pending.admit(signal);
    return unlessAborted(this.#untilDone(this.#store(state, encodable(events))), signal);
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
      .then((events) => appendRead(events, admit, () => this.#store(state, events)));
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
    return this.#untilDone(
      inTurn(this.#refusal.guard(() => deleteEvents(this.#client, this.#tableOf(state), filter))),
    ).catch((error: unknown) => {
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

  async #store(state: SourceState, events: EncodableEvents): Promise<AppendResult> {
    if (events.count === 0) return { stored: 0, repeated: 0 };
    return this.#pending.holdRows(events.count, () => this.#storeEncoded(state, events), events.sender);
  }

  async #storeEncoded(state: SourceState, events: EncodableEvents): Promise<AppendResult> {
    let full: ReadonlySet<Tenant> = new Set();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { version } = state;
      const outcome = await events.encode(state, full);
      if (outcome.missing !== undefined) {
        const refused = await this.#grow(state, events, full);
        full = new Set([...full, ...refused]);
      } else if (state.version === version && state.openChanges === 0) {
        return await this.#send(state, outcome.batch, outcome.carried, events.sender);
      } else {
        await state.changes;
      }
    }
    throw new Error(`The schema of ${state.name} still lacks fields of events after ${MAX_ROUNDS} changes`);
  }

  /** New fields of tenants are stored before the rows: a row with an unknown field would be lost. */
  async #send(
    state: SourceState,
    rows: AppendRows,
    carried: Carried,
    sender: string | undefined,
  ): Promise<AppendResult> {
    this.#sources.checkPresent(state);
    const added = newOf(state, carried);
    const result = await this.#pending.holdBytes(
      rows.byteCount,
      () => this.#queueOf(state).append(rows, () => this.#keeper.noteTenants(state.table, added.texts)),
      sender,
    );
    noteCarried(state, added, carried);
    return appendResult(state, result, carried);
  }

  #queueOf(state: SourceState): AppendQueue {
    let queue = this.#queues.get(state);
    if (queue === undefined) {
      queue = new AppendQueue(this.#client, this.#tableOf(state), this.#repeatWindowMs);
      this.#queues.set(state, queue);
    }
    return queue;
  }

  #tableOf({ table, entries, rules }: SourceState): AppendTable {
    return { place: this.#place, table, tenantColumn: tenantColumnOf(entries, rules?.tenantField ?? null) };
  }

  /** Adds what is granted of what the events lack. Answers the tenants that were refused some. */
  async #grow(state: SourceState, events: EncodableEvents, alsoFull: ReadonlySet<Tenant>): Promise<readonly Tenant[]> {
    let refused: readonly Tenant[] = [];
    await this.#change(state, async () => {
      for (;;) {
        // Looked at again when it is its turn: another request, or another node, may have brought the same fields.
        const { missing = [] } = await events.encode(state, alsoFull);
        const granted = grantEntries(state, missing);
        refused = granted.full;
        if (granted.entries.length === 0 || (await this.#addEntries(state, granted.entries))) return;
      }
    });
    return refused;
  }

  /** False where another node was first: the state is what it made of it, and the caller looks again. */
  async #addEntries(state: SourceState, entries: SourceState["entries"] | ReturnType<typeof declaredEntries>) {
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

  /** Changes of a source's schema come one after the other. */
  #change(state: SourceState, change: () => Promise<void>): Promise<void> {
    state.openChanges++;
    const changed = state.changes.then(this.#refusal.guard(change)).finally(() => {
      state.openChanges--;
    });
    state.changes = changed.catch(() => undefined);
    return changed;
  }
}

/** A name for a source's table that no other table has or had: queries of a dropped one must not read another. */
function newTableName(source: string): string {
  const readable = source.replace(/[^A-Za-z0-9]+/g, "_").slice(0, 40);
  const random = crypto.getRandomValues(new Uint32Array(2));
  return `events_${readable}_${[...random].map((word) => word.toString(16).padStart(8, "0")).join("")}`;
}
