import { createPassingMap } from "../../shared/concurrency/passing-map.ts";
import { WorkUnderWay } from "../../shared/concurrency/work-under-way.ts";
import { maxFollowedRows } from "../paging/follow-query.ts";
import { type ArrivalKey, type ArrivalSpan, Arrivals } from "./arrivals.ts";
import type { TailStart } from "./resume-place.ts";
import { type Follower, SharedTail, type SharedTailOptions } from "./shared-tail.ts";
import type { TailAsk } from "./tail-query.ts";

/** All tails of the service: followers of the same query share its answers. */
export interface TailHub {
  /**
   * Follows until `leave` is called. Queries whose answers differ have different `key`s. Rejects where the query cannot
   * be run.
   */
  follow(
    key: string,
    ask: TailAsk,
    follower: Follower,
    start: TailStart,
  ): { readonly joined: Promise<void>; leave(): void };
  /** Where the arrivals of sources are now. */
  position(sources: readonly string[]): ArrivalSpan;
  /** Whether anybody follows events of the source, or did so lately and may resume. */
  isWatched(source: string): boolean;
  /** Appends of events, and their notes, run as work of it. */
  readonly appends: WorkUnderWay;
  /** To be called with the events of a source that are on disk now. */
  note(source: string, keys: readonly ArrivalKey[]): Promise<void>;
  readonly followerCount: number;
  close(): void;
}

/**
 * How often queries that are followed are asked, at most: a follower has an event within twice that, and the
 * query.
 */
const intervalMs = 350;

/** Rows that are remembered to have been delivered: by each query, and by all together, but what one answer has. */
const maxSeen = { each: 100_000, all: 2_000_000, least: 2 * maxFollowedRows } as const;

/** So long after the last follower left, one that resumes is sent what arrived meanwhile, whatever its time. */
const keptMs = 600_000;

/** `isAlone` says that no other service writes to the store. */
export function createTailHub(clocks: Pick<SharedTailOptions, "nowMs" | "steadyMs">, isAlone = false): TailHub {
  const tails = createPassingMap<string, SharedTail>();
  const arrivals = new Arrivals();
  /** Sources that were followed, until a time of the steady clock. */
  const keptUntil = new Map<string, number>();
  const appends = new WorkUnderWay();
  let timer: NodeJS.Timeout | undefined;
  const share = () => Math.min(maxSeen.each, Math.max(maxSeen.least, Math.floor(maxSeen.all / tails.size)));
  const tick = () => {
    for (const [key, tail] of tails.entries()) {
      if (tail.followerCount > 0) void tail.poll();
      else {
        for (const source of tail.tables) keptUntil.set(source, clocks.steadyMs() + keptMs);
        tail.close();
        tails.delete(key);
      }
    }
    for (const [source, untilMs] of keptUntil) {
      if (untilMs > clocks.steadyMs()) continue;
      keptUntil.delete(source);
      isWatched(source);
    }
    timer = tails.size + keptUntil.size > 0 ? setTimeout(tick, intervalMs).unref() : undefined;
  };
  /** Ends the numbers of a source that nobody watches: nobody can resume behind what is not noted. */
  const isWatched = (source: string) => {
    const isRead = keptUntil.has(source) || [...tails.entries()].some(([, tail]) => tail.reads(source));
    if (!isRead) arrivals.forget(source);
    return isRead;
  };
  return {
    follow(key, ask, follower, start) {
      const tail = tails.get(key) ?? new SharedTail({ ...clocks, ask, arrivals, appends, maxSeen: share, isAlone });
      tails.set(key, tail);
      const joined = tail.join(follower, start);
      timer ??= setTimeout(tick, intervalMs).unref();
      return { joined, leave: () => tail.leave(follower) };
    },
    position(sources) {
      const mark = arrivals.mark();
      return arrivals.span(sources, mark, mark);
    },
    isWatched,
    appends,
    note: async (source, keys) => arrivals.note(source, keys),
    get followerCount() {
      return [...tails.entries()].reduce((sum, [, tail]) => sum + tail.followerCount, 0);
    },
    close() {
      clearTimeout(timer);
      for (const [, tail] of tails.entries()) tail.close();
      tails.clear();
    },
  };
}
