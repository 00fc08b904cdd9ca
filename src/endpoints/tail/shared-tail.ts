import { isDeepStrictEqual } from "node:util";
import type { WorkUnderWay } from "../../shared/concurrency/work-under-way.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { ArrivalMark, ArrivalSpan, Arrivals } from "./arrivals.ts";
import { compareTimes, type TailRow } from "./ask-tail.ts";
import { findMissedArrivals } from "./missed-arrivals.ts";
import { comparePlaces, eventOf, sealedPlace, startOf, type TailStart } from "./resume-place.ts";
import { type FoundRows, type TailAsk, TailQuery } from "./tail-query.ts";

/** A follower receives rows as they arrive, and is notified once when the tail ends. */
export interface Follower {
  deliver(rows: readonly TailRow[]): void;
  /** Rows were skipped; undefined when their number is unknown. */
  skip(count: number | undefined): void;
  end(error: ServiceError): void;
}

export interface SharedTailOptions {
  readonly ask: TailAsk;
  readonly nowMs: () => number;
  /** A clock that nobody sets. */
  readonly steadyMs: () => number;
  readonly arrivals: Arrivals;
  /** Appends, whose events are on disk before they arrive. */
  readonly appends: Pick<WorkUnderWay, "settled">;
  /** Rows that are remembered to have been delivered. */
  readonly maxSeen: () => number;
  /** Whether no other service writes to the store. */
  readonly isAlone: boolean;
}

/** Events that other services store are looked for so far before the newest row, and so far ahead of the clock. */
const latenessUs = 10_000_000n;
/** Without notice of new events, the engine is queried this often, because other services may write to the store. */
const quietMs = 2_000;
/** The same where none does. Queries without one event a row are queried for the time that passes, too. */
const aloneMs = 60_000;
/** Transient failures are tolerated for this long. */
const patienceMs = 60_000;
const passing: ReadonlySet<string> = new Set([
  ...["engine_unavailable", "overloaded", "timeout", "too_many_queries", "memory_exceeded"],
]);

/** Followers that wait to join. */
interface Newcomer {
  readonly follower: Follower;
  readonly start: TailStart;
  readonly done: (error?: unknown) => void;
  /** Whether the appends have ended that may have begun while nobody watched. */
  isReady: boolean;
}

/**
 * A query that is repeated for all of its followers. The events that this service stores are followed by their arrival,
 * where a row of the query is one event; what others store, and rows of other queries, are followed by their time.
 */
export class SharedTail {
  readonly #query: TailQuery;
  readonly #nowMs: () => number;
  readonly #steadyMs: () => number;
  readonly #arrivals: Arrivals;
  readonly #appends: SharedTailOptions["appends"];
  readonly #maxSeen: () => number;
  readonly #isAlone: boolean;
  /** Each with the events that it was sent before they have arrived. */
  readonly #followers = new Map<Follower, Set<string>>();
  readonly #newcomers: Newcomer[] = [];
  /** Rows that were delivered, or were there before; their times by their keys, the first one first. */
  readonly #seen = new Map<string, bigint>();
  /** Events that were on disk before anybody followed, and may arrive yet. */
  #present = new Set<string>();
  /** Rows that were found by their time, with others that did not fit; those of this service arrive within a while. */
  #doubted = new Set<string>();
  #newestUs: bigint | undefined;
  /** Where the window of the next look begins, unless the clock is set back. */
  #nextFromUs: bigint | undefined;
  #mark: ArrivalMark = new Map();
  #lastAskMs = Number.NEGATIVE_INFINITY;
  #failingSinceMs: number | undefined;
  #isBusy = false;

  constructor({ ask, nowMs, steadyMs, arrivals, appends, maxSeen, isAlone }: SharedTailOptions) {
    this.#query = new TailQuery(ask);
    this.#nowMs = nowMs;
    this.#steadyMs = steadyMs;
    this.#arrivals = arrivals;
    this.#appends = appends;
    this.#maxSeen = maxSeen;
    this.#isAlone = isAlone;
  }

  get followerCount(): number {
    return this.#followers.size + this.#newcomers.length;
  }

  /** The sources that it is known to read. */
  get tables(): readonly string[] {
    return this.#query.last.tables;
  }

  /** Whether events of the source concern it, as far as is known. */
  reads(source: string): boolean {
    return this.#newestUs === undefined || this.#query.last.tables.includes(source);
  }

  /** Resolves once every event stored from now on will be delivered, and what is between its start and now is. */
  join(follower: Follower, start: TailStart): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (error?: unknown) => (error === undefined ? resolve() : reject(error));
      const newcomer = { follower, start, done, isReady: false };
      this.#newcomers.push(newcomer);
      void this.#appends.settled().then(() => {
        newcomer.isReady = true;
        return this.poll();
      });
    });
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
    const newcomer = this.#newcomers.find((each) => each.follower === follower);
    if (newcomer !== undefined) this.#removeNewcomer(newcomer);
  }

  /**
   * Looks for new rows if there may be any. Never runs twice concurrently. A failure is passed to all who wait to join:
   * of an engine that is away, the hundredth would wait a hundred times as long as the first.
   */
  async poll(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      if (this.#followers.size > 0) await this.#look();
      this.#failingSinceMs = undefined;
      await this.#letIn();
    } catch (error) {
      if (this.#followers.size > 0) this.#noteFailure(toServiceError(error));
      this.#refuse(this.#newcomers.splice(0), error);
    } finally {
      this.#isBusy = false;
    }
    if (this.#ready().length > 0) await this.poll();
  }

  close(): void {
    this.#query.close();
  }

  /** Where the rows begin that may not have been seen yet. */
  #windowStart(): bigint {
    const nowUs = this.#nowUs();
    const at = this.#newestUs === undefined || this.#newestUs > nowUs ? nowUs : this.#newestUs;
    return at - latenessUs;
  }

  #nowUs(): bigint {
    return BigInt(this.#nowMs()) * 1000n;
  }

  /** Delivers what is new. A look for nobody is where the next follower starts. */
  async #look(): Promise<void> {
    if (this.#followers.size === 0) {
      this.#mark = this.#arrivals.mark();
      this.#present = new Set();
      const fromUs = this.#windowStart();
      await this.#lookByTime();
      // Further back from a newest row than from now: what is there came before the start, too.
      if (this.#windowStart() < fromUs) await this.#lookByTime();
      this.#forgetWhenSettled(this.#present);
      return;
    }
    const { tables, isOfEvents } = this.#query.last;
    const hasMore = this.#arrivals.hasMore(this.#mark, tables);
    if (hasMore && isOfEvents) await this.#lookByArrival();
    const isQuiet = this.#steadyMs() - this.#lastAskMs >= (this.#isAlone && isOfEvents ? aloneMs : quietMs);
    if (!isQuiet && (!hasMore || isOfEvents)) return;
    const mark = this.#arrivals.mark();
    const { fresh, hasGap } = await this.#lookByTime();
    if (!isOfEvents) this.#mark = mark;
    this.#deliver(fresh, isOfEvents ? this.#resolveDoubt(fresh, hasGap) : hasGap);
  }

  /**
   * Whether other services' rows were skipped by the look before. Events of this one are on disk a moment before they
   * arrive: where all rows of a look with a gap have arrived, so have those that did not fit.
   */
  #resolveDoubt(fresh: readonly TailRow[], hasGap: boolean): boolean {
    const isLeft = this.#doubted.size > 0;
    this.#doubted = new Set(hasGap ? fresh.map(({ key }) => key) : []);
    return isLeft;
  }

  /** All rows of the events that have arrived, in pieces that the limits of the query allow. */
  async #lookByArrival(): Promise<void> {
    while (this.#followers.size > 0) {
      const { tables, maxRows } = this.#query.last;
      const { keys, mark, isTorn } = this.#arrivals.next(this.#mark, tables, maxRows);
      if (keys.length === 0) return;
      const { rows, hasGap } = await this.#query.findEvents(keys);
      const from = this.#mark;
      this.#mark = mark;
      for (const { key } of rows) this.#doubted.delete(key);
      const present = rows.filter(({ place }) => this.#present.delete(eventOf(place)));
      this.#deliver([...this.#noteRows(rows), ...present], hasGap || isTorn, from);
    }
  }

  async #lookByTime(): Promise<{ readonly fresh: readonly TailRow[]; readonly hasGap: boolean }> {
    const fromUs = this.#windowStart();
    const nearUs = this.#nowUs() + latenessUs;
    const answers = await this.#query.askFrom(fromUs, nearUs);
    this.#lastAskMs = this.#steadyMs();
    const newest = answers.flatMap(({ rows }) => rows).find(({ timeUs }) => timeUs <= nearUs);
    this.#newestUs = newest?.timeUs ?? this.#newestUs ?? fromUs + latenessUs;
    const fresh: TailRow[] = [];
    let hasGap = false;
    for (const { rows, isFull } of answers) {
      // Where the clock was set back, what is found before that was there, and may have been forgotten.
      const unseen = this.#noteRows(rows).filter(({ timeUs }) => timeUs >= (this.#nextFromUs ?? timeUs));
      if (this.#followers.size === 0) for (const { place } of rows) this.#present.add(eventOf(place));
      fresh.push(...unseen);
      hasGap ||= isFull && unseen.length === rows.length;
    }
    this.#nextFromUs = this.#windowStart();
    return { fresh, hasGap };
  }

  /** Returns the rows that were not seen before, and forgets what cannot come again: by time, or the oldest ones. */
  #noteRows(rows: readonly TailRow[]): readonly TailRow[] {
    const fresh = rows.filter(({ key }) => !this.#seen.has(key));
    for (const { key, timeUs } of fresh) this.#seen.set(key, timeUs);
    const oldestUs = this.#windowStart() - latenessUs;
    const maxSeen = this.#maxSeen();
    for (const [key, timeUs] of this.#seen) {
      const isTooMuch = this.#seen.size > maxSeen;
      // Events may be sent again at any time.
      if (this.#query.last.isOfEvents && !isTooMuch) break;
      if (isTooMuch || timeUs < oldestUs) this.#seen.delete(key);
    }
    return fresh;
  }

  /** `from` is the mark behind which those of a piece of arrivals came. */
  #deliver(fresh: readonly TailRow[], hasGap: boolean, from = this.#mark): void {
    // The same list for all, so that it is laid out once.
    const ordered = this.#placed(fresh, this.#span(from));
    for (const [follower, early] of this.#followers) {
      const rows = early.size === 0 ? ordered : ordered.filter(({ place }) => !early.delete(eventOf(place)));
      this.#send(follower, rows, hasGap);
    }
  }

  #send(follower: Follower, rows: readonly TailRow[], hasGap: boolean): void {
    if (hasGap) follower.skip(undefined);
    if (rows.length > 0) follower.deliver(rows);
  }

  /** The arrivals between a mark and what is delivered by now; undefined where rows are no events. */
  #span(from = this.#mark): ArrivalSpan | undefined {
    const { tables, isOfEvents } = this.#query.last;
    return isOfEvents ? this.#arrivals.span(tables, from, this.#mark) : undefined;
  }

  /** Those that are shown, oldest first. */
  #inOrder(rows: readonly TailRow[]): readonly TailRow[] {
    const shown = rows.filter(({ isHidden }) => isHidden !== true);
    // Rows of one time without keys are in the reverse of their order.
    return shown.reverse().sort((a, b) => compareTimes(a, b) || comparePlaces(a.place, b.place));
  }

  #placed(rows: readonly TailRow[], span: ArrivalSpan | undefined): readonly TailRow[] {
    return this.#inOrder(rows).map((row) => this.#seal(row, span));
  }

  /** With the place to resume behind. */
  #seal(row: TailRow, span: ArrivalSpan | undefined): TailRow {
    return { ...row, place: sealedPlace(row.place, this.#nowUs(), span) };
  }

  #ready(): readonly Newcomer[] {
    return this.#newcomers.filter(({ isReady }) => isReady);
  }

  /**
   * All who begin now together; those who missed something with those who missed the same, so that others wait for one
   * of them at most.
   */
  async #letIn(): Promise<void> {
    for (let ready = this.#ready(); ready.length > 0; ready = this.#ready()) {
      const { start } = ready.find((each) => each.start === undefined) ?? ready[0] ?? {};
      const next = ready.filter((each) => isDeepStrictEqual(each.start, start));
      // What has arrived is for those who are here already.
      await this.#look();
      // A follower that has left in the meantime does not join. From here on all followers receive the same rows.
      const joining = next.filter((each) => this.#removeNewcomer(each));
      const followers = joining.map(({ follower }) => follower);
      for (const follower of followers) this.#followers.set(follower, new Set());
      try {
        await this.#catchUp(followers, start);
        for (const { done } of joining) done();
      } catch (error) {
        const isAway = error instanceof ServiceError && error.code === "engine_unavailable";
        this.#refuse([...joining, ...(isAway ? this.#newcomers.splice(0) : [])], error);
      }
    }
  }

  #refuse(newcomers: readonly Newcomer[], error: unknown): void {
    for (const { follower, done } of newcomers) {
      this.#followers.delete(follower);
      done(error);
      follower.end(toServiceError(error));
    }
  }

  /** False where it has left already. */
  #removeNewcomer(newcomer: Newcomer): boolean {
    const at = this.#newcomers.indexOf(newcomer);
    if (at !== -1) this.#newcomers.splice(at, 1);
    return at !== -1;
  }

  /** Sends the rows between a start and now that the other followers already have to those who begin there. */
  async #catchUp(followers: readonly Follower[], start: TailStart): Promise<void> {
    if (start === undefined || followers.length === 0) return;
    const { isOfEvents } = this.#query.last;
    const arrived = isOfEvents ? await findMissedArrivals(start, this.#query, this.#arrivals, this.#mark) : undefined;
    for (const { rows, span, hasGap } of arrived ?? []) {
      const placed = this.#placed(rows, span);
      for (const follower of followers) this.#send(follower, placed, hasGap);
    }
    // What other services stored is not among the arrivals of this one.
    if (arrived !== undefined && this.#isAlone) return;
    const { rows, hasGap } = await this.#findTimely(start);
    const sent = new Set(arrived?.flatMap((part) => part.rows.map(({ key }) => key)));
    const ordered = this.#inOrder(rows.filter(({ key }) => !sent.has(key)));
    // Only whoever has the last of them has all that has arrived, unless that was sent before.
    const hasAll = (index: number) => arrived !== undefined || index === ordered.length - 1;
    const placed = ordered.map((row, index) => this.#seal(row, hasAll(index) ? this.#span() : undefined));
    for (const follower of followers) {
      this.#send(follower, placed, hasGap);
      if (isOfEvents) this.#noteEarly(follower, rows);
    }
  }

  /** The rows that a follower missed by their times, of those that others have. */
  async #findTimely(start: NonNullable<TailStart>): Promise<FoundRows> {
    const { fromUs, isMissed } = startOf(start);
    const answers = await this.#query.askFrom(fromUs, this.#nowUs() + latenessUs);
    const borderUs = this.#windowStart();
    const coming = this.#coming();
    // What was seen is delivered to nobody when it arrives.
    const isTold = ({ timeUs, key, place }: TailRow) =>
      this.#seen.has(key) || (timeUs < borderUs && !coming.has(eventOf(place)));
    const rows = new Map(answers.flatMap((answer) => answer.rows.map((row) => [row.key, row])));
    return {
      rows: [...rows.values()].filter((row) => isTold(row) && isMissed(row)),
      hasGap: answers.some(({ isFull }) => isFull),
    };
  }

  /** Rows that were sent to nobody were there before anybody followed, or will arrive once their appends end. */
  #noteEarly(follower: Follower, rows: readonly TailRow[]): void {
    const early = this.#followers.get(follower);
    if (early === undefined) return;
    for (const { key, place } of rows) {
      if (!this.#seen.has(key) || this.#present.has(eventOf(place))) early.add(eventOf(place));
    }
    this.#forgetWhenSettled(early);
  }

  /** Once the appends under way have ended, only events that have arrived by then can be among those still to come. */
  #forgetWhenSettled(events: Set<string>): void {
    void this.#appends.settled().then(() => {
      const coming = this.#coming();
      for (const event of events) if (!coming.has(event)) events.delete(event);
    });
  }

  /** The events that have arrived and are not delivered yet. */
  #coming(): ReadonlySet<string> {
    const { tables, isOfEvents } = this.#query.last;
    if (!isOfEvents) return new Set();
    const { keys } = this.#arrivals.next(this.#mark, tables, Number.POSITIVE_INFINITY);
    return new Set(keys.map(({ id, timestampUs }) => eventOf([String(timestampUs), id])));
  }

  /** Ends it for all followers, unless the failure may be transient. */
  #noteFailure(failure: ServiceError): void {
    this.#failingSinceMs ??= this.#steadyMs();
    const isPassing = passing.has(failure.code) && this.#steadyMs() - this.#failingSinceMs < patienceMs;
    if (isPassing || this.#query.isClosed) return;
    for (const follower of this.#followers.keys()) follower.end(failure);
    this.#followers.clear();
  }
}

function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError("internal", "The tail failed", { cause: error });
}
