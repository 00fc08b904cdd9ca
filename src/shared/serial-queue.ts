/** Runs a piece of work once all that was given before it has ended; settles as the work does. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * A queue that runs one piece of work at a time, in order. A piece that fails rejects its own promise and no other's.
 * Work that waits for other work which it gave to its own queue never ends.
 */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
