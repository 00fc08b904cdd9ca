import { ServiceError } from "../../shared/errors.ts";
import { createPassingMap, type PassingMap } from "../../shared/passing-map.ts";

/** Lets a bounded number of queries run at once, of all callers and of each; some more wait for their turn. */
export interface Admission {
  /**
   * Resolves when the caller may run, with the function that ends its turn (calling it again does nothing). Callers that wait
   * take turns: each in the order in which it came, whatever another has waiting. Throws `too_many_queries` when the queue is
   * full, and the signal's reason when that is aborted first.
   */
  enter(signal: AbortSignal, caller?: string): Promise<() => void>;
  /** The same where the caller may run at once, without a signal; else undefined, and nothing was done. */
  tryEnter(caller?: string): (() => void) | undefined;
  /** How many run and wait now. */
  readonly load: { readonly running: number; readonly waiting: number };
}

export interface AdmissionLimits {
  readonly maxRunning: number;
  /** Of one caller; `maxRunning` unless set. */
  readonly maxRunningPerCaller?: number;
  readonly maxWaiting: number;
}

interface Caller {
  running: number;
  /** Starts those who wait, in their order. */
  readonly waiting: PassingMap<number, () => void>;
}

export function createAdmission(limits: AdmissionLimits): Admission {
  const { maxRunning, maxWaiting, maxRunningPerCaller = maxRunning } = limits;
  /** Those that run or wait; the one that had its turn last is the last. */
  const callers = new Map<string, Caller>();
  let running = 0;
  let waitingCount = 0;
  let lastNumber = 0;

  const isFree = (caller: Caller) => running < maxRunning && caller.running < maxRunningPerCaller;

  const startNext = () => {
    for (const [name, caller] of callers) {
      const [next] = isFree(caller) ? caller.waiting.entries() : [];
      if (next === undefined) continue;
      callers.delete(name);
      callers.set(name, caller);
      next[1]();
      return;
    }
  };

  const takeTurn = (name: string, caller: Caller): (() => void) => {
    running++;
    caller.running++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running--;
      caller.running--;
      if (caller.running === 0 && caller.waiting.size === 0) callers.delete(name);
      startNext();
    };
  };

  const find = (name: string) => callers.get(name) ?? { running: 0, waiting: createPassingMap<number, () => void>() };

  const tryEnter = (name = ""): (() => void) | undefined => {
    const caller = find(name);
    if (caller.waiting.size > 0 || !isFree(caller)) return undefined;
    callers.set(name, caller);
    return takeTurn(name, caller);
  };

  return {
    tryEnter,
    async enter(signal, name = "") {
      signal.throwIfAborted();
      const leaveAgain = tryEnter(name);
      if (leaveAgain !== undefined) return leaveAgain;
      const caller = find(name);
      if (waitingCount >= maxWaiting) {
        throw new ServiceError("too_many_queries", "Too many queries are running and waiting", {
          retryAfterSeconds: 1,
        });
      }
      callers.set(name, caller);
      return new Promise((resolve, reject) => {
        const number = ++lastNumber;
        const stopWaiting = () => {
          caller.waiting.delete(number);
          waitingCount--;
          signal.removeEventListener("abort", leave);
        };
        const start = () => {
          stopWaiting();
          resolve(takeTurn(name, caller));
        };
        const leave = () => {
          stopWaiting();
          if (caller.running === 0 && caller.waiting.size === 0) callers.delete(name);
          reject(signal.reason);
        };
        caller.waiting.set(number, start);
        waitingCount++;
        signal.addEventListener("abort", leave, { once: true });
      });
    },
    get load() {
      return { running, waiting: waitingCount };
    },
  };
}
