import { ServiceError } from "../errors.ts";
import { createPassingMap, type PassingMap } from "./passing-map.ts";

export interface AdmissionLimits {
  readonly maxRunning: number;
  /** Running calls of one caller; `maxRunning` by default. */
  readonly maxRunningPerCaller?: number;
  readonly maxWaiting: number;
  /** Waiting calls of one caller; `maxWaiting` by default. */
  readonly maxWaitingPerCaller?: number;
  /** Makes the error for one that finds too many waiting: its caller's own, or all callers'; `too_many_queries` unless set. */
  readonly refuse?: (whose: "own" | "all") => Error;
}

function refuseQuery(): Error {
  return new ServiceError("too_many_queries", "Too many queries are running and waiting", { retryAfterSeconds: 1 });
}

interface Caller {
  running: number;
  /** Starts those that wait, in their order. */
  readonly waiting: PassingMap<number, () => void>;
}

/** Lets a limited number of tasks, such as queries, run at once, in total and per caller; some more wait for their turn. */
export class Admission {
  readonly #limits: Required<AdmissionLimits>;
  /** Callers with running or waiting queries; the one that had its turn most recently is last. */
  readonly #callers = new Map<string, Caller>();
  #running = 0;
  #waitingCount = 0;
  #lastNumber = 0;

  constructor({ maxRunning, maxWaiting, ...limits }: AdmissionLimits) {
    const { maxRunningPerCaller = maxRunning, maxWaitingPerCaller = maxWaiting, refuse = refuseQuery } = limits;
    this.#limits = { maxRunning, maxWaiting, maxRunningPerCaller, maxWaitingPerCaller, refuse };
  }

  /** The number of running and of waiting queries. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waitingCount };
  }

  /** Like `enter` if the caller may run immediately, without a signal; otherwise undefined and without effect. */
  tryEnter(name = ""): (() => void) | undefined {
    const caller = this.#find(name);
    if (caller.waiting.size > 0 || !this.#isFree(caller)) return undefined;
    this.#callers.set(name, caller);
    return this.#takeTurn(name, caller);
  }

  /**
   * Resolves when the caller may run, with the function that ends its turn (calling it again does nothing). Callers
   * that wait take turns: each in the order in which it came, whatever another has waiting. Throws what
   * `refuse` makes when the queue is full, and the signal's reason when that is aborted first.
   */
  async enter(signal: AbortSignal, name = ""): Promise<() => void> {
    signal.throwIfAborted();
    const leave = this.tryEnter(name);
    if (leave !== undefined) return leave;
    const { maxWaiting, maxWaitingPerCaller, refuse } = this.#limits;
    const caller = this.#find(name);
    if (caller.waiting.size >= maxWaitingPerCaller) throw refuse("own");
    if (this.#waitingCount >= maxWaiting) throw refuse("all");
    this.#callers.set(name, caller);
    return this.#wait(name, caller, signal);
  }

  #find(name: string): Caller {
    return this.#callers.get(name) ?? { running: 0, waiting: createPassingMap<number, () => void>() };
  }

  #isFree(caller: Caller): boolean {
    const { maxRunning, maxRunningPerCaller } = this.#limits;
    return this.#running < maxRunning && caller.running < maxRunningPerCaller;
  }

  #takeTurn(name: string, caller: Caller): () => void {
    this.#running++;
    caller.running++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#running--;
      caller.running--;
      this.#forgetIdle(name, caller);
      this.#startNext();
    };
  }

  #wait(name: string, caller: Caller, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const number = ++this.#lastNumber;
      const stopWaiting = () => {
        caller.waiting.delete(number);
        this.#waitingCount--;
        signal.removeEventListener("abort", giveUp);
      };
      const start = () => {
        stopWaiting();
        resolve(this.#takeTurn(name, caller));
      };
      const giveUp = () => {
        stopWaiting();
        this.#forgetIdle(name, caller);
        reject(signal.reason);
      };
      caller.waiting.set(number, start);
      this.#waitingCount++;
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #forgetIdle(name: string, caller: Caller): void {
    if (caller.running === 0 && caller.waiting.size === 0) this.#callers.delete(name);
  }

  #startNext(): void {
    for (const [name, caller] of this.#callers) {
      const [next] = this.#isFree(caller) ? caller.waiting.entries() : [];
      if (next === undefined) continue;
      this.#callers.delete(name);
      this.#callers.set(name, caller);
      next[1]();
      return;
    }
  }
}
