import { errors, type JWTPayload, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../shared/errors.ts";
import type { Authenticator, RecalledIdentity } from "./authenticator.ts";
import type { Identity } from "./scope.ts";
import { hashSecret } from "./secret.ts";
import type { SigningKeys } from "./signing-keys.ts";
import { readNewToken } from "./token-document.ts";

export interface SignedTokenOptions {
  readonly keys: SigningKeys;
  /** The required claims `iss` and `aud`, where set. */
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

interface Verified {
  readonly identity: Identity;
  readonly endsAt: number;
  readonly id: string | undefined;
  /** The serial number of the keys by which it was verified. */
  readonly serial: number;
}

const algorithms = ["HS256", "RS256", "ES256", "EdDSA", "Ed25519"];
const compactForm = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;
/** Verified tokens that are remembered: a signature takes up to a tenth of a millisecond. */
const maxVerified = 10_000;
/** How far the clock of who signs may be ahead. */
const clockSkewSeconds = 10;
/** The end of representable time. */
const maxTimeMs = 8.64e15;

/**
 * An authenticator that also accepts signed tokens (JWT, RFC 7519), by a claim `logweir` with `scopes`, `pins`,
 * `budget` and `redaction` as in the API. Throws `unauthorized` with the reason for one that is not accepted, and
 * `metadata_unavailable` while the keys cannot be read.
 */
export function acceptSignedTokens(stored: Authenticator, options: SignedTokenOptions): Authenticator {
  const { keys, now } = options;
  const verified = new LRUCache<string, Verified>({ max: maxVerified });

  const isValid = ({ serial, endsAt, id }: Verified) =>
    keys.isCurrent() && serial === keys.serial && endsAt > now() && !(id !== undefined && keys.isRevoked(id));
  const recall = (secret: string): RecalledIdentity | undefined => {
    const found = verified.get(keyOf(secret));
    if (found === undefined || !isValid(found)) return undefined;
    return { identity: found.identity, isCurrent: () => isValid(found) };
  };

  return {
    async authenticate(secret) {
      if (!compactForm.test(secret)) return stored.authenticate(secret);
      await readKeys(keys);
      const recalled = recall(secret);
      if (recalled !== undefined) return recalled.identity;
      const payload = await verify(secret, options);
      const token = readClaims(payload, now());
      if (token.id !== undefined && keys.isRevoked(token.id)) refuse("was revoked");
      verified.set(keyOf(secret), { ...token, serial: keys.serial });
      return token.identity;
    },
    recall: (secret) => (compactForm.test(secret) ? recall(secret) : stored.recall(secret)),
  };
}

const keyOf = (secret: string) => hashSecret(secret).toString("latin1");

function refuse(reason: string, hint?: string): never {
  throw new ServiceError("unauthorized", `The signed token ${reason}`, hint === undefined ? {} : { hint });
}

async function readKeys(keys: SigningKeys): Promise<void> {
  try {
    await keys.read();
  } catch {
    cannotRead();
  }
}

function cannotRead(): never {
  throw new ServiceError(
    "metadata_unavailable",
    "The keys of signed tokens cannot be read; the service's log says why",
  );
}

async function verify(secret: string, { keys, issuer, audience, now }: SignedTokenOptions): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(secret, keys.find, {
      algorithms,
      currentDate: new Date(now()),
      clockTolerance: clockSkewSeconds,
      requiredClaims: ["exp"],
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) refuse("has expired", "Ask who signs it for a new one.");
    if (error instanceof errors.JWTClaimValidationFailed) refuse(describeClaim(error, { issuer, audience }));
    if (error instanceof errors.JWKSMultipleMatchingKeys) refuse("must name its key (kid): several fit");
    if (error instanceof errors.JOSEError) {
      refuse("is signed by none of this service's keys", `Keys are found by kid and alg: ${algorithms.join(", ")}.`);
    }
    return cannotRead();
  }
}

function describeClaim(
  { claim, reason }: errors.JWTClaimValidationFailed,
  { issuer, audience }: Pick<SignedTokenOptions, "issuer" | "audience">,
): string {
  if (claim === "iss") return `must have the claim iss ${JSON.stringify(issuer)}`;
  if (claim === "aud") return `must have the claim aud ${JSON.stringify(audience)}`;
  if (claim === "nbf") return "is not valid yet (nbf)";
  return reason === "missing" ? `must have the claim ${claim}` : `has a wrong claim ${claim}`;
}

/** Who signs may grant everything: whoever holds a key is an owner. */
const signer: Identity = { tokenId: "", scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" };

const claimNames = ["scopes", "pins", "budget", "redaction"];

/** Throws `unauthorized` with the problems of the claim, as the API reports those of a token. */
function readClaims(payload: JWTPayload, nowMs: number): Omit<Verified, "serial"> {
  const { logweir: claim, exp = 0, iss, sub, jti } = payload;
  const id = jti === undefined ? undefined : String(jti);
  const hint = 'It says what the token may do, such as {"scopes": ["query"], "pins": {"project": "abc"}}.';
  if (typeof claim !== "object" || claim === null || Array.isArray(claim)) {
    return refuse("must have the claim logweir, an object", hint);
  }
  const unknown = Object.keys(claim).find((name) => !claimNames.includes(name));
  if (unknown !== undefined) refuse(`has logweir.${unknown}: fields are ${claimNames.join(", ")}`, hint);
  const read = readNewToken(claim as Readonly<Record<string, unknown>>, signer, nowMs);
  if ("problems" in read) {
    const [[field, [problem]] = ["", [""]]] = Object.entries(read.problems);
    return refuse(`has logweir.${field}: ${problem}`, hint);
  }
  const { scopes, pins, budget = {}, redaction = "fixed" } = read.token;
  const rights = hashSecret(JSON.stringify([iss, sub ?? id, scopes, pins, budget, redaction])).toString("hex");
  const endsAt = Math.min(exp * 1_000, maxTimeMs);
  if (endsAt <= nowMs) refuse("has expired", "Ask who signs it for a new one.");
  const tokenId = `jwt:${nameOf(sub ?? id)}${rights.slice(0, 12)}`;
  return { identity: { tokenId, scopes, pins, budget, redaction, expiresAt: endsAt }, endsAt, id };
}

/** For people who read the audit; whoever has other rights has another id, so that nothing is shared between the two. */
function nameOf(subject: string | undefined): string {
  return subject !== undefined && /^[\w.@+|-]{1,80}$/.test(subject) ? `${subject}:` : "";
}
