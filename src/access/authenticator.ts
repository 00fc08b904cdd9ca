import { ServiceError } from "../shared/errors.ts";
import type { TokenKeys } from "./key-file.ts";
import type { KeyTokenSealer } from "./key-tokens.ts";
import { type KnownToken, KnownTokens } from "./known-tokens.ts";
import type { Identity } from "./scope.ts";
import { hashSecret } from "./secret.ts";
import { defaultRedaction, type TokenStore } from "./token.ts";

/** Identifies callers. */
export interface Authenticator {
  /**
   * Undefined for a token that is unknown, expired or revoked; throws `metadata_unavailable` where the store cannot
   * say whether it has an unknown one.
   */
  authenticate(secret: string): Promise<Identity | undefined>;
  /** The same without waiting. Also undefined when the tokens have to be read first: `authenticate` does that. */
  recall(secret: string): RecalledIdentity | undefined;
}

/** The identity behind a secret when it was looked up, for callers that send the same secret repeatedly. */
export interface RecalledIdentity {
  /** The same object as long as the tokens are unchanged. */
  readonly identity: Identity;
  /** False once `recall` might return something else. Checking it does not read the secret. */
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
 * How long the store's version is considered current without another check, which would cost more than the rest of a
 * cached answer.
 */
const versionMs = 20;

function refuseLookup(): never {
  throw new ServiceError("metadata_unavailable", "Tokens cannot be looked up");
}

/**
 * Checks tokens against the fixed ones and those of the store, which are cached in memory and read again when the
 * store's version changes. A revocation by another process takes effect within 20 milliseconds; a token created by
 * another process, and every change by this one, immediately. If the store cannot be read, the tokens read last remain
 * valid as long as `mayKnow`, and an unknown one is `metadata_unavailable`, as it may be new; after that only fixed
 * tokens are valid, and all others are `metadata_unavailable`. Secrets are
 * compared as SHA-256 in constant time; `now` is the clock, in milliseconds since 1970. What `sealer` sealed stands for
 * the stored token that it names.
 */
export function createAuthenticator(
  store: TokenStore,
  fixed: readonly FixedToken[],
  now: () => number,
  mayKnow: () => boolean = () => true,
  sealer?: Pick<KeyTokenSealer, "open">,
): Authenticator & TokenKeys {
  const fixedTokens = fixed.map(({ id, secret, scopes }): KnownToken => {
    const identity = { tokenId: id, scopes, pins: {}, budget: {}, redaction: defaultRedaction(scopes) };
    return { hash: hashSecret(secret), identity, expiresAt: undefined };
  });
  const known = new KnownTokens(store, fixedTokens, now);
  const { isStale, lookUp } = createLookUp(known, { store, now, mayKnow });
  const findBySecret = (secret: string) => {
    const keyToken = sealer?.open(secret);
    return keyToken === undefined ? known.find(secret) : known.findKeyed(keyToken.tokenId, keyToken.endsAt);
  };

  return {
    async authenticate(secret) {
      if (!mayKnow()) return (known.findFixed(secret) ?? refuseLookup()).identity;
      return (await lookUp(() => findBySecret(secret)))?.identity;
    },
    recall(secret) {
      const token = isStale() ? undefined : findBySecret(secret);
      if (token === undefined) return undefined;
      const { serial } = known;
      return {
        identity: token.identity,
        isCurrent: () => !isStale() && known.serial === serial && !known.isExpired(token),
      };
    },
    async findKey(tokenId) {
      if (!mayKnow()) refuseLookup();
      const { key, expiresAt } = (await lookUp(() => known.findKeyed(tokenId))) ?? {};
      return key === undefined ? undefined : { key, expiresAt };
    },
  };
}

interface LookUp {
  /** True when the tokens have to be read again. */
  readonly isStale: () => boolean;
  /** Finds a token among those that are known, which are read again before it is said that there is none. */
  readonly lookUp: (find: () => KnownToken | undefined) => Promise<KnownToken | undefined>;
}

interface LookUpParts {
  readonly store: TokenStore;
  readonly now: () => number;
  readonly mayKnow: () => boolean;
}

function createLookUp(known: KnownTokens, { store, now, mayKnow }: LookUpParts): LookUp {
  let checkedChanges = store.ownChanges();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isOutdated = true;

  const isDue = () => {
    const age = now() - checkedAt;
    // After the clock was set back, its value says nothing.
    return age < 0 || age >= versionMs || store.ownChanges() !== checkedChanges;
  };

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
    isStale,
    async lookUp(find) {
      const recalled = isStale() ? undefined : find();
      if (recalled !== undefined) return recalled;
      let isRead = known.isCurrent();
      if (!isRead) {
        isRead = await known.read();
        isOutdated = !known.isCurrent();
      }
      const token = find();
      if (token !== undefined) return token;
      // Another process may have created it just now.
      if (!isRead || !(await known.confirm())) refuseLookup();
      return find();
    },
  };
}
