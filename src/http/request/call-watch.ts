import type { FastifyContextConfig, FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import type { Identity } from "../../access/scope.ts";
import { createPassingMap } from "../../shared/concurrency/passing-map.ts";
import { ServiceError } from "../../shared/errors.ts";
import { groupBy } from "../../shared/group-by.ts";

/** Whether something is still what it was when it was opened. May throw what opening it anew throws. */
type IsCurrent = () => Promise<boolean>;

declare module "fastify" {
  interface FastifyRequest {
    /** Endpoints and sources that the request reads, by name. */
    reads: Map<string, IsCurrent> | undefined;
    /** True for a tail that has begun, which finds out itself whether that is still the same. */
    isTail: boolean;
  }
  interface FastifyInstance {
    /** Undefined in an app without authentication. */
    readonly callWatch?: CallWatch;
  }
}

/** Ends calls whose token, or session, stops to be valid while they run, or that would be other calls by now. */
export interface CallWatch {
  /** Calls `end` at each check that finds that the request has to end, until the returned function is called. */
  watch(request: WatchedRequest, end: (error: ServiceError) => void): () => void;
  check(): Promise<void>;
}

type WatchedRequest = Pick<FastifyRequest, "secret" | "identity" | "reads" | "isTail"> & {
  readonly routeOptions?: { readonly config: Pick<FastifyContextConfig, "access"> };
};

/** How long a call outlasts its rights at most, besides what ending it takes. */
export const checkEveryMs = 1_000;

/**
 * Whether something is as it was at a revision: `isSame` is asked after each change of endpoints or sources, and not
 * again until the next.
 */
export function sinceRevision(
  openedAt: number,
  revision: () => number,
  isSame: () => boolean | Promise<boolean>,
): IsCurrent {
  let checkedAt = openedAt;
  return async () => {
    const now = revision();
    if (now !== checkedAt && !(await isSame())) return false;
    checkedAt = now;
    return true;
  };
}

/** Everything about a token that decides what it may be shown, as text. */
export function describeRights({ tokenId, scopes, pins, budget, redaction }: Identity): string {
  return JSON.stringify([tokenId, scopes, pins, budget, redaction]);
}

export function createCallWatch(authenticator: Pick<Authenticator, "authenticate">): CallWatch {
  const calls = createPassingMap<
    number,
    { readonly request: WatchedRequest; readonly end: (error: ServiceError) => void }
  >();
  let last = 0;
  return {
    watch(request, end) {
      const number = ++last;
      calls.set(number, { request, end });
      return () => void calls.delete(number);
    },
    async check() {
      const bySecret = groupBy(calls.entries(), ([, { request }]) => request.secret);
      for (const [secret, own] of bySecret) {
        const find = await findRights(authenticator, secret);
        for (const [, { request, end }] of own) {
          const refusal = find(request) ?? (request.isTail ? undefined : await findChange(request));
          if (refusal !== undefined) end(refusal);
        }
      }
    },
  };
}

/** Looks the token up, and then says of those who called with it why they may no longer. */
async function findRights(
  authenticator: Pick<Authenticator, "authenticate">,
  secret: string | undefined,
): Promise<(request: WatchedRequest) => ServiceError | undefined> {
  // What a proxy says of a person is said anew with each call.
  if (secret === undefined) return () => undefined;
  try {
    const found = await authenticator.authenticate(secret);
    if (found === undefined) return () => new ServiceError("unauthorized", "The access token is not valid any more");
    const rights = describeRights(found);
    return ({ identity, routeOptions }) => {
      // Events that come in show nothing, and their sender would give them up.
      const isIngest = routeOptions?.config.access?.scope === "ingest";
      const isSame = identity === undefined || isIngest || describeRights(identity) === rights;
      return isSame ? undefined : outdated("the access token");
    };
  } catch {
    // While nobody can say, calls that began go on.
    return () => undefined;
  }
}

async function findChange({ reads }: Pick<WatchedRequest, "reads">): Promise<ServiceError | undefined> {
  for (const isCurrent of reads?.values() ?? []) {
    const isSame = await isCurrent().catch(
      (error: unknown) => error instanceof ServiceError && error.code === "metadata_unavailable",
    );
    if (!isSame) return outdated("the endpoint, or what it reads,");
  }
  return undefined;
}

function outdated(what: string): ServiceError {
  return new ServiceError("version_conflict", `The call has ended: ${what} was changed. Call again`);
}
