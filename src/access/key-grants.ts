import { createPublicKey, type KeyObject, randomBytes } from "node:crypto";
import { type JWSHeaderParameters, type JWTPayload, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../shared/errors.ts";
import type { Authenticator } from "./authenticator.ts";
import { issuerOf, type TokenKeys, tokenOfIssuer } from "./key-file.ts";
import type { KeyToken, KeyTokenSealer } from "./key-tokens.ts";
import { hashSecret } from "./secret.ts";

export interface KeyGrantOptions {
  readonly keys: TokenKeys;
  readonly sealer: KeyTokenSealer;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** An access token, and how long it is valid from now on. */
interface Granted extends KeyToken {
  readonly accessToken: string;
  readonly lifetimeSeconds: number;
}

/** Gives access tokens to holders of key files. */
export interface KeyGrants {
  /**
   * Exchanges what a key signed for its `token_uri` (RFC 7523). Throws `unauthorized`, in the same words whether there
   * is such a key, and `metadata_unavailable`.
   */
  exchange(assertion: string): Promise<Granted>;
  /** An authenticator that also accepts what a key signed for calls (AIP-4111): with `scope`, and without `aud`. */
  acceptSigned(others: Authenticator): Authenticator;
}

const lifetimeMs = 3_600_000;
const lifetimeSeconds = lifetimeMs / 1_000;
/** How far the clock of who signs may be off. */
const clockSkewSeconds = 60;
/** Verified signatures for calls that are remembered: one takes up to a tenth of a millisecond. */
const maxVerified = 1_000;
const compactForm = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;
/** The length of what keys sign, at most. */
const maxCharacters = 8_000;

/** Checks what keys sign. What a key's token may do is looked up in the store at each use of the access token. */
export function createKeyGrants({ keys, sealer, now }: KeyGrantOptions): KeyGrants {
  const decoy = createDecoy();

  /** Every check but that of the audience, which differs. */
  const verify = async (assertion: string) => {
    const tokenId = tokenOfIssuer(unverifiedIssuer(assertion));
    const found = tokenId === undefined ? undefined : await keys.findKey(tokenId);
    // Unknown keys take the same time as wrong signatures.
    const publicKey = createPublicKey(found?.key.publicKey ?? decoy);
    const payload = await readSigned(assertion, { publicKey, tokenId, nowMs: now() });
    if (tokenId === undefined || found === undefined || payload === undefined) return refuse();
    return { tokenId, payload, ...found };
  };

  return {
    async exchange(assertion) {
      const { tokenId, payload, key, expiresAt } = await verify(assertion);
      if (payload.aud !== key.tokenUri) refuse();
      const nowMs = Math.floor(now());
      const endsAt = Math.min(nowMs + lifetimeMs, expiresAt ?? Number.POSITIVE_INFINITY);
      const accessToken = sealer.seal({ tokenId, endsAt });
      return { tokenId, endsAt, accessToken, lifetimeSeconds: Math.floor((endsAt - nowMs) / 1_000) };
    },
    acceptSigned(others) {
      const verified = new LRUCache<string, string>({ max: maxVerified });
      const keyOf = (secret: string) => hashSecret(secret).toString("latin1");
      return {
        async authenticate(secret) {
          if (!isOfKey(secret)) return others.authenticate(secret);
          let accessToken = verified.get(keyOf(secret));
          if (accessToken === undefined) {
            const { tokenId, payload } = await verify(secret);
            if (payload.aud !== undefined || typeof payload.scope !== "string") refuse();
            const endsAt = (Math.floor(Number(payload.exp)) + clockSkewSeconds) * 1_000;
            accessToken = sealer.seal({ tokenId, endsAt });
            verified.set(keyOf(secret), accessToken);
          }
          return others.authenticate(accessToken);
        },
        recall(secret) {
          if (!compactForm.test(secret)) return others.recall(secret);
          const accessToken = verified.get(keyOf(secret));
          return others.recall(accessToken ?? secret);
        },
      };
    },
  };
}

interface Check {
  readonly publicKey: KeyObject;
  readonly tokenId: string | undefined;
  readonly nowMs: number;
}

/** The claims, where the signature is the key's and the times are right; otherwise undefined. */
async function readSigned(assertion: string, { publicKey, tokenId, nowMs }: Check): Promise<JWTPayload | undefined> {
  const findKey = ({ kid }: JWSHeaderParameters) => {
    if (kid !== undefined && kid !== tokenId) throw new Error("Another key");
    return publicKey;
  };
  const verified = await jwtVerify(assertion, findKey, {
    algorithms: ["RS256"],
    requiredClaims: ["iat", "exp"],
    currentDate: new Date(nowMs),
    clockTolerance: clockSkewSeconds,
    maxTokenAge: lifetimeSeconds,
  }).catch(() => undefined);
  if (verified === undefined || tokenId === undefined) return undefined;
  const { iss, sub = iss, iat = 0, exp = 0 } = verified.payload;
  const isOwn = iss === issuerOf(tokenId) && sub === iss;
  return isOwn && exp - iat <= lifetimeSeconds + clockSkewSeconds ? verified.payload : undefined;
}

/** One text for all reasons: which keys there are is nobody's business. */
function refuse(): never {
  throw new ServiceError("unauthorized", "The signature, its key or its claims are not accepted", {
    hint: "A key ends with its token; clocks may differ by a minute, and what is signed lives an hour at most.",
  });
}

/** True for what claims to be signed by a key file of this service. */
function isOfKey(secret: string): boolean {
  return (
    secret.length <= maxCharacters && compactForm.test(secret) && tokenOfIssuer(unverifiedIssuer(secret)) !== undefined
  );
}

function unverifiedIssuer(assertion: string): unknown {
  try {
    const claims: unknown = JSON.parse(Buffer.from(assertion.split(".")[1] ?? "", "base64url").toString());
    return (claims as { readonly iss?: unknown } | null)?.iss;
  } catch {
    return undefined;
  }
}

/** A public key that nobody has the private one of. */
function createDecoy(): string {
  const modulus = randomBytes(256);
  modulus[0] = 0xff;
  modulus[255] = 0xff;
  const key = { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" };
  return createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "pem" }).toString();
}
