import type { EventFilter, EventKey } from "../engines/contract/query-engine.ts";
import { createSerialQueue } from "../shared/concurrency/serial-queue.ts";
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

interface RunningRule {
  readonly rule: DrainRule;
  readonly backend: Backend;
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
  #reader: EventReader | undefined;
  #reads: SharedReads | undefined;
  #isFailing = false;
  readonly #alone = createSerialQueue();

  constructor(options: RunningOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#log.onTurn(() => this.#alone(() => this.#turn()));
  }

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
    return this.#alone(() => this.#restart(rule, backend));
  }

  /** Ends the rule and forgets what waited for it. */
  remove({ id, source }: DrainRule): Promise<void> {
    return this.#alone(async () => {
      const each = await this.#end(id);
      await each?.position.remove();
      if (!this.isWatched(source)) await this.#log.journals.remove(source);
    });
  }

  /** Stops the rule here, because another service removed or changed it. */
  leave({ id, source }: DrainRule): Promise<void> {
    return this.#alone(async () => {
      await this.#end(id);
      if (!this.isWatched(source)) await this.#log.journals.leave(source);
    });
  }

  async #restart(rule: DrainRule, backend: Backend): Promise<void> {
    const before = this.#running.get(rule.id);
    await this.#stop(before);
    const journal = await this.#log.journals.open(rule.source);
    const each: RunningRule = {
      rule,
      backend,
      journal,
      position: before?.position ?? (await this.#openPosition(rule)),
      state: before?.state ?? newDeliveryState(),
      ending: new AbortController(),
      done: Promise.resolve(),
    };
    each.state.lastError = undefined;
    this.#running.set(rule.id, each);
    const ofSource = this.#bySource.get(rule.source) ?? new Map<string, RunningRule>();
    this.#bySource.set(rule.source, ofSource.set(rule.id, each));
    this.#begin(each);
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
    for (const each of this.#running.values()) {
      await this.#stop(each);
      each.state.lastError = undefined;
    }
    if (!this.#log.isSender()) return;
    for (const each of this.#running.values()) {
      // The other service has advanced it.
      each.position = await this.#openPosition(each.rule);
      each.ending = new AbortController();
      this.#begin(each);
    }
  }

  #ofSource(source: string): readonly RunningRule[] {
    return [...(this.#bySource.get(source)?.values() ?? [])];
  }

  /** A rule that existed before `start` but has no position lost it: it sends all pending events. */
  #openPosition(rule: DrainRule): Promise<Position> {
    return this.#log.openPosition(rule, this.#reader === undefined ? "first" : "end");
  }

  /** Frees what no rule of the source needs any longer; once for all rules that have advanced at the same time. */
  #release(source: string): void {
    if (this.#releasing.has(source)) return;
    this.#releasing.add(source);
    setImmediate(() => {
      this.#releasing.delete(source);
      const rules = this.#ofSource(source);
      const needed = rules.reduce((least, { position }) => Math.min(least, position.durable), Number.POSITIVE_INFINITY);
      if (!Number.isFinite(needed)) return;
      rules[0]?.journal.releaseBefore(needed).catch((error: unknown) => {
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
        ...{ graceMs, state, warn, onAdvance: () => this.#release(rule.source) },
      },
      ending.signal,
    );
  }

  async #stop(each: RunningRule | undefined): Promise<void> {
    each?.ending.abort();
    await each?.done;
  }

  async #end(id: string): Promise<RunningRule | undefined> {
    const each = this.#running.get(id);
    await this.#stop(each);
    this.#running.delete(id);
    const ofSource = this.#bySource.get(each?.rule.source ?? "");
    ofSource?.delete(id);
    if (ofSource?.size === 0) this.#bySource.delete(each?.rule.source ?? "");
    return each;
  }
}
