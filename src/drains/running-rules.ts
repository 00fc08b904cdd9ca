import type { EventKey } from "../engines/contract/query-engine.ts";
import { ServiceError } from "../shared/errors.ts";
import type { Backend, DrainRule } from "./backend.ts";
import { type DeliveryClock, type DeliveryState, deliver, newDeliveryState } from "./delivery.ts";
import type { SendRequest } from "./destinations/send-request.ts";
import type { DrainLog } from "./drain-log.ts";
import type { Journal } from "./journal.ts";
import type { Position } from "./position.ts";
import type { EventReader } from "./read-events.ts";
import type { ArrivalWatch } from "./watched-store.ts";

/** Rules in operation: each has a position in its source's journal, and sends the events after it. */
export interface RunningRules extends ArrivalWatch {
  /**
   * Notes events for the rule from now on, those too that waited for it at the last end. It sends once `start` was
   * called.
   */
  restart(rule: DrainRule, backend: Backend): Promise<void>;
  /** Ends the rule and forgets what waited for it. */
  remove(rule: DrainRule): Promise<void>;
  /** Stops the rule here, because another service removed or changed it. */
  leave(rule: DrainRule): Promise<void>;
  /** Begins to send, with what looks events up. */
  start(reader: EventReader): void;
  /** Why a query in LQL cannot be run over a source; undefined for nothing. */
  readonly findProblem: (source: string, lql: string) => string | undefined;
  stateOf(rule: DrainRule): Readonly<DeliveryState> & { readonly waiting: number };
  readonly waitingBytes: number;
  /** Ends sending, and waits until that is so. */
  close(): Promise<void>;
}

export interface RunningOptions {
  readonly log: DrainLog;
  readonly send: SendRequest;
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

export function createRunningRules(options: RunningOptions): RunningRules {
  return new RulesAtWork(options);
}

class RulesAtWork implements RunningRules {
  readonly #options: RunningOptions;
  readonly #log: DrainLog;
  readonly #running = new Map<string, RunningRule>();
  readonly #watched = new Set<string>();
  #reader: EventReader | undefined;
  #isFailing = false;
  /** What was begun last: one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RunningOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#log.onTurn(() => this.#alone(() => this.#turn()));
  }

  readonly isWatched = (source: string): boolean => this.#watched.has(source);

  readonly note = async (source: string, keys: readonly EventKey[]): Promise<void> => {
    try {
      await this.#log.journals.find(source)?.note(keys);
      await this.#log.journals.keepWithinBound();
      this.#isFailing = false;
    } catch (error) {
      // The events are stored; a failure to drain them must not prevent others from being stored.
      for (const { state } of this.#ofSource(source)) state.dropped += keys.length;
      const problem = `events of ${source} cannot be noted for draining, and are dropped there: ${String(error)}`;
      if (!this.#isFailing) this.#options.warn(problem);
      this.#isFailing = true;
    }
  };

  readonly findProblem = (source: string, lql: string): string | undefined => {
    try {
      this.#reader?.check(source, lql);
      return undefined;
    } catch (error) {
      if (error instanceof ServiceError) return error.message;
      throw error;
    }
  };

  restart(rule: DrainRule, backend: Backend): Promise<void> {
    return this.#alone(() => this.#restart(rule, backend));
  }

  remove({ id, source }: DrainRule): Promise<void> {
    return this.#alone(async () => {
      const each = await this.#end(id);
      await each?.position.remove();
      if (this.#ofSource(source).length > 0) return;
      this.#watched.delete(source);
      await this.#log.journals.remove(source);
    });
  }

  leave({ id, source }: DrainRule): Promise<void> {
    return this.#alone(async () => {
      await this.#end(id);
      if (this.#ofSource(source).length > 0) return;
      this.#watched.delete(source);
      await this.#log.journals.leave(source);
    });
  }

  async #restart(rule: DrainRule, backend: Backend): Promise<void> {
    const before = await this.#end(rule.id);
    const journal = await this.#log.journals.open(rule.source);
    const each: RunningRule = {
      rule,
      backend,
      journal,
      position: before?.position ?? (await this.#openPosition(rule, journal)),
      state: before?.state ?? newDeliveryState(),
      ending: new AbortController(),
      done: Promise.resolve(),
    };
    each.state.lastError = undefined;
    this.#running.set(rule.id, each);
    this.#watched.add(rule.source);
    this.#begin(each);
  }

  start(reader: EventReader): void {
    this.#reader = reader;
    for (const each of this.#running.values()) this.#begin(each);
  }

  stateOf({ id }: DrainRule): Readonly<DeliveryState> & { readonly waiting: number } {
    const each = this.#running.get(id);
    if (each === undefined) return { ...newDeliveryState(), waiting: 0 };
    return { ...each.state, waiting: each.journal.end - each.position.number };
  }

  get waitingBytes(): number {
    return this.#log.journals.byteCount;
  }

  async close(): Promise<void> {
    for (const { ending } of this.#running.values()) ending.abort();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    await this.#log.close();
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Another service takes over delivery from this one, or this one from another. */
  async #turn(): Promise<void> {
    for (const each of this.#running.values()) {
      each.ending.abort();
      await each.done;
    }
    if (!this.#log.isSender()) return;
    for (const each of this.#running.values()) {
      // The other service has advanced it.
      each.position = await this.#openPosition(each.rule, each.journal);
      each.ending = new AbortController();
      this.#begin(each);
    }
  }

  #ofSource(source: string): readonly RunningRule[] {
    return [...this.#running.values()].filter(({ rule }) => rule.source === source);
  }

  async #openPosition(rule: DrainRule, journal: Journal): Promise<Position> {
    const { source } = rule;
    // A rule that existed before `start` but has no position lost it: it sends all pending events.
    const position = await this.#log.openPosition(rule, this.#reader === undefined ? "first" : "end");
    const releaseRead = () => {
      return journal.releaseBefore(Math.min(...this.#ofSource(source).map((each) => each.position.number)));
    };
    return {
      get number() {
        return position.number;
      },
      /** Frees what no rule of the source needs any longer, each time that a rule advances. */
      async moveTo(number) {
        await position.moveTo(number);
        await releaseRead();
      },
      remove: () => position.remove(),
    };
  }

  #begin(each: RunningRule): void {
    const reader = this.#reader;
    if (reader === undefined || !this.#log.isSender()) return;
    const { send, clock, warn } = this.#options;
    const { rule, backend, journal, position, state, ending } = each;
    each.done = deliver({ rule, backend, journal, position, reader, send, clock, state, warn }, ending.signal).catch(
      (error: unknown) => {
        state.lastError = String(error);
        warn(`the rule ${rule.id} ended: ${String(error)}`);
      },
    );
  }

  async #end(id: string): Promise<RunningRule | undefined> {
    const each = this.#running.get(id);
    each?.ending.abort();
    await each?.done;
    this.#running.delete(id);
    return each;
  }
}
