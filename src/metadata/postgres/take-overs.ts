import { createSerialQueue } from "../../shared/concurrency/serial-queue.ts";
import { type Topic, topics } from "../topics.ts";

/** A number for each topic, which grows with its changes. */
export type Counters = ReadonlyMap<Topic, number>;

export interface CounterRow {
  readonly topic: Topic;
  readonly number: number;
  /** The process of the server that answered. */
  readonly pid: number;
}

/** Reads the counters, as `CounterRow`. */
export const readCounters = "SELECT topic, number, pg_backend_pid() AS pid FROM metadata_changes";

/** The counters that were read. */
export function toCounters(rows: readonly CounterRow[]): Counters {
  return new Map(rows.map(({ topic, number }) => [topic, number]));
}

/** Applies the changes of others, one run after another; applying a change twice is harmless. */
export class TakeOvers {
  readonly #takers = new Map<Topic, (() => Promise<void>)[]>();
  /** As they were last read, and as they were when what they count was last taken over. */
  #counters: Counters = new Map();
  readonly #taken = new Map<Topic, number>();
  readonly #inTurn = createSerialQueue();

  add(topic: Topic, takeOver: () => Promise<void>): void {
    this.#takers.set(topic, [...(this.#takers.get(topic) ?? []), takeOver]);
    // What changed since it was read, before this was added.
    this.#taken.delete(topic);
  }

  versionOf(topic: Topic): number {
    return this.#counters.get(topic) ?? 0;
  }

  /** Has `versionOf` report changes that `run` is still to apply. */
  note(counters: Counters): void {
    this.#counters = counters;
  }

  /** Resolves once all changes up to these counters are applied. */
  run(counters: Counters): Promise<void> {
    return this.#inTurn(async () => {
      this.#counters = counters;
      for (const topic of topics) {
        const number = counters.get(topic) ?? 0;
        if (this.#taken.get(topic) !== number) {
          for (const taker of this.#takers.get(topic) ?? []) await taker();
        }
        this.#taken.set(topic, number);
      }
    });
  }
}
