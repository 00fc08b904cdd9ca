/** Where a call's time goes, as `Server-Timing` reports it. */
export type Phase = "auth" | "parse" | "queue" | "engine" | "encode";

/** Durations of one call, in milliseconds; a phase that is added twice is summed. */
export interface Timings {
  add(phase: Phase, ms: number): void;
  /** Runs the work and adds how long it took, also when it fails. */
  measure<T>(phase: Phase, work: () => T): T;
  /** Like `measure`, for work that waits. */
  measureWaiting<T>(phase: Phase, work: () => Promise<T>): Promise<T>;
  /** The value of the header (W3C Server Timing). */
  header(): string;
  /** Each phase as it took place, for traces. */
  phases(): readonly TimedPhase[];
}

/** A phase that is over. Times are milliseconds since 1970. */
export interface TimedPhase {
  readonly phase: Phase;
  readonly startMs: number;
  readonly endMs: number;
}

/** A large answer is encoded in many pieces; traces show the first ones. */
const maxPhases = 20;

/** `now` is a monotonic clock in milliseconds. */
export function createTimings(now: () => number): Timings {
  const durations = new Map<Phase, number>();
  const ended: TimedPhase[] = [];
  const add = (phase: Phase, ms: number) => {
    durations.set(phase, (durations.get(phase) ?? 0) + ms);
    if (ended.length >= maxPhases) return;
    const endMs = performance.timeOrigin + now();
    ended.push({ phase, startMs: endMs - ms, endMs });
  };
  return {
    add,
    measure(phase, work) {
      const startedAt = now();
      try {
        return work();
      } finally {
        add(phase, now() - startedAt);
      }
    },
    async measureWaiting(phase, work) {
      const startedAt = now();
      try {
        return await work();
      } finally {
        add(phase, now() - startedAt);
      }
    },
    phases: () => ended,
    header: () => [...durations].map(([phase, ms]) => `${phase};dur=${Math.round(ms * 1000) / 1000}`).join(", "),
  };
}
