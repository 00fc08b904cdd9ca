import { timingSafeEqual } from "node:crypto";
import type { Identity } from "./scope.ts";
import { hashSecret } from "./secret.ts";
import { defaultRedaction, type Token, type TokenStore } from "./token.ts";

/** Finds out who is calling. */
export interface Authenticator {
  /** Undefined for a token that is unknown, expired or revoked. */
  authenticate(secret: string): Promise<Identity | undefined>;
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
 * Checks tokens against the fixed ones and the store's. The store's are kept in memory and read again as soon as its
 * version changes, so that tokens made or revoked by another process count from the next request on.
 * Secrets are compared as SHA-256 in constant time; `now` is the clock, in milliseconds since 1970.
 */
export function createAuthenticator(store: TokenStore, fixed: readonly FixedToken[], now: () => number): Authenticator {
  const fixedTokens = fixed.map(({ id, secret, scopes }): KnownToken => {
    const identity = { tokenId: id, scopes, pins: {}, budget: {}, redaction: defaultRedaction(scopes) };
    return { hash: hashSecret(secret), identity, expiresAt: undefined };
  });
  let known = indexTokens(fixedTokens);
  let knownVersion: string | undefined;
  return {
    async authenticate(secret) {
      const version = store.version();
      if (version !== knownVersion) {
        const stored = (await store.list()).filter((token) => token.revokedAt === undefined);
        known = indexTokens([...fixedTokens, ...stored.map(toKnown)]);
        knownVersion = version;
      }
      const hash = hashSecret(secret);
      for (const token of known.get(shortKey(hash)) ?? []) {
        if (!timingSafeEqual(token.hash, hash)) continue;
        if (token.expiresAt !== undefined && token.expiresAt <= now()) return undefined;
        return token.identity;
      }
      return undefined;
    },
  };
}

function toKnown(token: Token): KnownToken {
  const { id: tokenId, scopes, pins, budget, redaction } = token;
  return { hash: token.hash, identity: { tokenId, scopes, pins, budget, redaction }, expiresAt: token.expiresAt };
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
