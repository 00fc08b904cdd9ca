import { ServiceError } from "../../../shared/errors.ts";

/** Holds back callers whose queries ended the engine, each time for twice as long. */
export interface HoldBack {
  /** Throws `held_back` while the caller is held back. */
  check(caller: string): void;
  /** Records that a query of the caller ended the engine. */
  note(caller: string): void;
}

interface Offender {
  /** The number of times in a row. */
  count: number;
  untilMs: number;
}

const firstMs = 5_000;
const longestMs = 600_000;
/** A caller without incident for this long starts again at the first step. */
const forgetMs = 3_600_000;

/** `nowMs` is a monotonic clock in milliseconds. */
export function createHoldBack(nowMs: () => number): HoldBack {
  // As many as there are tokens whose queries did so, at most.
  const offenders = new Map<string, Offender>();
  return {
    check(caller) {
      const leftMs = (offenders.get(caller)?.untilMs ?? 0) - nowMs();
      if (leftMs <= 0) return;
      throw new ServiceError("held_back", "Queries of this token ended the engine; it may run none for a while", {
        retryAfterSeconds: Math.ceil(leftMs / 1000),
      });
    },
    note(caller) {
      const now = nowMs();
      const before = offenders.get(caller);
      const count = before === undefined || now - before.untilMs > forgetMs ? 1 : before.count + 1;
      // Of several queries that end it at once, each counts.
      offenders.set(caller, { count, untilMs: now + Math.min(longestMs, firstMs * 2 ** (count - 1)) });
    },
  };
}
