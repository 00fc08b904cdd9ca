/** New events without end and without the cost of making them: a stock made beforehand, under new ids and times. */
import { type BenchEvent, type EventPlan, makeBatch, restamp } from "./events.ts";

const stockBatches = 40;

export interface EventSupply {
  /** Events that nobody has had before, each a little newer than the last. */
  take(count: number): readonly BenchEvent[];
}

/** Times go on from the end of the plan, a millisecond an event. */
export function createSupply(plan: EventPlan): EventSupply {
  const large = { ...plan, seed: plan.seed + 1, eventCount: stockBatches * 1_000 };
  const stock = Array.from({ length: stockBatches }, (_, index) => makeBatch(large, index)).flat();
  let taken = 0;
  const takeOne = (): BenchEvent[] => {
    const event = stock[taken % stock.length];
    const cycle = 1 + Math.floor(taken / stock.length);
    const timestampUs = plan.endMs * 1_000 + taken++ * 1_000;
    return event === undefined ? [] : [restamp(event, cycle, timestampUs)];
  };
  return { take: (count) => Array.from({ length: count }, takeOne).flat() };
}
