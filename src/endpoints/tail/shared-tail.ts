import { ServiceError } from "../../shared/errors.ts";
import type { PagePlace } from "../paging/cursor.ts";
import type { TailAnswer, TailRow } from "./ask-tail.ts";

/** Who follows: is given rows oldest first, and told once when it is over. */
export interface Follower {
  deliver(rows: readonly TailRow[]): void;
  /** So many rows were left out; undefined where nobody counted them. */
  skip(count: number | undefined): void;
  end(error: ServiceError): void;
}

/** Where a follower begins: now, at a time, or behind a row. */
export type TailStart = { readonly fromUs: bigint } | { readonly behind: PagePlace } | undefined;

/** Asks the engine for the newest rows at or after a time, in microseconds since 1970. */
export type TailAsk = (fromUs: bigint, signal: AbortSignal) => Promise<TailAnswer>;

export interface SharedTailOptions {
  readonly ask: TailAsk;
  readonly nowMs: () => number;
  /** Changes when events may have come to these tables. */
  readonly arrivals: (tables: readonly string[]) => number;
}

/** One query that is asked again and again, for all who follow it. */
export interface SharedTail {
  readonly followerCount: number;
  /** Resolves once everything that is stored from now on will be delivered. */
  join(follower: Follower, start: TailStart): Promise<void>;
  leave(follower: Follower): void;
  /** Looks for new rows, where there may be some. Never runs twice at once. */
  poll(): Promise<void>;
  close(): void;
}

/** Events may arrive so much later than they happened, and are still delivered. */
const latenessUs = 10_000_000n;
/** Without word of new events, the engine is asked this often: others may write to the store. */
const quietMs = 2_000;
/** Failures that pass by themselves are borne so long. */
const patienceMs = 60_000;
const passing: ReadonlySet<string> = new Set(["engine_unavailable", "timeout", "too_many_queries", "memory_exceeded"]);

export function createSharedTail({ ask, nowMs, arrivals }: SharedTailOptions): SharedTail {
  const followers = new Set<Follower>();
  const joining: {
    readonly follower: Follower;
    readonly start: TailStart;
    readonly done: (error?: unknown) => void;
  }[] = [];
  const controller = new AbortController();
  const seen = new Map<string, bigint>();
  let newestUs: bigint | undefined;
  let tables: readonly string[] = [];
  let lastArrivals = -1;
  let lastAskMs = Number.NEGATIVE_INFINITY;
  let failingSinceMs: number | undefined;
  let isBusy = false;

  const windowStart = () => {
    const nowUs = BigInt(nowMs()) * 1000n;
    const at = newestUs === undefined || newestUs > nowUs ? nowUs : newestUs;
    return at - latenessUs;
  };

  /** Rows that nobody has seen yet, oldest first. */
  const look = async (): Promise<void> => {
    const isFirst = newestUs === undefined;
    const before = arrivals(tables);
    const fromUs = windowStart();
    const answer = await ask(fromUs, controller.signal);
    const fresh = answer.rows.filter(({ key }) => !seen.has(key));
    for (const { key, timeUs } of fresh) seen.set(key, timeUs);
    const [newest] = answer.rows;
    newestUs = newest?.timeUs ?? newestUs ?? fromUs + latenessUs;
    const oldestUs = windowStart() - latenessUs;
    for (const [key, timeUs] of seen) if (timeUs < oldestUs) seen.delete(key);
    lastArrivals = isFirst ? -1 : before;
    lastAskMs = nowMs();
    tables = answer.tables;
    if (isFirst || fresh.length === 0) return;
    const hasGap = answer.isFull && fresh.length === answer.rows.length;
    // The same list for all, so that it is laid out once.
    const told = [...fresh].reverse();
    for (const follower of followers) {
      if (hasGap) follower.skip(undefined);
      follower.deliver(told);
    }
  };

  /** What lies between a follower's start and now, as far as the others have been told. */
  const catchUp = async (follower: Follower, start: TailStart): Promise<void> => {
    if (start === undefined) return;
    const fromUs = "fromUs" in start ? start.fromUs : BigInt(start.behind[0] ?? 0);
    const answer = await ask(fromUs, controller.signal);
    const borderUs = windowStart();
    const told = answer.rows.filter((row) => row.timeUs < borderUs || seen.has(row.key));
    const missed = "behind" in start ? told.filter(({ place }) => isBehind(place, start.behind)) : told;
    if (answer.isFull) follower.skip(undefined);
    if (missed.length > 0) follower.deliver([...missed].reverse());
  };

  const isDue = () => arrivals(tables) !== lastArrivals || nowMs() - lastAskMs >= quietMs;

  const endAll = (error: ServiceError) => {
    for (const follower of followers) follower.end(error);
    followers.clear();
  };

  const letIn = async (): Promise<void> => {
    for (let [next] = joining; next !== undefined; [next] = joining) {
      const { follower, start, done } = next;
      try {
        if (newestUs === undefined) await look();
        // Who has left meanwhile is not let in. From here on the others get what all get.
        const at = joining.indexOf(next);
        if (at !== -1) followers.add(follower);
        if (at !== -1) joining.splice(at, 1);
        done();
        if (at !== -1) await catchUp(follower, start);
      } catch (error) {
        const at = joining.indexOf(next);
        if (at !== -1) joining.splice(at, 1);
        followers.delete(follower);
        done(error);
        follower.end(toServiceError(error));
      }
    }
  };

  return {
    get followerCount() {
      return followers.size + joining.length;
    },
    join(follower, start) {
      return new Promise((resolve, reject) => {
        joining.push({ follower, start, done: (error) => (error === undefined ? resolve() : reject(error)) });
      });
    },
    leave(follower) {
      followers.delete(follower);
      const at = joining.findIndex((each) => each.follower === follower);
      if (at !== -1) joining.splice(at, 1);
    },
    async poll() {
      if (isBusy) return;
      isBusy = true;
      try {
        if (followers.size > 0 && isDue()) await look();
        failingSinceMs = undefined;
        await letIn();
      } catch (error) {
        const failure = toServiceError(error);
        failingSinceMs ??= nowMs();
        const isPassing = passing.has(failure.code) && nowMs() - failingSinceMs < patienceMs;
        if (!isPassing && !controller.signal.aborted) endAll(failure);
      } finally {
        isBusy = false;
      }
    },
    close: () => controller.abort(new ServiceError("shutting_down", "Nobody follows any more")),
  };
}

/** True for a row that comes after another: later, or with greater keys at the same time. */
function isBehind(place: PagePlace, other: PagePlace): boolean {
  for (const [index, value] of place.entries()) {
    const against = other[index] ?? null;
    if (value === against) continue;
    if (index === 0) return BigInt(value ?? 0) > BigInt(against ?? 0);
    return (value ?? "") > (against ?? "");
  }
  return false;
}

function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError("internal", "The tail failed", { cause: error });
}
