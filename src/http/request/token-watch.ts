import type { FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import { createPassingMap } from "../../shared/concurrency/passing-map.ts";
import { ServiceError } from "../../shared/errors.ts";
import { groupBy } from "../../shared/group-by.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Undefined in an app without authentication. */
    readonly tokenWatch?: TokenWatch;
  }
}

/** Ends calls whose token, or session, stops to be valid while they run. */
export interface TokenWatch {
  /** Calls `end` at each check that finds the request's token invalid, until the returned function is called. */
  watch(request: Pick<FastifyRequest, "secret">, end: (error: ServiceError) => void): () => void;
  check(): Promise<void>;
}

/** How long a call outlasts its token at most, besides what ending it takes. */
export const checkEveryMs = 1_000;

interface WatchedCall {
  readonly secret: string;
  readonly end: (error: ServiceError) => void;
}

export function createTokenWatch(authenticator: Pick<Authenticator, "authenticate">): TokenWatch {
  const calls = createPassingMap<number, WatchedCall>();
  let last = 0;
  return {
    // What a proxy says of a person is said anew with each call.
    watch({ secret }, end) {
      if (secret === undefined) return () => undefined;
      const number = ++last;
      calls.set(number, { secret, end });
      return () => void calls.delete(number);
    },
    async check() {
      const bySecret = groupBy(calls.entries(), ([, { secret }]) => secret);
      for (const [secret, own] of bySecret) {
        // While nobody can say, calls that began go on.
        const isValid = await authenticator.authenticate(secret).then(
          (found) => found !== undefined,
          () => true,
        );
        if (isValid) continue;
        for (const [, { end }] of own) end(new ServiceError("unauthorized", "The access token is not valid any more"));
      }
    },
  };
}
