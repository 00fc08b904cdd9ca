import { type Kysely, Migrator, sql } from "kysely";
import { messageOf } from "../shared/message-of.ts";
import { UserError } from "../shared/user-error.ts";
import type { Columns } from "./columns.ts";

type Step = (db: Kysely<unknown>, columns: Columns) => Promise<void>;

const migrations: Readonly<Record<string, Step>> = {
  "0001-tokens": async (db, { text, whole }) => {
    await db.schema
      .createTable("tokens")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("hash", text, (column) => column.notNull().unique())
      .addColumn("description", text, (column) => column.notNull())
      .addColumn("scopes", text, (column) => column.notNull())
      .addColumn("pins", text, (column) => column.notNull())
      .addColumn("created_at", whole, (column) => column.notNull())
      .addColumn("expires_at", whole)
      .addColumn("revoked_at", whole)
      .execute();
  },
  "0002-token-limits": async (db, { text }) => {
    await db.schema
      .alterTable("tokens")
      .addColumn("budget", text, (column) => column.notNull().defaultTo("{}"))
      .execute();
    await db.schema
      .alterTable("tokens")
      .addColumn("redaction", text, (column) => column.notNull().defaultTo("fixed"))
      .execute();
    // Until this migration, a token of this scope could turn redaction off.
    await sql`UPDATE tokens SET redaction = 'switchable' WHERE scopes LIKE '%"private"%'`.execute(db);
  },
  "0003-endpoints": async (db, { text, whole }) => {
    await db.schema
      .createTable("endpoints")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("name", text, (column) => column.notNull().unique())
      .addColumn("version", whole, (column) => column.notNull())
      .addColumn("document", text, (column) => column.notNull())
      .addColumn("contract", text, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("endpoint_versions")
      .addColumn("endpoint_id", text, (column) => column.notNull())
      .addColumn("number", whole, (column) => column.notNull())
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("created_at", whole, (column) => column.notNull())
      .addColumn("author", text, (column) => column.notNull())
      .addColumn("action", text, (column) => column.notNull())
      .addColumn("rollback_to", whole)
      .addColumn("changed", text, (column) => column.notNull())
      .addColumn("document", text, (column) => column.notNull())
      .addColumn("contract", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("endpoint_versions_key", ["endpoint_id", "number"])
      .execute();
  },
  "0004-token-rotation": async (db, { text, whole }) => {
    await db.schema.alterTable("tokens").addColumn("rotated_at", whole).execute();
    await db.schema.alterTable("tokens").addColumn("previous_hash", text).execute();
    await db.schema.alterTable("tokens").addColumn("previous_valid_until", whole).execute();
  },
  "0005-sources": async (db, { text, whole }) => {
    await db.schema
      .createTable("sources")
      .addColumn("name", text, (column) => column.primaryKey())
      .addColumn("document", text, (column) => column.notNull())
      .addColumn("created_at", whole, (column) => column.notNull())
      .addColumn("updated_at", whole, (column) => column.notNull())
      .execute();
  },
  "0006-audit-outbox": async (db, { text, whole, addNumber }) => {
    await db.schema
      .createTable("audit_outbox")
      .$call((table) => addNumber(table, "id"))
      .addColumn("at", whole, (column) => column.notNull())
      .addColumn("event", text, (column) => column.notNull())
      .execute();
  },
  "0007-drains": async (db, { text, addNumber }) => {
    await db.schema
      .createTable("backends")
      .$call((table) => addNumber(table, "number"))
      .addColumn("id", text, (column) => column.notNull().unique())
      .addColumn("document", text, (column) => column.notNull())
      .addColumn("config", text, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("rules")
      .$call((table) => addNumber(table, "number"))
      .addColumn("id", text, (column) => column.notNull().unique())
      .addColumn("backend_id", text, (column) => column.notNull())
      .addColumn("document", text, (column) => column.notNull())
      .execute();
  },
  "0008-views": async (db, { text, whole }) => {
    await db.schema
      .createTable("views")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("endpoint", text, (column) => column.notNull())
      .addColumn("state", text, (column) => column.notNull())
      .addColumn("author", text, (column) => column.notNull())
      .addColumn("is_shared", whole, (column) => column.notNull())
      .addColumn("created_at", whole, (column) => column.notNull())
      .execute();
    await db.schema.createIndex("views_by_author").on("views").column("author").execute();
  },
  // A file has no notifications: each connection sees a change counter of its own.
  "0009-nodes": async (db, { addNodes }) => addNodes(db),
  // Without a shared database, positions are files.
  "0010-drain-progress": async (db, { addDrainProgress }) => addDrainProgress(db),
  "0011-alerts": async (db, { text, addNumber, watchAlerts }) => {
    await db.schema
      .createTable("alerts")
      .$call((table) => addNumber(table, "number"))
      .addColumn("id", text, (column) => column.notNull().unique())
      .addColumn("document", text, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("alert_states")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("state", text, (column) => column.notNull())
      .execute();
    await watchAlerts(db);
  },
  "0012-token-keys": async (db, { text }) => {
    await db.schema.alterTable("tokens").addColumn("public_key", text).execute();
    await db.schema.alterTable("tokens").addColumn("token_uri", text).execute();
  },
  "0013-drain-positions": async (db, { bindDrainPositions }) => bindDrainPositions(db),
};

/**
 * Updates the tables with each migration once, in order of their names. A released migration is never changed: add
 * another, and update `schema.ts`. Migrations only add, so that nodes of the previous release still work. Throws
 * `UserError` when a later release updated the tables; `place` is named in errors.
 */
export async function migrate<Schema>(queries: Kysely<Schema>, columns: Columns, place: string): Promise<void> {
  const steps = Object.entries(migrations).map(([name, step]) => {
    return [name, { up: (db: Kysely<unknown>) => step(db, columns) }] as const;
  });
  const migrator = new Migrator({
    db: queries,
    provider: { getMigrations: async () => Object.fromEntries(steps) },
    // Names begin with their number: the default reads the rules of a language for it, for 26 ms of a start.
    nameComparator: (a, b) => (a < b ? -1 : 1),
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const message = messageOf(error);
  const unknown = /previously executed migration (\S+) is missing/.exec(message)?.[1];
  if (unknown === undefined) throw error;
  throw new UserError(
    `${place} was brought up to date by a later release (${unknown} is not known here); nothing was changed. ` +
      "Start that release, or a later one",
    { cause: error },
  );
}
