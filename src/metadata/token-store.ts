import type { TokenKey } from "../access/key-file.ts";
import type { Pins } from "../access/pins.ts";
import { effectiveScopes, isPinnedOwner } from "../access/scope.ts";
import { createSecret, createTokenId, hashSecret } from "../access/secret.ts";
import { defaultRedaction, type NewToken, type Token, type TokenStore } from "../access/token.ts";
import type { Budget } from "../shared/budget.ts";
import type { MetadataDatabase } from "./database.ts";
import type { TokenTable } from "./schema.ts";

/** Keeps tokens in the metadata; `now` is the clock, in milliseconds since 1970. */
export function createTokenStore(database: MetadataDatabase, now: () => number): TokenStore {
  return new MetadataTokens(database, now);
}

type IssuedToken = Awaited<ReturnType<TokenStore["create"]>>;

/** Own changes of which the ids are known. */
const maxChangedIds = 1_000;

class MetadataTokens implements TokenStore {
  readonly #database: MetadataDatabase;
  readonly #now: () => number;
  #ownChanges = 0;
  /** The ids of the last own changes, the newest last; undefined for a change of any tokens. */
  #changedIds: readonly (string | undefined)[] = [];

  constructor(database: MetadataDatabase, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async create(fresh: NewToken): Promise<IssuedToken> {
    const secret = createSecret();
    const row = newRow(fresh, secret, this.#now());
    await this.#change(row.id, () => this.#database.queries.insertInto("tokens").values(row).execute());
    return { token: toToken(row), secret };
  }

  async list(ids?: readonly string[]): Promise<readonly Token[]> {
    const all = this.#database.queries.selectFrom("tokens").selectAll();
    const listed = ids === undefined ? all : all.where("id", "in", ids);
    const rows = await listed.orderBy("created_at").orderBy("id").execute();
    return rows.map(toToken);
  }

  async rotate(id: string, graceMs: number): Promise<IssuedToken | undefined> {
    const secret = createSecret();
    const at = this.#now();
    // One statement, so that of two concurrent rotations each replaces the value that the other left.
    const row = await this.#change(id, () =>
      this.#database.queries
        .updateTable("tokens")
        .set(({ ref }) => ({
          hash: hashSecret(secret).toString("hex"),
          rotated_at: at,
          previous_hash: graceMs > 0 ? ref("hash") : null,
          previous_valid_until: graceMs > 0 ? at + graceMs : null,
        }))
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .returningAll()
        .executeTakeFirst(),
    );
    return row === undefined ? undefined : { token: toToken(row), secret };
  }

  async revoke(id: string): Promise<Token | undefined> {
    const { queries } = this.#database;
    const revocation = queries
      .updateTable("tokens")
      .set({ revoked_at: this.#now() })
      .where("id", "=", id)
      .where("revoked_at", "is", null);
    await this.#change(id, () => revocation.execute());
    const row = await queries.selectFrom("tokens").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? undefined : toToken(row);
  }

  async removeEnded(idPrefix: string, beforeMs: number): Promise<void> {
    const { queries } = this.#database;
    const removal = queries
      .deleteFrom("tokens")
      .where("id", "like", `${idPrefix}%`)
      .where(({ eb, or }) => or([eb("expires_at", "<", beforeMs), eb("revoked_at", "<", beforeMs)]));
    await this.#change(undefined, () => removal.execute());
  }

  async demotePinnedOwners(): Promise<readonly Token[]> {
    const demoted = await this.#change(undefined, () =>
      this.#database.inTurn("tokens", async (transaction) => {
        const rows = await transaction.selectFrom("tokens").selectAll().execute();
        const owners = rows.filter(({ scopes, pins }) => isPinnedOwner(readScopes(scopes), readPins(pins)));
        for (const row of owners) {
          const scopes = JSON.stringify(toToken(row).scopes);
          await transaction.updateTable("tokens").set({ scopes }).where("id", "=", row.id).execute();
        }
        return owners;
      }),
    );
    return demoted.map(toToken);
  }

  /** A change is counted even if it fails: the stored state may have changed all the same. */
  async #change<T>(id: string | undefined, change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } finally {
      this.#ownChanges++;
      this.#changedIds = [...this.#changedIds.slice(1 - maxChangedIds), id];
    }
  }

  changedSince(version: string): readonly string[] | undefined {
    const [others, own] = version.split(".");
    const count = this.#ownChanges - Number(own);
    if (others !== String(this.#database.versionOf("tokens")) || count > this.#changedIds.length) return undefined;
    const ids = count === 0 ? [] : this.#changedIds.slice(-count);
    return ids.every((id) => id !== undefined) ? [...new Set(ids)] : undefined;
  }

  version(): string {
    // A file's number counts other connections' commits only.
    return `${this.#database.versionOf("tokens")}.${this.#ownChanges}`;
  }

  async confirm(): Promise<void> {
    await this.#database.confirm?.();
  }

  ownChanges(): number {
    return this.#ownChanges;
  }
}

function newRow(
  { id = createTokenId(), description, scopes, pins, budget = {}, redaction, expiresAt, key }: NewToken,
  secret: string,
  now: number,
): TokenTable {
  return {
    id,
    hash: hashSecret(secret).toString("hex"),
    description,
    scopes: JSON.stringify(scopes),
    pins: JSON.stringify(pins),
    budget: JSON.stringify(budget),
    redaction: redaction ?? defaultRedaction(scopes),
    created_at: now,
    expires_at: expiresAt ?? null,
    revoked_at: null,
    rotated_at: null,
    previous_hash: null,
    previous_valid_until: null,
    public_key: key?.publicKey ?? null,
    token_uri: key?.tokenUri ?? null,
  };
}

function readKey({ public_key: publicKey, token_uri: tokenUri }: TokenTable): TokenKey | undefined {
  return publicKey === null || tokenUri === null ? undefined : { publicKey, tokenUri };
}

function readScopes(text: string): readonly string[] {
  return JSON.parse(text) as string[];
}

function readPins(text: string): Pins {
  return JSON.parse(text) as Pins;
}

function toToken(row: TokenTable): Token {
  const pins = readPins(row.pins);
  return {
    id: row.id,
    hash: Buffer.from(row.hash, "hex"),
    description: row.description,
    scopes: effectiveScopes(readScopes(row.scopes), pins),
    pins,
    budget: JSON.parse(row.budget) as Budget,
    redaction: row.redaction,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    rotatedAt: row.rotated_at ?? undefined,
    previousHash: row.previous_hash === null ? undefined : Buffer.from(row.previous_hash, "hex"),
    previousValidUntil: row.previous_valid_until ?? undefined,
    key: readKey(row),
  };
}
