import type { AuditLog } from "../../audit/audit-log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { callKeyOf, type RunNotes } from "../plugins/audit.ts";

/**
 * Counts calls that were answered from the cache, and reports many at once to metrics and the audit: reporting each
 * would cost as much as the answer.
 */
export interface HitTally {
  add(hits: CountedCall, status: 200 | 304, ms: number): void;
  /** Reports what was counted so far. */
  flush(): void;
}

/** Calls that differ in nothing but their time, and those of them that were counted and not yet reported. */
export interface CountedCall {
  readonly notes: RunNotes;
  readonly endpoint: string;
  /** The key of the call in the audit. */
  readonly callKey: string;
  readonly waiting: { 200: number; 304: number; longestMs: number };
}

const flushAfterMs = 250;

export function countCalls(notes: RunNotes, endpoint: string): CountedCall {
  return { notes, endpoint, callKey: callKeyOf(notes), waiting: { 200: 0, 304: 0, longestMs: 0 } };
}

/** Begins without a timer: one runs only while something waits. */
export function createHitTally(metrics: Metrics, audit: Pick<AuditLog, "record">): HitTally {
  let counted: CountedCall[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const calls = counted;
    counted = [];
    for (const { notes, endpoint, callKey, waiting } of calls) {
      for (const status of [200, 304] as const) {
        const count = waiting[status];
        waiting[status] = 0;
        if (count === 0) continue;
        metrics.countHits(endpoint, status, count);
        audit.record({ ...notes, cache: "hit", status, durationMs: waiting.longestMs, callKey }, count);
      }
      waiting.longestMs = 0;
    }
  };

  return {
    add(call, status, ms) {
      const { waiting } = call;
      if (waiting[200] + waiting[304] === 0) counted.push(call);
      waiting[status]++;
      if (ms > waiting.longestMs) waiting.longestMs = ms;
      metrics.observeHit(call.endpoint, ms / 1000);
      timer ??= setTimeout(flush, flushAfterMs).unref();
    },
    flush,
  };
}
