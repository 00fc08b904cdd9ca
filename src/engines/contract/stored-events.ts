/** How events leave a store as they came: for moving them to another engine. */
import type { LogEvent } from "./event-store.ts";

/** A time from (inclusive) and to (exclusive), in microseconds since 1970. */
export interface TimeRange {
  readonly fromUs: bigint;
  readonly toUs: bigint;
}

/** The events of one stretch of time, as a store distinguishes them without reading them. */
export interface TimeSlice {
  /** Microseconds since 1970, a multiple of the slice's width. */
  readonly startUs: bigint;
  /** One at least. */
  readonly eventCount: number;
  /** Differs where ids or times do, and says nothing of values; to be compared with others of the same store. */
  readonly fingerprint: string;
}

/** Reads what a store holds, of all tenants or one, past its queries. Both throw `EngineError`, `unknown_source` among it. */
export interface StoredEvents {
  /** The slices of this width (in microseconds) that have events, or events of one tenant, in their order. */
  slices(
    sourceName: string,
    range: TimeRange,
    widthUs: bigint,
    signal: AbortSignal,
    tenant?: string,
  ): Promise<readonly TimeSlice[]>;
  /**
   * The events, or those of one tenant, in batches and in no order. Stored again under the same definition they read
   * the same. None has a generated id. Leaving the iteration ends the reading.
   */
  read(sourceName: string, range: TimeRange, signal: AbortSignal, tenant?: string): AsyncIterable<readonly LogEvent[]>;
}

/** Which events are looked for. */
export interface EventSearch {
  readonly ids: readonly string[];
  /** Only those of these tenants, null for none; in all unless given. */
  readonly tenants?: readonly (string | null)[];
  /** At all times unless given. */
  readonly range?: TimeRange;
  /** The maximum size of rows, as JSON; beyond: `EngineError` `result_too_large`. */
  readonly maxBytes: number;
}

/**
 * Looks up events as they came, of all tenants, past the store's queries; in batches and in no order. Throws
 * `EngineError`, `unknown_source` among it. Leaving the iteration ends the reading.
 */
export type FindEvents = (
  sourceName: string,
  search: EventSearch,
  signal: AbortSignal,
) => AsyncIterable<readonly LogEvent[]>;
