import type { EventStore } from "../engines/engine.ts";

/** Knows the newest event of each source without asking the engine: it sees every event that is stored. */
export interface DataThrough {
  /** To be told of the newest of events once they are on disk, in microseconds since 1970. */
  note(source: string, newestUs: bigint): void;
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
    note(source, newestUs) {
      const latest = newest.get(source);
      if (latest === undefined || newestUs > latest) newest.set(source, newestUs);
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
