import type { Kysely } from "kysely";
import { effectiveScopes, isPinnedOwner } from "../access/scope.ts";
import { createSecret, createTokenId, hashSecret } from "../access/secret.ts";
import { defaultRedaction, type Token, type TokenStore } from "../access/token.ts";
import type { Budget } from "../shared/budget.ts";
import type { MetadataDatabase } from "./database.ts";
import type { MetadataSchema, TokenTable } from "./schema.ts";

/** Keeps tokens in the metadata file; `now` is the clock, in milliseconds since 1970. */
export function createTokenStore(database: MetadataDatabase, now: () => number): TokenStore {
  const { queries } = database;
  let ownChanges = 0;
  return {
    async create(fresh) {
      const secret = createSecret();
      const row: TokenTable = {
        id: createTokenId(),
        hash: hashSecret(secret).toString("hex"),
        description: fresh.description,
        scopes: JSON.stringify(fresh.scopes),
        pins: JSON.stringify(fresh.pins),
        budget: JSON.stringify(fresh.budget ?? {}),
        redaction: fresh.redaction ?? defaultRedaction(fresh.scopes),
        created_at: now(),
        expires_at: fresh.expiresAt ?? null,
        revoked_at: null,
        rotated_at: null,
        previous_hash: null,
        previous_valid_until: null,
      };
      await queries.insertInto("tokens").values(row).execute();
      ownChanges++;
      return { token: toToken(row), secret };
    },
    list: () => listTokens(queries),
    async rotate(id, graceMs) {
      const secret = createSecret();
      const at = now();
      // One statement, so that of two rotations at once each replaces what the other left.
      const row = await queries
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
        .executeTakeFirst();
      ownChanges++;
      return row === undefined ? undefined : { token: toToken(row), secret };
    },
    async revoke(id) {
      await queries
        .updateTable("tokens")
        .set({ revoked_at: now() })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .execute();
      ownChanges++;
      const row = await queries.selectFrom("tokens").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : toToken(row);
    },
    async demotePinnedOwners() {
      const rows = await queries.selectFrom("tokens").selectAll().execute();
      const demoted = rows.filter(({ scopes, pins }) => isPinnedOwner(readScopes(scopes), readPins(pins)));
      for (const row of demoted) {
        const scopes = JSON.stringify(toToken(row).scopes);
        await queries.updateTable("tokens").set({ scopes }).where("id", "=", row.id).execute();
      }
      if (demoted.length > 0) ownChanges++;
      return demoted.map(toToken);
    },
    // The file's own number counts other connections' commits only.
    version: () => `${database.dataVersion()}.${ownChanges}`,
    ownChanges: () => ownChanges,
  };
}

async function listTokens(queries: Kysely<MetadataSchema>): Promise<readonly Token[]> {
  const rows = await queries.selectFrom("tokens").selectAll().orderBy("created_at").orderBy("id").execute();
  return rows.map(toToken);
}

function readScopes(text: string): readonly string[] {
  return JSON.parse(text) as string[];
}

function readPins(text: string): Readonly<Record<string, string>> {
  return JSON.parse(text) as Record<string, string>;
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
  };
}
