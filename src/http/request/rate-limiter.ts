import { ServiceError } from "../../shared/errors.ts";

/** Limits the rate of a caller's calls. */
export interface RateLimiter {
  /** Counts one call. Throws `rate_limited` where the caller has none left for now. */
  take(caller: string): void;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Seconds of calls that may be made in a burst. */
const burstSeconds = 10;

/** `perMinute` undefined: no bound. `steadyMs` is a clock in milliseconds that never goes back. */
export function createRateLimiter(perMinute: number | undefined, steadyMs: () => number): RateLimiter {
  if (perMinute === undefined) return { take: () => undefined };
  const perMs = perMinute / 60_000;
  const capacity = Math.max(1, perMs * 1000 * burstSeconds);
  // One for each token that ever called: there are as many as were made.
  const buckets = new Map<string, Bucket>();
  return {
    take(caller) {
      const now = steadyMs();
      const bucket = buckets.get(caller) ?? { tokens: capacity, filledAtMs: now };
      bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.filledAtMs) * perMs);
      bucket.filledAtMs = now;
      buckets.set(caller, bucket);
      if (bucket.tokens < 1) {
        const retryAfterSeconds = Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000));
        const message = `This token made too many calls: it may make ${perMinute} a minute`;
        throw new ServiceError("rate_limited", message, { retryAfterSeconds });
      }
      bucket.tokens--;
    },
  };
}
