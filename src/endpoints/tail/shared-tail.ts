import { ServiceError } from "../../shared/errors.ts";
import type { PagePlace } from "../paging/cursor.ts";
import type { TailAnswer, TailRow } from "./ask-tail.ts";

/** A follower receives rows oldest first, and is notified once when the tail ends. */
export interface Follower {
  deliver(rows: readonly TailRow[]): void;
  /** Rows were skipped; undefined when their number is unknown. */
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

/** Events may arrive so much later than they happened, and are still delivered. */
const latenessUs = 10_000_000n;
/** Without notice of new events, the engine is queried this often, because other services may write to the store. */
const quietMs = 2_000;
/** Transient failures are tolerated for this long. */
const patienceMs = 60_000;
const passing: ReadonlySet<string> = new Set(["engine_unavailable", "timeout", "too_many_queries", "memory_exceeded"]);

/** Followers that wait to join. */
interface Newcomer {
  readonly follower: Follower;
  readonly start: TailStart;
  readonly done: (error?: unknown) => void;
}

/** A query that is repeated for all of its followers. */
export class SharedTail {
  readonly #ask: TailAsk;
  readonly #nowMs: () => number;
  readonly #arrivals: SharedTailOptions["arrivals"];
  readonly #followers = new Set<Follower>();
  readonly #newcomers: Newcomer[] = [];
  readonly #controller = new AbortController();
  readonly #seen = new Map<string, bigint>();
  #newestUs: bigint | undefined;
  #tables: readonly string[] = [];
  #lastArrivals = -1;
  #lastAskMs = Number.NEGATIVE_INFINITY;
  #failingSinceMs: number | undefined;
  #isBusy = false;

  constructor({ ask, nowMs, arrivals }: SharedTailOptions) {
    this.#ask = ask;
    this.#nowMs = nowMs;
    this.#arrivals = arrivals;
  }

  get followerCount(): number {
    return this.#followers.size + this.#newcomers.length;
  }

  /** Resolves once every event stored from now on will be delivered. */
  join(follower: Follower, start: TailStart): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (error?: unknown) => (error === undefined ? resolve() : reject(error));
      this.#newcomers.push({ follower, start, done });
    });
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
    const newcomer = this.#newcomers.find((each) => each.follower === follower);
    if (newcomer !== undefined) this.#removeNewcomer(newcomer);
  }

  /** Looks for new rows if there may be any. Never runs twice concurrently. */
  async poll(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      if (this.#followers.size > 0 && this.#isDue()) await this.#look();
      this.#failingSinceMs = undefined;
      await this.#letIn();
    } catch (error) {
      this.#noteFailure(toServiceError(error));
    } finally {
      this.#isBusy = false;
    }
  }

  close(): void {
    this.#controller.abort(new ServiceError("shutting_down", "Nobody follows any more"));
  }

  #isDue(): boolean {
    return this.#arrivals(this.#tables) !== this.#lastArrivals || this.#nowMs() - this.#lastAskMs >= quietMs;
  }

  /** Where the rows begin that may not have been seen yet. */
  #windowStart(): bigint {
    const nowUs = BigInt(this.#nowMs()) * 1000n;
    const at = this.#newestUs === undefined || this.#newestUs > nowUs ? nowUs : this.#newestUs;
    return at - latenessUs;
  }

  /** Queries new rows and delivers them. The first result is where all followers start. */
  async #look(): Promise<void> {
    const isFirst = this.#newestUs === undefined;
    const arrivals = this.#arrivals(this.#tables);
    const fromUs = this.#windowStart();
    const answer = await this.#ask(fromUs, this.#controller.signal);
    const fresh = this.#noteRows(answer, fromUs);
    this.#lastArrivals = isFirst ? -1 : arrivals;
    this.#lastAskMs = this.#nowMs();
    this.#tables = answer.tables;
    if (!isFirst && fresh.length > 0) this.#deliver(answer, fresh);
  }

  /** Returns the rows that were not seen before; those too old to be queried again are forgotten. */
  #noteRows({ rows }: TailAnswer, fromUs: bigint): readonly TailRow[] {
    const fresh = rows.filter(({ key }) => !this.#seen.has(key));
    for (const { key, timeUs } of fresh) this.#seen.set(key, timeUs);
    this.#newestUs = rows[0]?.timeUs ?? this.#newestUs ?? fromUs + latenessUs;
    const oldestUs = this.#windowStart() - latenessUs;
    for (const [key, timeUs] of this.#seen) if (timeUs < oldestUs) this.#seen.delete(key);
    return fresh;
  }

  #deliver(answer: TailAnswer, fresh: readonly TailRow[]): void {
    const hasGap = answer.isFull && fresh.length === answer.rows.length;
    // The same list for all, so that it is laid out once.
    const told = [...fresh].reverse();
    for (const follower of this.#followers) {
      if (hasGap) follower.skip(undefined);
      follower.deliver(told);
    }
  }

  async #letIn(): Promise<void> {
    for (let [next] = this.#newcomers; next !== undefined; [next] = this.#newcomers) {
      const { follower, start, done } = next;
      try {
        if (this.#newestUs === undefined) await this.#look();
        // A follower that has left in the meantime does not join. From here on all followers receive the same rows.
        const isHere = this.#removeNewcomer(next);
        if (isHere) this.#followers.add(follower);
        done();
        if (isHere) await this.#catchUp(follower, start);
      } catch (error) {
        this.#removeNewcomer(next);
        this.#followers.delete(follower);
        done(error);
        follower.end(toServiceError(error));
      }
    }
  }

  /** False where it has left already. */
  #removeNewcomer(newcomer: Newcomer): boolean {
    const at = this.#newcomers.indexOf(newcomer);
    if (at !== -1) this.#newcomers.splice(at, 1);
    return at !== -1;
  }

  /** What lies between a follower's start and now, as far as the others have been told. */
  async #catchUp(follower: Follower, start: TailStart): Promise<void> {
    if (start === undefined) return;
    const fromUs = "fromUs" in start ? start.fromUs : BigInt(start.behind[0] ?? 0);
    const answer = await this.#ask(fromUs, this.#controller.signal);
    const borderUs = this.#windowStart();
    const told = answer.rows.filter((row) => row.timeUs < borderUs || this.#seen.has(row.key));
    const missed = "behind" in start ? told.filter(({ place }) => isBehind(place, start.behind)) : told;
    if (answer.isFull) follower.skip(undefined);
    if (missed.length > 0) follower.deliver([...missed].reverse());
  }

  /** Ends it for all followers, unless the failure may be transient. */
  #noteFailure(failure: ServiceError): void {
    this.#failingSinceMs ??= this.#nowMs();
    const isPassing = passing.has(failure.code) && this.#nowMs() - this.#failingSinceMs < patienceMs;
    if (isPassing || this.#controller.signal.aborted) return;
    for (const follower of this.#followers) follower.end(failure);
    this.#followers.clear();
  }
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
