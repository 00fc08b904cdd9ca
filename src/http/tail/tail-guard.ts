import type { Authenticator, RecalledIdentity } from "../../access/authenticator.ts";
import type { Identity } from "../../access/scope.ts";
import type { FollowedPeriod, PreparedCall } from "../../endpoints/call/prepare/query-call.ts";
import type { Follower } from "../../endpoints/tail/shared-tail.ts";
import { ServiceError } from "../../shared/errors.ts";
import { describeRights } from "../request/call-watch.ts";

export interface TailGuardOptions {
  readonly authenticator: Pick<Authenticator, "authenticate" | "recall">;
  /** Undefined for a person whom a proxy named: nothing but the end of their rights can be asked for. */
  readonly secret: string | undefined;
  /** Who follows, as it was when the tail began. */
  readonly identity: Identity;
  readonly nowMs: () => number;
  /** Changes with anything that decides what an endpoint answers, besides events. */
  readonly revision: () => number;
  /** The revision before the call was opened. */
  readonly openedAt: number;
  /** Everything that decides what the follower may be shown, as text: when the call was opened. */
  readonly view: string;
  /** The same now. Throws where it may follow no longer. */
  readonly readView: () => Promise<string>;
}

/** A period of no events: that calls are checked for. */
export const noPeriod: FollowedPeriod = { fromUs: 0n, toUs: 0n };

/** Everything that decides what calls may show, as text. */
export function describeView(calls: readonly PreparedCall[]): string {
  return JSON.stringify(
    calls.map(({ query, cursorScope, redactsPii, budget, detectors }) => [
      ...[query.sql, query.computed ?? null, redactsPii, cursorScope, budget, detectors ?? null],
    ]),
  );
}

/** Decides whether a follower may still be shown what it follows. */
export interface TailGuard {
  /**
   * Undefined while everything is as it was when the tail began; otherwise the error to end it with: the token's,
   * `version_conflict`, or `metadata_unavailable` where nobody knows. Asks the token's store where that may have changed.
   */
  check(): Promise<ServiceError | undefined>;
}

export function createTailGuard(options: TailGuardOptions): TailGuard {
  const { authenticator, secret, identity, nowMs, revision, view, readView } = options;
  const rights = describeRights(identity);
  let checkedRevision = options.openedAt;
  let recalled: RecalledIdentity | undefined;

  const checkToken = async (): Promise<ServiceError | undefined> => {
    // Of its own accord: while the metadata is away, and of somebody without a token, nobody else says so.
    if (nowMs() >= (identity.expiresAt ?? Number.POSITIVE_INFINITY)) return ended(secret);
    if (secret === undefined || recalled?.isCurrent() === true) return undefined;
    const found = await authenticator.authenticate(secret);
    if (found === undefined) return ended(secret);
    if (describeRights(found) !== rights) return outdated("the access token");
    recalled = authenticator.recall(secret);
    return undefined;
  };

  return {
    async check() {
      try {
        const refusal = await checkToken();
        const now = revision();
        if (refusal !== undefined || now === checkedRevision) return refusal;
        if ((await readView()) !== view) return outdated("the endpoint, or what it reads,");
        checkedRevision = now;
        return undefined;
      } catch (error) {
        // `metadata_unavailable` too: whoever may follow without being looked up was found without an error.
        return error instanceof ServiceError ? error : outdated("what is followed");
      }
    },
  };
}

function ended(secret: string | undefined): ServiceError {
  const what = secret === undefined ? "The sign-in" : "The access token";
  return new ServiceError("unauthorized", `${what} is not valid any more`);
}

function outdated(what: string): ServiceError {
  return new ServiceError("version_conflict", `The tail has ended: ${what} was changed. Follow again`);
}

/** Lists of rows that wait for the guard; further ones are skipped. */
const maxWaitingLists = 20;

/** Shows nothing further once the guard says so: each list of rows waits for it, behind those before. */
export function guardFollower(follower: Follower, guard: TailGuard): Follower {
  let isOver = false;
  let waitingCount = 0;
  let skippedCount = 0;
  let last: Promise<void> = Promise.resolve();
  const end = (error: ServiceError) => {
    if (!isOver) follower.end(error);
    isOver = true;
  };
  const inTurn = (work: () => void) => {
    waitingCount++;
    last = last.then(async () => {
      const refusal = isOver ? undefined : await guard.check();
      waitingCount--;
      if (refusal !== undefined) end(refusal);
      else if (!isOver) work();
    });
  };
  const reportSkipped = () => {
    if (skippedCount > 0) follower.skip(skippedCount);
    skippedCount = 0;
  };
  return {
    deliver(rows) {
      // A list without rows only asks the guard.
      if (rows.length === 0 && waitingCount > 0) return;
      if (waitingCount >= maxWaitingLists) {
        skippedCount += rows.length;
        return;
      }
      inTurn(() => {
        follower.deliver(rows);
        reportSkipped();
      });
    },
    skip: (count) => inTurn(() => follower.skip(count)),
    // A change is the better reason for a query that no longer runs.
    end: (error) => inTurn(() => end(error)),
  };
}
