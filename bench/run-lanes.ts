/**
 * Works the items off in `lanes` lanes at a time, each taking the next item when it is free. Throws the first error.
 */
export async function runLanes<T>(items: Iterable<T>, lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const runLane = async () => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
}
