import { createRandom, type Random } from "./random.ts";
import type { MakeSampleEvent, SampleEvent } from "./sample-event.ts";
import { sampleSources } from "./sample-events.ts";

export interface FillOptions {
  /** Address of a running service, without a trailing slash. */
  readonly url: string;
  /** A token that may write to every source. */
  readonly token: string;
  /** The end of the day that is filled, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Events for all sources together; 30,000 by default. */
  readonly eventCount?: number;
  readonly onProgress?: (sent: number, total: number) => void;
  readonly signal?: AbortSignal;
}

const dayMs = 86_400_000;
const batchSize = 1_000;

/**
 * Sends a day of sample events to every source over HTTP, like any client. Resolves with the count once the service has
 * acknowledged all of them; throws when it refuses a batch.
 */
export async function fillWithSampleEvents(options: FillOptions): Promise<number> {
  const eventCount = options.eventCount ?? 30_000;
  const plan = sampleSources.map(({ source, share, make }) => ({ source, make, count: Math.ceil(eventCount * share) }));
  const total = plan.reduce((sum, { count }) => sum + count, 0);
  const random = createRandom(20_260_820);
  let sent = 0;
  for (const { source, make, count } of plan) {
    for (let from = 0; from < count; from += batchSize) {
      const events = makeBatch(random, make, from, Math.min(count, from + batchSize), count, options.nowMs);
      await send(options, source, events);
      sent += events.length;
      options.onProgress?.(sent, total);
    }
  }
  return total;
}

/** Events `from` to `to` of the `count` that are spread over the day, oldest first. */
function makeBatch(
  random: Random,
  make: MakeSampleEvent,
  from: number,
  to: number,
  count: number,
  nowMs: number,
): SampleEvent[] {
  return Array.from({ length: to - from }, (_, index) => {
    const position = (from + index + random.next()) / count;
    return make(random, new Date(nowMs - dayMs * (1 - position)).toISOString());
  });
}

async function send(options: FillOptions, source: string, events: readonly SampleEvent[]): Promise<void> {
  const response = await fetch(`${options.url}/api/logs?source_name=${encodeURIComponent(source)}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": options.token },
    body: JSON.stringify(events),
    ...(options.signal !== undefined && { signal: options.signal }),
  });
  if (!response.ok)
    throw new Error(`Sample events for ${source} were refused: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
