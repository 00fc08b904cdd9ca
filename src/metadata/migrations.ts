import { type Kysely, type Migration, sql } from "kysely";

/**
 * How the metadata file's tables came to be, in the order of their names. A migration that was released is never
 * changed: add another one, and bring `schema.ts` along.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  "0001-tokens": {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("tokens")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("hash", "text", (column) => column.notNull().unique())
        .addColumn("description", "text", (column) => column.notNull())
        .addColumn("scopes", "text", (column) => column.notNull())
        .addColumn("pins", "text", (column) => column.notNull())
        .addColumn("created_at", "integer", (column) => column.notNull())
        .addColumn("expires_at", "integer")
        .addColumn("revoked_at", "integer")
        .execute();
    },
  },
  "0002-token-limits": {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable("tokens")
        .addColumn("budget", "text", (column) => column.notNull().defaultTo("{}"))
        .execute();
      await db.schema
        .alterTable("tokens")
        .addColumn("redaction", "text", (column) => column.notNull().defaultTo("fixed"))
        .execute();
      // Until then, a token of this scope could switch redaction off.
      await sql`UPDATE tokens SET redaction = 'switchable' WHERE scopes LIKE '%"private"%'`.execute(db);
    },
  },
  "0003-endpoints": {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("endpoints")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("name", "text", (column) => column.notNull().unique())
        .addColumn("version", "integer", (column) => column.notNull())
        .addColumn("document", "text", (column) => column.notNull())
        .addColumn("contract", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .createTable("endpoint_versions")
        .addColumn("endpoint_id", "text", (column) => column.notNull())
        .addColumn("number", "integer", (column) => column.notNull())
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("created_at", "integer", (column) => column.notNull())
        .addColumn("author", "text", (column) => column.notNull())
        .addColumn("action", "text", (column) => column.notNull())
        .addColumn("rollback_to", "integer")
        .addColumn("changed", "text", (column) => column.notNull())
        .addColumn("document", "text", (column) => column.notNull())
        .addColumn("contract", "text", (column) => column.notNull())
        .addPrimaryKeyConstraint("endpoint_versions_key", ["endpoint_id", "number"])
        .execute();
    },
  },
  "0004-token-rotation": {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("tokens").addColumn("rotated_at", "integer").execute();
      await db.schema.alterTable("tokens").addColumn("previous_hash", "text").execute();
      await db.schema.alterTable("tokens").addColumn("previous_valid_until", "integer").execute();
    },
  },
  "0005-sources": {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("sources")
        .addColumn("name", "text", (column) => column.primaryKey())
        .addColumn("document", "text", (column) => column.notNull())
        .addColumn("created_at", "integer", (column) => column.notNull())
        .addColumn("updated_at", "integer", (column) => column.notNull())
        .execute();
    },
  },
  "0006-audit-outbox": {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("audit_outbox")
        .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
        .addColumn("at", "integer", (column) => column.notNull())
        .addColumn("event", "text", (column) => column.notNull())
        .execute();
    },
  },
  "0007-drains": {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("backends")
        .addColumn("number", "integer", (column) => column.primaryKey().autoIncrement())
        .addColumn("id", "text", (column) => column.notNull().unique())
        .addColumn("document", "text", (column) => column.notNull())
        .addColumn("config", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .createTable("rules")
        .addColumn("number", "integer", (column) => column.primaryKey().autoIncrement())
        .addColumn("id", "text", (column) => column.notNull().unique())
        .addColumn("backend_id", "text", (column) => column.notNull())
        .addColumn("document", "text", (column) => column.notNull())
        .execute();
    },
  },
  "0008-views": {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("views")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("endpoint", "text", (column) => column.notNull())
        .addColumn("state", "text", (column) => column.notNull())
        .addColumn("author", "text", (column) => column.notNull())
        .addColumn("is_shared", "integer", (column) => column.notNull())
        .addColumn("created_at", "integer", (column) => column.notNull())
        .execute();
      await db.schema.createIndex("views_by_author").on("views").column("author").execute();
    },
  },
};
