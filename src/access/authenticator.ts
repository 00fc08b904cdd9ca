import { timingSafeEqual } from "node:crypto";
import type { Identity } from "./scope.ts";
import { hashSecret } from "./secret.ts";
import { defaultRedaction, type Token, type TokenStore } from "./token.ts";

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

interface KnownToken {
  readonly hash: Buffer;
  readonly identity: Identity;
  readonly expiresAt: number | undefined;
}

/**
 * How long the store's version holds without another look: asking for it costs more than all else of a cached answer.
 */
const versionMs = 20;

/**
 * Checks tokens against the fixed ones and the store's. The store's are kept in memory and read again as soon as its
 * version changes, so that tokens made or revoked by another process count within 20 milliseconds, and by this one at
 * once. Secrets are compared as SHA-256 in constant time; `now` is the clock, in milliseconds since 1970.
 */
export function createAuthenticator(store: TokenStore, fixed: readonly FixedToken[], now: () => number): Authenticator {
  const fixedTokens = fixed.map(({ id, secret, scopes }): KnownToken => {
    const identity = { tokenId: id, scopes, pins: {}, budget: {}, redaction: defaultRedaction(scopes) };
    return { hash: hashSecret(secret), identity, expiresAt: undefined };
  });
  let known = indexTokens(fixedTokens);
  let knownVersion: string | undefined;
  let knownChanges = store.ownChanges();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isOutdated = true;

  const isDue = () => {
    const age = now() - checkedAt;
    // A clock that was set back says nothing.
    return age < 0 || age >= versionMs || store.ownChanges() !== knownChanges;
  };

  const find = (secret: string): KnownToken | undefined => {
    const hash = hashSecret(secret);
    for (const token of known.get(shortKey(hash)) ?? []) {
      if (timingSafeEqual(token.hash, hash)) return isExpired(token) ? undefined : token;
    }
    return undefined;
  };

  const isExpired = ({ expiresAt }: KnownToken) => expiresAt !== undefined && expiresAt <= now();

  /** True when the tokens have to be read again. */
  const isStale = () => {
    if (isDue()) {
      knownChanges = store.ownChanges();
      checkedAt = now();
      isOutdated = store.version() !== knownVersion;
    }
    return isOutdated;
  };

  return {
    async authenticate(secret) {
      const version = store.version();
      if (version !== knownVersion) {
        const stored = (await store.list()).filter((token) => token.revokedAt === undefined);
        known = indexTokens([...fixedTokens, ...stored.flatMap(toKnown)]);
        knownVersion = version;
        isOutdated = false;
      }
      return find(secret)?.identity;
    },
    recall(secret) {
      const token = isStale() ? undefined : find(secret);
      if (token === undefined) return undefined;
      const readThen = known;
      return { identity: token.identity, isCurrent: () => !isStale() && known === readThen && !isExpired(token) };
    },
  };
}

/** A token by its value, and by the one before where that counts too. */
function toKnown(token: Token): readonly KnownToken[] {
  const { id: tokenId, scopes, pins, budget, redaction, hash, expiresAt, previousHash, previousValidUntil } = token;
  const identity = { tokenId, scopes, pins, budget, redaction };
  const current = { hash, identity, expiresAt };
  if (previousHash === undefined || previousValidUntil === undefined) return [current];
  const endsAt = Math.min(previousValidUntil, expiresAt ?? previousValidUntil);
  return [current, { hash: previousHash, identity, expiresAt: endsAt }];
}

/** By the hash's first bytes: which bucket is looked into tells nothing about a secret. */
function indexTokens(tokens: readonly KnownToken[]): ReadonlyMap<number, readonly KnownToken[]> {
  const index = new Map<number, KnownToken[]>();
  for (const token of tokens) {
    const key = shortKey(token.hash);
    index.set(key, [...(index.get(key) ?? []), token]);
  }
  return index;
}

function shortKey(hash: Buffer): number {
  return hash.readUInt32BE(0);
}
