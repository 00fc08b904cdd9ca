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

type ReadStore = Pick<TokenStore, "version" | "changedSince" | "confirm" | "list">;

interface Reading {
  /**
   * Resolves with false if the read takes longer than this many milliseconds from its start. Rejects when the read
   * does.
   */
  isOver(withinMs: number | undefined): Promise<boolean>;
}

/** Access tokens of key files that are remembered. */
const maxEnding = 1_000;

/** Tokens by the first bytes of their hash: the choice of a bucket reveals nothing about a secret. */
type TokenIndex = Map<number, readonly KnownToken[]>;

/** The fixed tokens, and those of a store as they were read last. */
export class KnownTokens {
  readonly #store: ReadStore;
  readonly #fixedTokens: readonly KnownToken[];
  readonly #fixed: TokenIndex;
  readonly #now: () => number;
  #all: TokenIndex;
  /** Those of the store by id: each by its value, and by the one before it while that is valid. */
  #stored = new Map<string, readonly KnownToken[]>();
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

  /** Reads what the store's version did not report yet: false also where the store does not answer in that time. */
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
    const [token] = this.#stored.get(tokenId) ?? [];
    if (token?.key === undefined) return undefined;
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

  /** Reads all tokens, or only those that changed where the store can say which. */
  async #readOnce(): Promise<void> {
    const version = this.#store.version();
    const changed = this.#version === undefined ? undefined : this.#store.changedSince?.(this.#version);
    const read = await this.#store.list(changed);
    if (changed === undefined) {
      this.#all = indexTokens(this.#fixedTokens);
      this.#stored = new Map();
    }
    for (const id of changed ?? []) this.#forget(id);
    for (const token of read) if (token.revokedAt === undefined) this.#take(token);
    this.#ending.clear();
    this.#version = version;
    this.serial++;
  }

  #forget(id: string): void {
    const gone = this.#stored.get(id) ?? [];
    this.#stored.delete(id);
    for (const token of gone) {
      const key = shortKey(token.hash);
      const others = (this.#all.get(key) ?? []).filter((each) => each !== token);
      if (others.length === 0) this.#all.delete(key);
      else this.#all.set(key, others);
    }
  }

  #take(token: Token): void {
    const known = toKnown(token);
    this.#stored.set(token.id, known);
    for (const each of known) addTo(this.#all, each);
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

function indexTokens(tokens: readonly KnownToken[]): TokenIndex {
  const index: TokenIndex = new Map();
  for (const token of tokens) addTo(index, token);
  return index;
}

function addTo(index: TokenIndex, token: KnownToken): void {
  const key = shortKey(token.hash);
  index.set(key, [...(index.get(key) ?? []), token]);
}

function shortKey(hash: Buffer): number {
  return hash.readUInt32BE(0);
}
