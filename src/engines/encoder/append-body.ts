/** Appends a body whose events a thread has read, for every store. */
import type { AppendResult, BodyResult, TenantLoad } from "../contract/query-engine.ts";
import type { ThreadEvents } from "./encoder-thread.ts";

/** Stores the events if `admit` allows it, returns what the body's answer needs, and releases them. */
export async function appendRead<Batch>(
  events: ThreadEvents<Batch>,
  admit: ((loads: readonly TenantLoad[]) => void) | undefined,
  store: (events: ThreadEvents<Batch>) => Promise<AppendResult>,
): Promise<BodyResult> {
  const { remarks, newestTimestampUs } = events;
  try {
    admit?.(remarks.loads ?? []);
    const result = await store(events);
    return { ...result, ...remarks, newestTimestampUs, keys: events.keys };
  } finally {
    events.release();
  }
}
