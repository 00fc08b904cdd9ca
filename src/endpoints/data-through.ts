import type { EventStore, LogEvent } from "../engines/engine.ts";

/** Knows the newest event of each source without asking the engine: it sees every event that is stored. */
export interface DataThrough {
  /** To be told of events once they are on disk. */
  note(source: string, events: readonly LogEvent[]): void;
  /** The newest event of these sources, in microseconds since 1970; undefined where they have none. */
  of(sources: readonly string[]): bigint | undefined;
}

/** Begins with what the store holds. */
export async function createDataThrough(
  store: Pick<EventStore, "statistics">,
  signal: AbortSignal,
): Promise<DataThrough> {
  const newest = new Map<string, bigint>();
  for (const { name, newestTimestampUs } of await store.statistics(signal)) {
    if (newestTimestampUs !== null) newest.set(name, newestTimestampUs);
  }
  return {
    note(source, events) {
      let latest = newest.get(source);
      for (const { timestampUs } of events) {
        if (latest === undefined || timestampUs > latest) latest = timestampUs;
      }
      if (latest !== undefined) newest.set(source, latest);
    },
    of(sources) {
      let latest: bigint | undefined;
      for (const source of sources) {
        const each = newest.get(source);
        if (each !== undefined && (latest === undefined || each > latest)) latest = each;
      }
      return latest;
    },
  };
}
