/** Runs a piece of work once all that was given before it has ended; resolves or rejects as the work does. */
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

/**
 * Does one of several steps. Where it fails, `undo` takes back the steps before it, and the step's own error is thrown,
 * whatever becomes of the undoing: it may fail for the same reason.
 */
export async function orUndo<T>(step: () => Promise<T>, undo: () => Promise<unknown>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await undo().catch(() => undefined);
    throw error;
  }
}
