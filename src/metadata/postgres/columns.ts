import { type Kysely, sql } from "kysely";
import type { Columns } from "../columns.ts";
import { type Topic, topics } from "../topics.ts";

/** Notices of changes; their payload is the topic. */
export const changesChannel = "logweir_changes";

/** As the tables are in PostgreSQL. */
export const postgresColumns: Columns = {
  text: sql`text COLLATE "C"`,
  whole: "bigint",
  addNumber: (table, name) =>
    table.addColumn(name, "bigint", (column) => column.primaryKey().generatedAlwaysAsIdentity()),
  addNodes,
  addDrainProgress,
  watchAlerts,
  bindDrainPositions,
};

/** The rows counted as changes of a topic. Removals from the outbox are not counted. */
const watched = [
  ["tokens", "tokens", "INSERT OR UPDATE OR DELETE OR TRUNCATE"],
  ["endpoints", "endpoints", "INSERT OR UPDATE OR DELETE OR TRUNCATE"],
  ["sources", "sources", "INSERT OR UPDATE OR DELETE OR TRUNCATE"],
  ["backends", "drains", "INSERT OR UPDATE OR DELETE OR TRUNCATE"],
  ["rules", "drains", "INSERT OR UPDATE OR DELETE OR TRUNCATE"],
  ["audit_outbox", "audit_outbox", "INSERT"],
] as const;

async function addDrainProgress(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE drain_positions ADD COLUMN source text, ADD COLUMN progress text`.execute(db);
}

/** A position goes with its rule, whatever ends meanwhile: one without a rule would hold back its source's keys for ever. */
async function bindDrainPositions(db: Kysely<unknown>): Promise<void> {
  await sql`DELETE FROM drain_positions WHERE rule_id NOT IN (SELECT id FROM rules)`.execute(db);
  await sql`
    ALTER TABLE drain_positions ADD FOREIGN KEY (rule_id) REFERENCES rules (id) ON DELETE CASCADE`.execute(db);
}

async function addNodes(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE metadata_changes (topic text PRIMARY KEY, number bigint NOT NULL)`.execute(db);
  for (const topic of topics) await sql`INSERT INTO metadata_changes VALUES (${topic}, 0)`.execute(db);
  await sql`CREATE TABLE service_keys (name text PRIMARY KEY, value text NOT NULL)`.execute(db);
  await sql`
    CREATE UNLOGGED TABLE warm_answers (
      key text PRIMARY KEY, made_at bigint NOT NULL, expires_at bigint NOT NULL, head text NOT NULL, body bytea NOT NULL
    )`.execute(db);
  await sql`
    CREATE TABLE drain_journals (source text PRIMARY KEY, next bigint NOT NULL, bytes bigint NOT NULL)`.execute(db);
  await sql`
    CREATE TABLE drain_keys (
      source text NOT NULL, first bigint NOT NULL, count bigint NOT NULL, lines text NOT NULL,
      PRIMARY KEY (source, first)
    )`.execute(db);
  await sql`CREATE TABLE drain_positions (rule_id text PRIMARY KEY, number bigint NOT NULL)`.execute(db);
  // Every change is counted and notified in the database, whether a node, a command or a person with psql makes it.
  await sql`
    CREATE FUNCTION note_metadata_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE metadata_changes SET number = number + 1 WHERE topic = TG_ARGV[0];
      PERFORM pg_notify(${sql.lit(changesChannel)}, TG_ARGV[0]);
      RETURN NULL;
    END $$`.execute(db);
  for (const [table, topic, changes] of watched) await watch(db, table, topic, changes);
}

/** A database that an earlier migration made does not know the topic. */
async function watchAlerts(db: Kysely<unknown>): Promise<void> {
  await sql`INSERT INTO metadata_changes VALUES ('alerts', 0) ON CONFLICT DO NOTHING`.execute(db);
  await watch(db, "alerts", "alerts", "INSERT OR UPDATE OR DELETE OR TRUNCATE");
}

async function watch(db: Kysely<unknown>, table: string, topic: Topic, changes: string): Promise<void> {
  await sql`
    CREATE TRIGGER note_change AFTER ${sql.raw(changes)} ON ${sql.table(table)}
    FOR EACH STATEMENT EXECUTE FUNCTION note_metadata_change(${sql.lit(topic)})`.execute(db);
}
