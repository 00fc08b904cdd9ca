import { createPassingMap } from "../../../../shared/concurrency/passing-map.ts";

/** Milliseconds that a caller's plans may take of the request loop at once; they come back at a tenth of the clock. */
const burstMs = 50;
const refillShare = 0.1;
/** Callers that are remembered; one that is forgotten starts over. */
const maxCallers = 10_000;

interface Spent {
  ms: number;
  atMs: number;
}

/** How much of the request loop each caller's plans have taken lately. `nowMs` is a clock that never goes back. */
export class PlanningBudget {
  readonly #nowMs: () => number;
  readonly #callers = createPassingMap<string, Spent>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  hasTime(caller: string): boolean {
    return this.#spentBy(caller, this.#nowMs()) < burstMs;
  }

  /** Does the work, and counts the time that it takes. */
  spend<T>(caller: string, work: () => T): T {
    const startedMs = this.#nowMs();
    try {
      return work();
    } finally {
      const atMs = this.#nowMs();
      const ms = this.#spentBy(caller, atMs) + atMs - startedMs;
      this.#callers.delete(caller);
      this.#callers.set(caller, { ms, atMs });
      this.#forget();
    }
  }

  #spentBy(caller: string, nowMs: number): number {
    const spent = this.#callers.get(caller);
    return spent === undefined ? 0 : Math.max(0, spent.ms - (nowMs - spent.atMs) * refillShare);
  }

  /** The least recently counted. */
  #forget(): void {
    for (const [caller] of this.#callers.entries()) {
      if (this.#callers.size <= maxCallers) return;
      this.#callers.delete(caller);
    }
  }
}
