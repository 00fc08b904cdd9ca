import { ServiceError } from "../shared/errors.ts";
import { type KnownToken, KnownTokens } from "./known-tokens.ts";
import type { Identity } from "./scope.ts";
import { hashSecret } from "./secret.ts";
import { defaultRedaction, type TokenStore } from "./token.ts";

/** Finds out who is calling. */
export interface Authenticator {
  /** Undefined for a token that is unknown, expired or revoked. */
  authenticate(secret: string): Promise<Identity | undefined>;
  /** The same without waiting. Undefined also where the tokens have to be read first: then `authenticate` tells. */
  recall(secret: string): RecalledIdentity | undefined;
}

/** Who had a secret when it was looked at, for callers that see the same secret again and again. */
export interface RecalledIdentity {
  /** The same object as long as the tokens are the same. */
  readonly identity: Identity;
  /** False once `recall` might tell otherwise. It costs no look at the secret. */
  readonly isCurrent: () => boolean;
}

/** A token that the configuration sets. */
export interface FixedToken {
  /** For logs, e.g. `LOGWEIR_PRIVATE_TOKEN`. */
  readonly id: string;
  readonly secret: string;
  readonly scopes: readonly string[];
}

/**
 * How long the store's version holds without another look: asking for it costs more than all else of a cached answer.
 */
const versionMs = 20;

/**
 * Checks tokens against the fixed ones and the store's. The store's are kept in memory and read again when its version
 * changes: what another process revokes ends within 20 milliseconds, what it makes counts at once, and so does every
 * change by this process. Where they cannot be read, those last read count as long as `mayKnow`; then fixed tokens
 * alone do, and the rest is `metadata_unavailable`. Secrets are compared as SHA-256 in constant time; `now` is the
 * clock, in milliseconds since 1970.
 */
export function createAuthenticator(
  store: TokenStore,
  fixed: readonly FixedToken[],
  now: () => number,
  mayKnow: () => boolean = () => true,
): Authenticator {
  const fixedTokens = fixed.map(({ id, secret, scopes }): KnownToken => {
    const identity = { tokenId: id, scopes, pins: {}, budget: {}, redaction: defaultRedaction(scopes) };
    return { hash: hashSecret(secret), identity, expiresAt: undefined };
  });
  const known = new KnownTokens(store, fixedTokens, now);
  let checkedChanges = store.ownChanges();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isOutdated = true;

  const isDue = () => {
    const age = now() - checkedAt;
    // A clock that was set back says nothing.
    return age < 0 || age >= versionMs || store.ownChanges() !== checkedChanges;
  };

  /** True when the tokens have to be read again. */
  const isStale = () => {
    if (!mayKnow()) return true;
    if (isDue()) {
      checkedChanges = store.ownChanges();
      checkedAt = now();
      isOutdated = !known.isCurrent();
    }
    return isOutdated;
  };

  return {
    async authenticate(secret) {
      if (!mayKnow()) {
        const token = known.findFixed(secret);
        if (token === undefined) throw new ServiceError("metadata_unavailable", "Tokens cannot be looked up");
        return token.identity;
      }
      const recalled = isStale() ? undefined : known.find(secret);
      if (recalled !== undefined) return recalled.identity;
      // What is not known may be a token that another process has just made.
      if (!known.isCurrent()) {
        await known.read();
        isOutdated = !known.isCurrent();
      }
      return known.find(secret)?.identity;
    },
    recall(secret) {
      const token = isStale() ? undefined : known.find(secret);
      if (token === undefined) return undefined;
      const { serial } = known;
      return {
        identity: token.identity,
        isCurrent: () => !isStale() && known.serial === serial && !known.isExpired(token),
      };
    },
  };
}
