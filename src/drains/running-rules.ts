import { isDeepStrictEqual } from "node:util";
import type { EventFilter, EventKey } from "../engines/contract/query-engine.ts";
import { createSerialQueue } from "../shared/concurrency/serial-queue.ts";
import { WorkUnderWay } from "../shared/concurrency/work-under-way.ts";
import { ServiceError } from "../shared/errors.ts";
import type { Backend, DrainRule } from "./backend.ts";
import { ByteBudget } from "./byte-budget.ts";
import { type DeliveryClock, type DeliveryState, deliver, newDeliveryState } from "./delivery.ts";
import { makeRequest } from "./destinations/make-request.ts";
import type { DrainAnswer, SendRequest } from "./destinations/send-request.ts";
import type { DrainLog } from "./drain-log.ts";
import type { Journal } from "./journal.ts";
import { type DrainTally, type Position, startProgress } from "./position.ts";
import type { EventReader } from "./read-events.ts";
import type { Removals } from "./removals.ts";
import { SharedReads } from "./shared-reads.ts";
import type { ArrivalWatch } from "./watched-store.ts";

/** The state of a rule, and the outcome of its events. */
export interface RuleState extends Readonly<DeliveryState>, DrainTally {
  /** Undelivered events, including those that the rule's query may exclude. */
  readonly waiting: number;
}

export interface RunningOptions {
  readonly log: DrainLog;
  readonly send: SendRequest;
  /** Names this service to those that its events reach. */
  readonly serviceId: string;
  readonly removals: Removals;
  /** An event that the store does not show for so long after its acknowledgement is not in it. */
  readonly graceMs: number;
  readonly clock: DeliveryClock;
  readonly warn: (message: string) => void;
}

/** A rule, and where it sends. */
export interface RuleOfBackend {
  readonly rule: DrainRule;
  readonly backend: Backend;
}

interface RunningRule extends RuleOfBackend {
  readonly journal: Journal;
  position: Position;
  readonly state: DeliveryState;
  ending: AbortController;
  done: Promise<void>;
}

/** The maximum size of the events that all rules send together; beside what is read for several of them. */
const maxHeldBytes = 40_000_000;

/** Rules in operation: each has a position in its source's journal, and sends the events after it. */
export class RunningRules implements Required<ArrivalWatch> {
  readonly #options: RunningOptions;
  readonly #log: DrainLog;
  readonly #running = new Map<string, RunningRule>();
  readonly #bySource = new Map<string, Map<string, RunningRule>>();
  readonly #memory = new ByteBudget(maxHeldBytes);
  /** Sources whose keys are being released. */
  readonly #releasing = new Set<string>();
  /** By source, the rule that was furthest behind when keys were released last. */
  readonly #lastOf = new Map<string, RunningRule>();
  #reader: EventReader | undefined;
  #reads: SharedReads | undefined;
  #isFailing = false;
  readonly #alone = createSerialQueue();

  constructor(options: RunningOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#log.onTurn(() => this.#alone(() => this.#turn()));
  }

  readonly appends = new WorkUnderWay();

  readonly isWatched = (source: string): boolean => this.#bySource.has(source);

  readonly note = async (source: string, keys: readonly EventKey[]): Promise<void> => {
    try {
      await this.#log.journals.find(source)?.note(keys);
      this.#isFailing = false;
    } catch (error) {
      // The events are stored; a failure to drain them must not prevent others from being stored.
      for (const { position } of this.#ofSource(source)) await position.countUnwritten(keys.length);
      const problem = `events of ${source} cannot be noted for draining, and are dropped there: ${String(error)}`;
      if (!this.#isFailing) this.#options.warn(problem);
      this.#isFailing = true;
    }
    await this.#log.keepWithinBound().catch((error: unknown) => {
      this.#options.warn(`keys of events that wait for drains cannot be deleted: ${String(error)}`);
    });
  };

  readonly noteRemoval = (source: string, filter: EventFilter): void => {
    const journal = this.#log.journals.find(source);
    if (journal === undefined) return;
    this.#options.removals.note(source, filter, journal);
    this.#reads?.forget(journal);
  };

  /** Why a query in LQL cannot be run over a source; undefined for nothing. Rejects where that is not known now. */
  readonly findProblem = async (source: string, lql: string): Promise<string | undefined> => {
    try {
      await this.#reader?.check(source, lql);
      return undefined;
    } catch (error) {
      // A busy or absent engine says nothing of the query.
      if (error instanceof ServiceError && error.status < 500 && error.status !== 429) return error.message;
      throw error;
    }
  };

  /** Sends a request without events. */
  tryOut(backend: Backend, source: string): Promise<DrainAnswer> {
    const { send, serviceId } = this.#options;
    // The sender has a deadline of its own.
    const request = makeRequest(backend, { source, events: [], hops: [serviceId] });
    return send({ ...request, isTrial: true }, new AbortController().signal);
  }

  /**
   * Notes events for the rule from now on, those too that waited for it at the last end. It sends once `start` was
   * called.
   */
  restart(rule: DrainRule, backend: Backend): Promise<void> {
    return this.#change(() => this.#restart({ rule, backend }));
  }

  /** Ends rules and forgets what waited for them. */
  remove(...rules: readonly DrainRule[]): Promise<void> {
    const sources = rules.map(({ source }) => source);
    return this.#change(() => this.#remove(rules), sources);
  }

  /** Runs these rules and no others. Those that run as they are go on. */
  replaceAll(wanted: readonly RuleOfBackend[]): Promise<void> {
    return this.#change(async () => {
      const ids = new Set(wanted.map(({ rule }) => rule.id));
      const gone = [...this.#running.values()].flatMap(({ rule }) => (ids.has(rule.id) ? [] : rule));
      const changed = wanted.filter(({ rule, backend }) => {
        const now = this.#running.get(rule.id);
        return !isDeepStrictEqual([now?.rule, now?.backend], [rule, backend]);
      });
      await all(changed.map((each) => this.#restart(each))).finally(() => this.#remove(gone));
    });
  }

  /**
   * Changes which rules run, and closes afterwards the journals of sources that have none any longer: one that gets a
   * rule in place of another is watched throughout.
   */
  #change(work: () => Promise<void>, sources: readonly string[] = []): Promise<void> {
    return this.#alone(async () => {
      const before = new Set([...this.#bySource.keys(), ...sources]);
      await work().finally(() => {
        const unwatched = [...before].filter((source) => !this.isWatched(source));
        return all(unwatched.map((source) => this.#log.journals.remove(source)));
      });
    });
  }

  async #restart({ rule, backend }: RuleOfBackend): Promise<void> {
    const before = this.#running.get(rule.id);
    await this.#stop(before);
    // Positions count the events of one source.
    const isSame = before?.rule.source === rule.source;
    const journal = await this.#log.journals.open(rule.source);
    const position = isSame ? before.position : await this.#openPosition(rule);
    if (before !== undefined) this.#forget(before);
    // Undefined where another service has changed the rule since: this one learns of it in a moment.
    if (position !== undefined) this.#add({ rule, backend, journal, position }, before?.state);
  }

  #add(of: Pick<RunningRule, "rule" | "backend" | "journal" | "position">, before: DeliveryState | undefined): void {
    const { rule } = of;
    const each: RunningRule = {
      ...of,
      state: before ?? newDeliveryState(),
      ending: new AbortController(),
      done: Promise.resolve(),
    };
    each.state.lastError = undefined;
    this.#running.set(rule.id, each);
    const ofSource = this.#bySource.get(rule.source) ?? new Map<string, RunningRule>();
    this.#bySource.set(rule.source, ofSource.set(rule.id, each));
    this.#begin(each);
  }

  async #remove(rules: readonly DrainRule[]): Promise<void> {
    const found = rules.flatMap(({ id }) => this.#running.get(id) ?? []);
    await Promise.all(found.map((each) => this.#stop(each)));
    for (const each of found) this.#forget(each);
    await all(found.map(({ position }) => position.remove()));
  }

  /** Begins to send, with what looks events up. */
  start(reader: EventReader): void {
    this.#reader = reader;
    const { serviceId, clock } = this.#options;
    this.#reads = new SharedReads(reader, serviceId, () => clock.steadyMs());
    for (const each of this.#running.values()) this.#begin(each);
  }

  stateOf({ id }: DrainRule): RuleState {
    const each = this.#running.get(id);
    if (each === undefined) return { ...newDeliveryState(), ...startProgress(0).tally, waiting: 0 };
    const { state, position, journal } = each;
    return { ...state, ...position.tally, waiting: Math.max(0, journal.end - position.number) };
  }

  get waitingBytes(): number {
    return this.#log.journals.byteCount;
  }

  /** Ends sending, and waits until that is so. */
  async close(): Promise<void> {
    await this.#alone(async () => undefined);
    for (const { ending } of this.#running.values()) ending.abort();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    await this.#log.close();
  }

  /** Another service takes over delivery from this one, or this one from another. */
  async #turn(): Promise<void> {
    const running = [...this.#running.values()];
    await Promise.all(running.map((each) => this.#stop(each)));
    for (const { state } of running) state.lastError = undefined;
    if (!this.#log.isSender()) return;
    // The other service has advanced them.
    const positions = await Promise.all(running.map(({ rule }) => this.#openPosition(rule)));
    for (const [index, each] of running.entries()) {
      const position = positions[index];
      if (position === undefined) continue;
      each.position = position;
      each.ending = new AbortController();
      this.#begin(each);
    }
  }

  #ofSource(source: string): readonly RunningRule[] {
    return [...(this.#bySource.get(source)?.values() ?? [])];
  }

  /** A rule that existed before `start` but has no position lost it: it sends all pending events. */
  #openPosition(rule: DrainRule): Promise<Position | undefined> {
    return this.#log.openPosition(rule, this.#reader === undefined ? "first" : "end");
  }

  /**
   * Frees what no rule of the source needs any longer; once for all rules that have advanced at the same time, and only
   * where the one that was furthest behind has.
   */
  #release({ rule }: RunningRule): void {
    const { source } = rule;
    const last = this.#lastOf.get(source);
    if (last !== undefined && last.rule.id !== rule.id && this.#running.get(last.rule.id) === last) return;
    if (this.#releasing.has(source)) return;
    this.#releasing.add(source);
    setImmediate(() => {
      this.#releasing.delete(source);
      let least: RunningRule | undefined;
      for (const each of this.#bySource.get(source)?.values() ?? []) {
        if (least === undefined || each.position.durable <= least.position.durable) least = each;
      }
      if (least === undefined) return;
      this.#lastOf.set(source, least);
      least.journal.releaseBefore(least.position.durable).catch((error: unknown) => {
        this.#options.warn(`keys of drained events of ${source} cannot be deleted: ${String(error)}`);
      });
    });
  }

  #begin(each: RunningRule): void {
    const reads = this.#reads;
    if (reads === undefined || !this.#log.isSender()) return;
    const { send, serviceId, removals, graceMs, clock, warn } = this.#options;
    const { rule, backend, journal, position, state, ending } = each;
    const isRemoved = removals.isRemoved.bind(removals, rule.source);
    each.done = deliver(
      {
        ...{ rule, backend, journal, position, reads, send, serviceId, clock, memory: this.#memory, isRemoved },
        maySend: this.#log.isSender,
        ...{ graceMs, state, warn, onAdvance: () => this.#release(each) },
      },
      ending.signal,
    );
  }

  async #stop(each: RunningRule | undefined): Promise<void> {
    each?.ending.abort();
    await each?.done;
  }

  #forget(each: RunningRule): void {
    const { id, source } = each.rule;
    this.#running.delete(id);
    const ofSource = this.#bySource.get(source);
    ofSource?.delete(id);
    if (ofSource?.size !== 0) return;
    this.#bySource.delete(source);
    this.#lastOf.delete(source);
  }
}

/** Resolves once all have ended; rejects with the first failure. */
async function all(works: readonly Promise<void>[]): Promise<void> {
  for (const each of await Promise.allSettled(works)) if (each.status === "rejected") throw each.reason;
}
