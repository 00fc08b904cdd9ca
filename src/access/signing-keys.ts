import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type JWTVerifyGetKey,
} from "jose";
import { UserError } from "../shared/user-error.ts";

/** Where the keys of signed tokens come from, and the list of those that are revoked. */
export interface KeySources {
  /** The text of a JSON Web Key Set (RFC 7517), as it is now. */
  readonly readKeys: () => Promise<string>;
  /** The ids (`jti`) of revoked tokens, one a line. */
  readonly readRevoked?: (() => Promise<string>) | undefined;
  /**
   * Whether the keys come over the network. They are then read every five minutes instead of every second, at once for
   * a key that is not known, and remain valid for an hour while they cannot be read.
   */
  readonly isRemote: boolean;
  /** Receives why keys could not be read or used. */
  readonly onFailure: (reason: string) => void;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The keys by which signed tokens are verified. */
export interface SigningKeys {
  /** Changes with the keys and the revoked ids. */
  readonly serial: number;
  /** False when they must be read before the next use. */
  isCurrent(): boolean;
  /** Reads them unless they are current. Throws a `UserError` that names what cannot be read or used. */
  read(): Promise<void>;
  /** The key of a token; throws as `jose` does where there is none. */
  readonly find: JWTVerifyGetKey;
  isRevoked(id: string): boolean;
}

const localMs = 1_000;
const remoteMs = 300_000;
/** How long remote keys are used that cannot be read again. */
const graceMs = 3_600_000;
/** Tokens with unknown keys cause one read in this time. */
const unknownKeyMs = 30_000;
const minSecretBytes = 32;

interface ReadKeys {
  readonly text: string;
  readonly readAt: number;
  readonly find: JWTVerifyGetKey;
  readonly revoked: ReadonlySet<string>;
}

/** Keys that are read when they are first needed, and again when they may have changed; concurrent callers share it. */
export function createSigningKeys(sources: KeySources): SigningKeys {
  const { readKeys, readRevoked, isRemote, onFailure, now } = sources;
  let known: ReadKeys | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let serial = 0;

  const isWithin = (sinceMs: number, ageMs: number) => now() >= sinceMs && now() - sinceMs < ageMs;
  const isCurrent = () => known !== undefined && isWithin(triedAt, isRemote ? remoteMs : localMs);

  const readNow = async () => {
    triedAt = now();
    try {
      const [keys, revoked = ""] = await Promise.all([readKeys(), readRevoked?.()]);
      const text = `${keys}\n${revoked}`;
      if (text !== known?.text) serial++;
      const find = known?.text === text ? known.find : createFinder(keys, isRemote);
      known = { text, readAt: triedAt, find, revoked: new Set(revoked.split("\n").map((line) => line.trim())) };
    } catch (error) {
      onFailure(error instanceof UserError ? error.message : String(error));
      if (isRemote && known !== undefined && isWithin(known.readAt, graceMs)) return;
      known = undefined;
      serial++;
      throw error;
    }
  };
  const read = () => {
    reading ??= readNow().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  return {
    get serial() {
      return serial;
    },
    isCurrent,
    read: async () => (isCurrent() ? undefined : read()),
    isRevoked: (id) => known?.revoked.has(id) ?? true,
    async find(header, token) {
      try {
        return await findIn(known, header, token);
      } catch (error) {
        const isEarly = reading === undefined && isWithin(triedAt, unknownKeyMs);
        if (!isRemote || !(error instanceof errors.JWKSNoMatchingKey) || isEarly) throw error;
        await read();
        return findIn(known, header, token);
      }
    },
  };
}

function findIn(known: ReadKeys | undefined, header: JWSHeaderParameters, token: FlattenedJWSInput) {
  if (known === undefined) throw new errors.JWKSNoMatchingKey();
  return known.find(header as Parameters<JWTVerifyGetKey>[0], token);
}

interface SecretKey {
  readonly kid: unknown;
  readonly alg: unknown;
  readonly bytes: Uint8Array;
}

/**
 * Chooses among public keys as `jose` does, and among secret keys (`kty: oct`, for HS256) by `kid`. Throws a
 * `UserError` for a set that must not be used: private keys, short secrets, secrets that came over the network.
 */
function createFinder(text: string, isRemote: boolean): JWTVerifyGetKey {
  const keys = keysOf(text);
  const secrets: SecretKey[] = [];
  for (const [index, key] of keys.entries()) {
    const name = `key ${typeof key.kid === "string" ? key.kid : index + 1}`;
    if (key.kty !== "oct") {
      if (key.d !== undefined) throw new UserError(`${name} is a private key; only its public part belongs here`);
      continue;
    }
    if (isRemote)
      throw new UserError(`${name} is a secret (kty oct), which must not come over the network; use a file`);
    const bytes = typeof key.k === "string" ? Buffer.from(key.k, "base64url") : Buffer.alloc(0);
    if (bytes.length < minSecretBytes) throw new UserError(`${name} has fewer than ${minSecretBytes} bytes`);
    secrets.push({ kid: key.kid, alg: key.alg, bytes });
  }
  const findPublic = createLocalJWKSet({ keys: keys.filter(({ kty }) => kty !== "oct") });
  return async (header, token) => (header.alg === "HS256" ? findSecretKey(secrets, header) : findPublic(header, token));
}

function findSecretKey(secrets: readonly SecretKey[], header: JWSHeaderParameters): Uint8Array {
  const fitting = secrets.filter(({ kid, alg }) => {
    return (header.kid === undefined || kid === header.kid) && (alg === undefined || alg === header.alg);
  });
  const [first] = fitting;
  if (first === undefined) throw new errors.JWKSNoMatchingKey();
  if (fitting.length > 1) throw new errors.JWKSMultipleMatchingKeys();
  return first.bytes;
}

function keysOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    throw new UserError('it is no JSON; a JSON Web Key Set is {"keys": [...]}');
  }
  const keys = typeof set === "object" && set !== null && "keys" in set ? set.keys : undefined;
  const isKey = (key: unknown) => typeof key === "object" && key !== null && !Array.isArray(key) && "kty" in key;
  if (!Array.isArray(keys) || !keys.every(isKey)) {
    throw new UserError('it is no JSON Web Key Set: {"keys": [...]}, each with its kty');
  }
  return keys as readonly Readonly<Record<string, unknown>>[];
}
