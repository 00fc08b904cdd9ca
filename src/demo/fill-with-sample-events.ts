import { createRandom } from "./random.ts";
import type { SampleEvent } from "./sample-event.ts";
import { makeDay, sampleSources } from "./sample-events.ts";

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

const batchSize = 1_000;

/**
 * Sends a day of sample events to every source over HTTP, like any client. Resolves with the count once the service has
 * acknowledged all of them; throws when it refuses a batch.
 */
export async function fillWithSampleEvents(options: FillOptions): Promise<number> {
  const eventCount = options.eventCount ?? 30_000;
  const plan = sampleSources.map((sample) => ({ sample, count: Math.ceil(eventCount * sample.share) }));
  const total = plan.reduce((sum, { count }) => sum + count, 0);
  const random = createRandom(20_260_820);
  let sent = 0;
  for (const { sample, count } of plan) {
    let batch: SampleEvent[] = [];
    let left = count;
    for (const event of makeDay(sample, random, count, options.nowMs)) {
      batch.push(event);
      left--;
      if (batch.length < batchSize && left > 0) continue;
      await send(options, sample.source, batch);
      sent += batch.length;
      batch = [];
      options.onProgress?.(sent, total);
    }
  }
  return total;
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
