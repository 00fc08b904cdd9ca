import { BodyError } from "../engines/contract/query-engine.ts";

/** Messages of a protocol that hold events, for each event that a body may have. */
const partsPerEvent = 10;

function tooMany(max: number): BodyError {
  return new BodyError(
    "too_many_events",
    `The body holds more events than max_body_events, ${max}; send its events in smaller bodies`,
  );
}

/** Counts the events of a body while it is read, and ends the reading where there are too many. */
export class EventCount {
  readonly #max: number;
  #events = 0;
  #parts = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Events so far. */
  get events(): number {
    return this.#events;
  }

  /** Counts events. Throws `BodyError` `too_many_events` beyond the maximum. */
  add(count = 1): void {
    this.#events += count;
    if (this.#events > this.#max) throw tooMany(this.#max);
  }

  /** Counts what surrounds events or is part of one, and costs as much to read. Throws for ten times as many. */
  addPart(): void {
    if (++this.#parts > this.#max * partsPerEvent) throw tooMany(this.#max);
  }
}

/** A count without a maximum. */
export function countAny(): EventCount {
  return new EventCount(Number.POSITIVE_INFINITY);
}
