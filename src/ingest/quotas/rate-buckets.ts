import { createPassingMap } from "../../shared/concurrency/passing-map.ts";

/** Amounts per minute, by unit. */
export interface MinuteRates {
  readonly events?: number | undefined;
  readonly bytes?: number | undefined;
}

export type RateUnit = keyof MinuteRates;

export type Amounts = Readonly<Record<RateUnit, number>>;

/** Why amounts cannot be taken now. */
export interface Shortage {
  readonly unit: RateUnit;
  /** That may be used up in a minute. */
  readonly rate: number;
  /** Until the same amounts can be taken; a minute where they never can. */
  readonly waitMs: number;
  /** The amounts alone are more than a whole minute's. */
  readonly isTooMuch: boolean;
}

export interface RateBuckets {
  /** Undefined where the key may take the amounts now. Takes nothing. */
  shortage(key: string, amounts: Amounts, rates: MinuteRates): Shortage | undefined;
  /** Whole events that the key may take now; any number where they have no rate. */
  eventsLeft(key: string, rates: MinuteRates): number;
  /** Takes the amounts, whether they are there or not. */
  take(key: string, amounts: Amounts, rates: MinuteRates): void;
  /** Gives back unused amounts. */
  giveBack(key: string, amounts: Amounts): void;
  /** The number of keys in use. */
  readonly size: number;
}

/** In use, and free again bit by bit over a minute. */
interface Bucket {
  used: Amounts;
  /** When `used` was that. */
  atMs: number;
}

const minuteMs = 60_000;
/** A fraction of an event or byte that may be missing: the clock's arithmetic is not exact. */
const slack = 1e-6;
const units: readonly RateUnit[] = ["events", "bytes"];
const nothing: Amounts = { events: 0, bytes: 0 };

function usedAt({ used, atMs }: Bucket, rates: MinuteRates, nowMs: number): Amounts {
  const elapsedMs = Math.max(0, nowMs - atMs);
  const left = (unit: RateUnit) => Math.max(0, used[unit] - ((rates[unit] ?? 0) * elapsedMs) / minuteMs);
  return { events: left("events"), bytes: left("bytes") };
}

/**
 * Rates by key: each may use up a minute's worth at once, which is refilled gradually over the following minute. A key
 * that was not used for a minute is removed, without any effect. Beyond `maxKeys` the least recently used ones are
 * removed: they start with a full rate again. `nowMs` is a clock in milliseconds that never goes back.
 */
export function createRateBuckets(nowMs: () => number, maxKeys = 100_000): RateBuckets {
  // In order of their last use.
  const buckets = createPassingMap<string, Bucket>();

  const forget = (now: number) => {
    for (const [key, { atMs }] of buckets.entries()) {
      if (now - atMs < minuteMs && buckets.size <= maxKeys) return;
      buckets.delete(key);
    }
  };

  const used = (key: string, rates: MinuteRates, now: number): Amounts => {
    const bucket = buckets.get(key);
    return bucket === undefined ? nothing : usedAt(bucket, rates, now);
  };

  return {
    shortage(key, amounts, rates) {
      const now = used(key, rates, nowMs());
      for (const unit of units) {
        const rate = rates[unit];
        if (rate === undefined) continue;
        const isTooMuch = amounts[unit] > rate;
        const excess = now[unit] + amounts[unit] - rate;
        if (excess <= slack) continue;
        return { unit, rate, waitMs: isTooMuch ? minuteMs : (excess * minuteMs) / rate, isTooMuch };
      }
      return undefined;
    },
    eventsLeft(key, rates) {
      const { events = Number.POSITIVE_INFINITY } = rates;
      return Math.max(0, Math.floor(events - used(key, rates, nowMs()).events + slack));
    },
    take(key, amounts, rates) {
      const now = nowMs();
      const before = used(key, rates, now);
      buckets.delete(key);
      const after = { events: before.events + amounts.events, bytes: before.bytes + amounts.bytes };
      buckets.set(key, { used: after, atMs: now });
      forget(now);
    },
    giveBack(key, amounts) {
      const bucket = buckets.get(key);
      if (bucket === undefined) return;
      const { events, bytes } = bucket.used;
      bucket.used = { events: Math.max(0, events - amounts.events), bytes: Math.max(0, bytes - amounts.bytes) };
    },
    get size() {
      return buckets.size;
    },
  };
}
