import { ServiceError } from "../../shared/errors.ts";

/** The maximum number of concurrent followers of a token: of queries, or of tables. */
const maxPerToken = 1_000;

/** Bytes that were written to the tails of a token and not taken yet. */
export interface WaitingBytes {
  count: number;
}

/** Bounds the tails of each token, by whatever protocol. */
export interface TailLimits {
  /** Counts followers in until `leave` is called. Throws `too_many_queries` for more than a token may have. */
  enter(tokenId: string, followers: number): { readonly waiting: WaitingBytes; leave(): void };
}

export function createTailLimits(): TailLimits {
  const tokens = new Map<string, { count: number; readonly waiting: WaitingBytes }>();
  return {
    enter(tokenId, followers) {
      const own = tokens.get(tokenId) ?? { count: 0, waiting: { count: 0 } };
      if (own.count + followers > maxPerToken) {
        throw new ServiceError("too_many_queries", `This token follows ${own.count} queries or tables already`, {
          hint: `A token follows ${maxPerToken} at most. Close tails that nobody reads.`,
        });
      }
      tokens.set(tokenId, own);
      own.count += followers;
      return {
        waiting: own.waiting,
        leave() {
          own.count -= followers;
          if (own.count === 0) tokens.delete(tokenId);
        },
      };
    },
  };
}
