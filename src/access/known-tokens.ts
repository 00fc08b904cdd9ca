import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { TokenKey } from "./key-file.ts";
import type { Identity } from "./scope.ts";
import { hashSecret } from "./secret.ts";
import { callerId } from "./sign-in/person.ts";
import type { Token, TokenStore } from "./token.ts";

/** A token by one of its values. */
export interface KnownToken {
  readonly hash: Buffer;
  readonly identity: Identity;
  readonly expiresAt: number | undefined;
  readonly key?: TokenKey | undefined;
}

/** How long concurrent callers wait for a read, together. */
const patienceMs = 500;

type ReadStore = Pick<TokenStore, "version" | "confirm" | "list">;

interface Reading {
  /**
   * Resolves with false if the read takes longer than this many milliseconds from its start. Rejects when the read
   * does.
   */
  isOver(withinMs: number | undefined): Promise<boolean>;
}

/** Access tokens of key files that are remembered. */
const maxEnding = 1_000;

type TokenIndex = ReadonlyMap<number, readonly KnownToken[]>;

/** The fixed tokens, and those of a store as they were read last. */
export class KnownTokens {
  readonly #store: ReadStore;
  readonly #fixedTokens: readonly KnownToken[];
  readonly #fixed: TokenIndex;
  readonly #now: () => number;
  #all: TokenIndex;
  /** Those with a key, by their ids. */
  #keyed: ReadonlyMap<string, KnownToken> = new Map();
  /** The answers of `findKeyed`, so that a caller's identity stays the same object. */
  readonly #ending = new LRUCache<string, KnownToken>({ max: maxEnding });
  #version: string | undefined;
  #reading: Reading | undefined;
  /** Changes with the tokens. */
  serial = 0;

  constructor(store: ReadStore, fixed: readonly KnownToken[], now: () => number) {
    this.#store = store;
    this.#fixedTokens = fixed;
    this.#fixed = indexTokens(fixed);
    this.#all = this.#fixed;
    this.#now = now;
  }

  /** False when the store may have changed. */
  isCurrent(): boolean {
    return this.#store.version() === this.#version;
  }

  /**
   * Reads the store's state at the time of this call or later. If it cannot be read within half a second, the tokens
   * read last remain, and the answer is false; throws the store's error if none were ever read.
   */
  async read(): Promise<boolean> {
    // A read that started before this call may miss a change, which the second one finds.
    for (let reads = 0; reads < 2 && !this.isCurrent(); reads++) {
      const reading = this.#begin();
      const isKnown = this.#version !== undefined;
      try {
        if (!(await reading.isOver(isKnown ? patienceMs : undefined))) return false;
      } catch (error) {
        if (!isKnown) throw error;
        return false;
      }
    }
    return true;
  }

  /** Reads what the store's version did not tell of yet: false also where the store does not answer in that time. */
  async confirm(): Promise<boolean> {
    const confirming = this.#store.confirm?.();
    if (confirming === undefined) return true;
    const isConfirmed = await startReading(confirming)
      .isOver(patienceMs)
      .catch(() => false);
    return isConfirmed && (await this.read());
  }

  /** One read shared by all waiting callers. */
  #begin(): Reading {
    this.#reading ??= startReading(
      this.#readOnce().finally(() => {
        this.#reading = undefined;
      }),
    );
    return this.#reading;
  }

  find(secret: string): KnownToken | undefined {
    return this.#findAmong(this.#all, secret);
  }

  /** A token by its id, if it has a key; with the end of what was given to the key's holder, where that is earlier. */
  findKeyed(tokenId: string, endsAt = Number.POSITIVE_INFINITY): KnownToken | undefined {
    const token = this.#keyed.get(tokenId);
    if (token === undefined) return undefined;
    const found = endsAt < (token.expiresAt ?? Number.POSITIVE_INFINITY) ? this.#endedAt(token, endsAt) : token;
    return this.isExpired(found) ? undefined : found;
  }

  #endedAt(token: KnownToken, expiresAt: number): KnownToken {
    const key = `${token.identity.tokenId} ${expiresAt}`;
    const known = this.#ending.get(key);
    if (known !== undefined) return known;
    const ended = { ...token, identity: endingAt(token.identity, expiresAt), expiresAt };
    this.#ending.set(key, ended);
    return ended;
  }

  findFixed(secret: string): KnownToken | undefined {
    return this.#findAmong(this.#fixed, secret);
  }

  isExpired({ expiresAt }: KnownToken): boolean {
    return expiresAt !== undefined && expiresAt <= this.#now();
  }

  async #readOnce(): Promise<void> {
    const version = this.#store.version();
    const stored = (await this.#store.list()).filter((token) => token.revokedAt === undefined);
    const known = stored.map(toKnown);
    this.#all = indexTokens([...this.#fixedTokens, ...known.flat()]);
    this.#keyed = new Map(
      known.flatMap(([token]) => (token?.key === undefined ? [] : [[token.identity.tokenId, token]])),
    );
    this.#ending.clear();
    this.#version = version;
    this.serial++;
  }

  #findAmong(index: TokenIndex, secret: string): KnownToken | undefined {
    const hash = hashSecret(secret);
    for (const token of index.get(shortKey(hash)) ?? []) {
      if (timingSafeEqual(token.hash, hash)) return this.isExpired(token) ? undefined : token;
    }
    return undefined;
  }
}

function startReading(done: Promise<void>): Reading {
  const startedAt = performance.now();
  const over = done.then(() => true);
  over.catch(() => undefined);
  return {
    async isOver(withinMs) {
      if (withinMs === undefined) return over;
      const left = withinMs - (performance.now() - startedAt);
      if (left <= 0) return false;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), left);
      });
      return Promise.race([over, late]).finally(() => clearTimeout(timer));
    },
  };
}

/** Looks a token up by its value, or by its previous value while that is valid. */
function toKnown(token: Token): readonly KnownToken[] {
  const { id, scopes, pins, budget, redaction, hash, expiresAt, previousHash, previousValidUntil } = token;
  const identity = { tokenId: callerId(id), scopes, pins, budget, redaction };
  const current = { hash, identity: endingAt(identity, expiresAt), expiresAt, key: token.key };
  if (previousHash === undefined || previousValidUntil === undefined) return [current];
  const endsAt = Math.min(previousValidUntil, expiresAt ?? previousValidUntil);
  return [current, { hash: previousHash, identity: endingAt(identity, endsAt), expiresAt: endsAt }];
}

function endingAt(identity: Identity, expiresAt: number | undefined): Identity {
  return expiresAt === undefined ? identity : { ...identity, expiresAt };
}

/** By the first bytes of the hash: the choice of a bucket reveals nothing about a secret. */
function indexTokens(tokens: readonly KnownToken[]): TokenIndex {
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
