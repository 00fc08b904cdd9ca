/** The stores that events are moved between. */
import type { LogEvent, StoredEvents } from "../engines/contract/query-engine.ts";

/** Microseconds of a day, an hour, a minute and a second: the widths of slices. */
export const sliceWidthsUs = [86_400_000_000n, 3_600_000_000n, 60_000_000n, 1_000_000n] as const;

/** Where events come from. */
export interface SourceStore {
  readonly events: StoredEvents;
  /** Names of the sources that it holds events of. */
  readonly sourceNames: readonly string[];
}

/** Where events go to. */
export interface TargetStore {
  readonly events: StoredEvents;
  has(sourceName: string): boolean;
  /** Resolves when the events are durable. Throws `EngineError`; existing ids are skipped. */
  append(sourceName: string, events: readonly LogEvent[], signal: AbortSignal): Promise<void>;
}

/** A stretch of time of a source. */
export interface SliceKey {
  readonly source: string;
  readonly startUs: bigint;
  readonly widthUs: bigint;
}

/** All times that events have. */
export const allTimes = { fromUs: -(2n ** 61n), toUs: 2n ** 61n };

/** The day that a time is in, as `2026-08-20`. */
export function dayOf(us: bigint): string {
  return new Date(Number(us / 1000n)).toISOString().replace(/T.*/, "");
}
