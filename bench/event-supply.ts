/** New events without end and without the cost of making them: a stock made beforehand, under new ids and times. */
import {
  type BenchEvent,
  bodyOf,
  type EventPlan,
  eventsPerBatch,
  idAt,
  idPrefix,
  isoMicros,
  makeBatch,
  restamp,
  timestampAt,
} from "./events.ts";

const stockBatches = 40;

export interface EventSupply {
  /** Events that nobody has had before, each a little newer than the last. */
  take(count: number): readonly BenchEvent[];
}

function makeStock(plan: EventPlan): readonly (readonly BenchEvent[])[] {
  const large = { ...plan, seed: plan.seed + 1, eventCount: stockBatches * eventsPerBatch };
  return Array.from({ length: stockBatches }, (_, index) => makeBatch(large, index));
}

/** Times go on from the end of the plan, a millisecond an event. */
export function createSupply(plan: EventPlan): EventSupply {
  const stock = makeStock(plan).flat();
  let taken = 0;
  const takeOne = (): BenchEvent[] => {
    const event = stock[taken % stock.length];
    const cycle = 1 + Math.floor(taken / stock.length);
    const timestampUs = plan.endMs * 1_000 + taken++ * 1_000;
    return event === undefined ? [] : [restamp(event, cycle, timestampUs)];
  };
  return { take: (count) => Array.from({ length: count }, takeOne).flat() };
}

/**
 * The same as bodies of a batch each: bytes that are copied and stamped (4 to 9 us an event where making them of texts
 * took 20 to 40), for runs in which the sender must not take the processor time of what is measured.
 */
export function createBodies(plan: EventPlan): () => Buffer {
  const stock = makeStock(plan).map((events) => {
    let start = 1;
    const starts = events.map(({ json }) => {
      const at = start;
      start += Buffer.byteLength(json) + 1;
      return at;
    });
    return { body: bodyOf(events), starts };
  });
  let taken = 0;
  return () => {
    const { body, starts } = stock[taken % stock.length] as (typeof stock)[number];
    const copy = Buffer.from(body);
    const prefix = idPrefix(1 + Math.floor(taken / stock.length));
    for (const [index, start] of starts.entries()) {
      copy.write(prefix, start + idAt, "latin1");
      const timestampUs = (plan.endMs + taken * eventsPerBatch + index) * 1_000;
      copy.write(isoMicros(timestampUs), start + timestampAt, "latin1");
    }
    taken++;
    return copy;
  };
}
