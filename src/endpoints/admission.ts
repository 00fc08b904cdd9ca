import { ServiceError } from "../errors.ts";

/** Lets a bounded number of queries run at once; some more wait in the order in which they came. */
export interface Admission {
  /**
   * Resolves when the caller may run, with the function that ends its turn (calling it again does nothing). Throws
   * `too_many_queries` when the queue is full, and the signal's reason when that is aborted first.
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly start: () => void;
}

export function createAdmission(limits: { readonly maxRunning: number; readonly maxWaiting: number }): Admission {
  let running = 0;
  const queue = new Set<Waiting>();

  const takeTurn = (): (() => void) => {
    running++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running--;
      for (const next of queue) {
        queue.delete(next);
        next.start();
        break;
      }
    };
  };

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (running < limits.maxRunning) return takeTurn();
      if (queue.size >= limits.maxWaiting) {
        throw new ServiceError("too_many_queries", "Too many queries are running and waiting", {
          retryAfterSeconds: 1,
        });
      }
      return new Promise((resolve, reject) => {
        const leave = () => {
          queue.delete(waiting);
          reject(signal.reason);
        };
        const waiting: Waiting = {
          start: () => {
            signal.removeEventListener("abort", leave);
            resolve(takeTurn());
          },
        };
        queue.add(waiting);
        signal.addEventListener("abort", leave, { once: true });
      });
    },
  };
}
