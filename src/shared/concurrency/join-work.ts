import { setImmediate } from "node:timers/promises";

interface Asked<In, Out> {
  readonly one: In;
  readonly resolve: (done: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does together what is asked for one by one: all that comes in the same moment, and then all that came meanwhile. The
 * work answers for each in their order, or nothing where there is nothing to answer; where it fails, it has failed for
 * all of them.
 */
export function joinWork<In, Out>(work: (all: readonly In[]) => Promise<readonly Out[]>): (one: In) => Promise<Out> {
  let waiting: Asked<In, Out>[] = [];
  let isRunning = false;
  const run = async () => {
    while (waiting.length > 0) {
      await setImmediate();
      const taken = waiting;
      waiting = [];
      try {
        const done = await work(taken.map(({ one }) => one));
        for (const [index, { resolve }] of taken.entries()) resolve(done[index] as Out);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    // In the same step as the check for more: who comes next begins anew.
    isRunning = false;
  };
  return (one) =>
    new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      void run();
    });
}
