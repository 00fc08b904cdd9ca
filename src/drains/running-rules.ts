import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { EventKey } from "../engines/contract/query-engine.ts";
import { ServiceError } from "../shared/errors.ts";
import type { Backend, DrainRule } from "./backend.ts";
import { type DeliveryClock, type DeliveryState, deliver, newDeliveryState } from "./delivery.ts";
import type { SendRequest } from "./destinations/send-request.ts";
import type { Journal } from "./journal.ts";
import { createJournals } from "./journals.ts";
import { openPosition, type Position } from "./position.ts";
import type { EventReader } from "./read-events.ts";
import type { ArrivalWatch } from "./watched-store.ts";

/** Rules at work: each has a position in its source's journal, and sends what comes behind it. */
export interface RunningRules extends ArrivalWatch {
  /**
   * Notes events for the rule from now on, those too that waited for it at the last end. It sends once `start` was
   * called.
   */
  restart(rule: DrainRule, backend: Backend): Promise<void>;
  /** Ends the rule and forgets what waited for it. */
  remove(rule: DrainRule): Promise<void>;
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
  /** A folder of its own. */
  readonly folder: string;
  /** Of all that waits, on disk. */
  readonly maxBytes: number;
  readonly send: SendRequest;
  readonly clock: DeliveryClock;
  readonly warn: (message: string) => void;
}

interface RunningRule {
  readonly rule: DrainRule;
  readonly backend: Backend;
  readonly journal: Journal;
  readonly position: Position;
  readonly state: DeliveryState;
  readonly ending: AbortController;
  done: Promise<void>;
}

export function createRunningRules({ folder, maxBytes, send, clock, warn }: RunningOptions): RunningRules {
  const journals = createJournals(folder, maxBytes);
  const running = new Map<string, RunningRule>();
  const watched = new Set<string>();
  let reader: EventReader | undefined;
  let isFailing = false;

  const ofSource = (source: string) => [...running.values()].filter(({ rule }) => rule.source === source);
  /** Frees what no rule of the source needs any more, each time that one moved on. */
  const releasing = (source: string, journal: Journal, position: Position): Position => ({
    get number() {
      return position.number;
    },
    async moveTo(number) {
      await position.moveTo(number);
      await journal.releaseBefore(Math.min(...ofSource(source).map((each) => each.position.number)));
    },
    remove: () => position.remove(),
  });
  const begin = (each: RunningRule) => {
    if (reader === undefined) return;
    const { rule, backend, journal, position, state, ending } = each;
    each.done = deliver({ rule, backend, journal, position, reader, send, clock, state, warn }, ending.signal).catch(
      (error: unknown) => {
        state.lastError = String(error);
        warn(`the rule ${rule.id} ended: ${String(error)}`);
      },
    );
  };
  const end = async (id: string): Promise<RunningRule | undefined> => {
    const each = running.get(id);
    each?.ending.abort();
    await each?.done;
    running.delete(id);
    return each;
  };

  return {
    isWatched: (source) => watched.has(source),
    async note(source: string, keys: readonly EventKey[]) {
      try {
        await journals.find(source)?.note(keys);
        await journals.keepWithinBound();
        isFailing = false;
      } catch (error) {
        // The events are stored; that they are drained too must not keep others from being stored.
        for (const { state } of ofSource(source)) state.dropped += keys.length;
        if (!isFailing)
          warn(`events of ${source} cannot be noted for draining, and are dropped there: ${String(error)}`);
        isFailing = true;
      }
    },
    async restart(rule, backend) {
      const { source } = rule;
      const before = await end(rule.id);
      const journal = await journals.open(source);
      await mkdir(join(folder, "positions"), { recursive: true });
      const path = join(folder, "positions", rule.id);
      // A rule that was there before `start` and has no position lost it: it sends all that is there.
      const otherwise = reader === undefined ? journal.first : journal.end;
      const position = before?.position ?? releasing(source, journal, await openPosition(path, otherwise));
      const each: RunningRule = {
        rule,
        backend,
        journal,
        position,
        state: before?.state ?? newDeliveryState(),
        ending: new AbortController(),
        done: Promise.resolve(),
      };
      each.state.lastError = undefined;
      running.set(rule.id, each);
      watched.add(source);
      begin(each);
    },
    async remove({ id, source }) {
      const each = await end(id);
      await each?.position.remove();
      if (ofSource(source).length > 0) return;
      watched.delete(source);
      await journals.remove(source);
    },
    start(given) {
      reader = given;
      for (const each of running.values()) begin(each);
    },
    findProblem(source, lql) {
      try {
        reader?.check(source, lql);
        return undefined;
      } catch (error) {
        if (error instanceof ServiceError) return error.message;
        throw error;
      }
    },
    stateOf({ id }) {
      const each = running.get(id);
      if (each === undefined) return { ...newDeliveryState(), waiting: 0 };
      return { ...each.state, waiting: each.journal.end - each.position.number };
    },
    get waitingBytes() {
      return journals.byteCount;
    },
    async close() {
      for (const { ending } of running.values()) ending.abort();
      await Promise.all([...running.values()].map(({ done }) => done));
      await journals.close();
    },
  };
}
