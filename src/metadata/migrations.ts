import type { Kysely, Migration } from "kysely";

/**
 * How the metadata file's tables came to be, in the order of their names. A migration that was released is never changed:
 * add another one, and bring `schema.ts` along.
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
};
