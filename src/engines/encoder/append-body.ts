/** Appends a body whose events a thread reads, for every store. */
import type { AppendResult, BodyResult, EventStore } from "../contract/query-engine.ts";
import type { PendingWork } from "../schema/source/pending-work.ts";
import type { SourceState } from "../schema/source/source-state.ts";
import type { BodyReaders } from "./body-readers.ts";
import type { ThreadEvents } from "./encoder-thread.ts";

/** Reads long bodies in a thread of its own. */
export type BodyEncoder<Batch> = Pick<BodyReaders<Batch>, "read">;

/** Reads the events, stores them if `admit` allows it, returns what the body's answer needs, and releases them. */
export async function appendBody<Batch>(
  encoder: BodyEncoder<Batch>,
  pending: PendingWork,
  state: SourceState,
  [, body, signal, admit]: Parameters<NonNullable<EventStore["appendBody"]>>,
  store: (events: ThreadEvents<Batch>) => Promise<AppendResult>,
): Promise<BodyResult> {
  const { bytes, sender } = body;
  pending.admit(signal, sender);
  const events = await pending.holdBytes(bytes.length, () => encoder.read(state, body, signal), sender);
  const { remarks, newestTimestampUs } = events;
  try {
    admit?.(remarks.loads ?? []);
    const result = await store(events);
    return { ...result, ...remarks, newestTimestampUs, keys: events.keys };
  } finally {
    events.release();
  }
}
