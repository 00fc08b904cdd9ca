import type { EventStore, SourceStatistics, StoreSpace } from "../engines/contract/query-engine.ts";
import { messageOf } from "../shared/message-of.ts";
import type { Forgetting } from "./forgetting.ts";

/** The space that a store may use, and that it has to leave; undefined for no bound. */
export interface SizeBounds {
  readonly maxUsedBytes: number | undefined;
  readonly minFreeBytes: number | undefined;
}

/** The dependencies of a bound. */
export interface SizeBoundOptions {
  readonly bounds: SizeBounds;
  readonly store: Pick<EventStore, "space" | "statistics">;
  readonly forgetting: Pick<Forgetting, "count" | "delete">;
  /** False where another service on the store does it. */
  readonly isOurs?: () => boolean;
  readonly log: (level: "info" | "error", message: string) => void;
}

/** A share of each bound: so much more is freed, so that the next events do not exceed it again. */
const margin = 0.05;
const everyMs = 10_000;
/** Halvings of the time in which the oldest events are looked for. */
const maxHalvings = 64;
/** How much more or less than wanted is deleted, rather than to count again. */
const tolerance = 0.1;

/** The bytes that are missing to be within the bounds; 0 or less for none. */
function bytesBeyond({ usedBytes, freeBytes }: StoreSpace, { maxUsedBytes, minFreeBytes }: SizeBounds, spare: number) {
  const tooMany = maxUsedBytes === undefined ? 0 : usedBytes - maxUsedBytes * (1 - spare);
  const tooFew = minFreeBytes === undefined || freeBytes === undefined ? 0 : minFreeBytes * (1 + spare) - freeBytes;
  return Math.max(tooMany, tooFew);
}

/** Whether a store is beyond a bound: what it says is for operators. */
export function describeSpaceProblem(space: StoreSpace, bounds: SizeBounds): string | undefined {
  if (bytesBeyond(space, bounds, 0) <= 0) return undefined;
  const megabytes = (bytes = 0) => Math.round(bytes / 1e6);
  const { maxUsedBytes, minFreeBytes } = bounds;
  const isFull = maxUsedBytes !== undefined && space.usedBytes > maxUsedBytes;
  return isFull
    ? `The events use ${megabytes(space.usedBytes)} MB, more than the ${megabytes(maxUsedBytes)} of max_store_mb`
    : `${megabytes(space.freeBytes)} MB are free for events, less than the ${megabytes(minFreeBytes)} of min_free_mb`;
}

/**
 * Deletes the oldest events of all sources where the store is beyond a bound, as many as are likely to bring it within
 * the bound and a margin. Returns how many they were.
 */
export async function keepWithinBounds(options: SizeBoundOptions, signal: AbortSignal): Promise<number> {
  const { bounds, store, forgetting, log } = options;
  const space = await store.space?.(signal);
  const problem = space === undefined ? undefined : describeSpaceProblem(space, bounds);
  if (space === undefined || problem === undefined) return 0;
  const sources = (await store.statistics(signal)).filter(({ rowCount }) => rowCount > 0);
  const total = sources.reduce((sum, { rowCount }) => sum + rowCount, 0);
  if (total === 0) return 0;
  const share = bytesBeyond(space, bounds, margin) / Math.max(1, space.usedBytes);
  const toUs = await findEnd(sources, Math.min(total, Math.ceil(total * share)), forgetting, signal);
  let count = 0;
  for (const { name, oldestTimestampUs } of sources) {
    if (oldestTimestampUs === null || oldestTimestampUs >= toUs) continue;
    signal.throwIfAborted();
    count += (await forgetting.delete(name, { toUs }, "size")).deleted;
  }
  const date = new Date(Number(toUs / 1000n));
  const before = Number.isNaN(date.getTime()) ? `${toUs} us` : date.toISOString();
  log("info", `size: deleted the oldest ${count} events, those before ${before}. ${problem}`);
  return count;
}

/** The time before which about so many events are; one that some events are before. */
async function findEnd(
  sources: readonly SourceStatistics[],
  wanted: number,
  forgetting: Pick<Forgetting, "count">,
  signal: AbortSignal,
): Promise<bigint> {
  const countBefore = async (toUs: bigint) => {
    let count = 0;
    for (const { name, rowCount, oldestTimestampUs: oldest, newestTimestampUs: newest } of sources) {
      signal.throwIfAborted();
      if (oldest === null || newest === null || oldest >= toUs) continue;
      count += newest < toUs ? rowCount : await forgetting.count(name, { toUs });
    }
    return count;
  };
  const oldest = sources.map(({ oldestTimestampUs }) => oldestTimestampUs ?? 0n);
  const newest = sources.map(({ newestTimestampUs }) => newestTimestampUs ?? 0n);
  let early = oldest.reduce((a, b) => (a < b ? a : b));
  let late = newest.reduce((a, b) => (a > b ? a : b)) + 1n;
  for (let halvings = 0; halvings < maxHalvings && late - early > 1n; halvings++) {
    const middle = (early + late) / 2n;
    const count = await countBefore(middle);
    if (Math.abs(count - wanted) <= wanted * tolerance && count > 0) return middle;
    if (count < wanted) early = middle;
    else late = middle;
  }
  return late;
}

/** Looks every ten seconds, until it is closed; not at all without bounds. */
export function startSizeBound(options: SizeBoundOptions): { close(): Promise<void> } {
  const { bounds, isOurs, log } = options;
  if (bounds.maxUsedBytes === undefined && bounds.minFreeBytes === undefined) return { close: async () => undefined };
  const closing = new AbortController();
  let running: Promise<unknown> | undefined;
  let lastFailure: string | undefined;
  const timer = setInterval(() => {
    if (isOurs?.() === false) return;
    running ??= keepWithinBounds(options, closing.signal)
      .then(
        () => {
          lastFailure = undefined;
        },
        (error: unknown) => {
          const failure = messageOf(error);
          if (!closing.signal.aborted && failure !== lastFailure) {
            log("error", `the oldest events cannot be deleted, which is tried again: ${failure}`);
          }
          lastFailure = failure;
        },
      )
      .finally(() => {
        running = undefined;
      });
  }, everyMs).unref();
  return {
    async close() {
      clearInterval(timer);
      closing.abort(new Error("The service is stopping"));
      await running;
    },
  };
}
