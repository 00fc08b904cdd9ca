import type { ComputedAnswer } from "./cached-answer.ts";

/** An answer, and when it was made, in milliseconds since 1970. */
export interface MadeAnswer {
  readonly computed: ComputedAnswer;
  readonly computedAtMs: number;
}

/** The subject of a refresh. */
export interface DueAnswer {
  readonly key: string;
  /** When the answer that is cached here was made. */
  readonly computedAtMs: number;
  /** When one that is made now expires. */
  readonly expiresAtMs: number;
  readonly compute: () => Promise<ComputedAnswer>;
}

/** Answers that services share with each other. */
export interface AnswerStore {
  /** The answer of a key, if it was made after a given time. */
  find(key: string, madeAfterMs: number): Promise<MadeAnswer | undefined>;
  put(key: string, made: MadeAnswer, expiresAtMs: number): Promise<void>;
}

/**
 * Refreshes a due answer; undefined when another service is about to, and the answer should be requested again soon.
 */
export type RefreshAnswer = (due: DueAnswer) => Promise<MadeAnswer | undefined>;

export interface SharedRefreshOptions {
  readonly store: AnswerStore;
  /** Runs the work unless another service runs work of this name, in which case it returns undefined immediately. */
  readonly alone: <T>(name: string, work: () => Promise<T>) => Promise<T | undefined>;
  /** False while the other services are unreachable: each refreshes for itself. */
  readonly isShared: () => boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** Longer answers are made by each service: sharing them would dominate the traffic of the store. */
const maxSharedBytes = 1_000_000;

/** Each service refreshes for itself. */
export function createOwnRefresh(nowMs: () => number): (due: DueAnswer) => Promise<MadeAnswer> {
  return async ({ compute }) => ({ computed: await compute(), computedAtMs: nowMs() });
}

/** One service runs the query of a due answer, and shares the answer with the others. */
export function createSharedRefresh({ store, alone, isShared, nowMs }: SharedRefreshOptions): RefreshAnswer {
  const refreshOwn = createOwnRefresh(nowMs);
  return async (due) => {
    if (!isShared()) return refreshOwn(due);
    const known = await store.find(due.key, due.computedAtMs);
    if (known !== undefined) return known;
    return alone(`refresh ${due.key}`, async () => {
      // The previous holder of the lock may have stored it.
      const left = await store.find(due.key, due.computedAtMs);
      if (left !== undefined) return left;
      const startedAtMs = nowMs();
      const made = await refreshOwn(due);
      // As old as what it has read: another may have answered anew since, after events were deleted.
      const shared = { ...made, computedAtMs: startedAtMs };
      // If it cannot be stored, the others make their own.
      const isShort = made.computed.body.length <= maxSharedBytes;
      if (isShort) await store.put(due.key, shared, due.expiresAtMs).catch(() => undefined);
      return made;
    });
  };
}
