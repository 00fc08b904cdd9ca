import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely, Migrator, SqliteDialect } from "kysely";
import Database from "libsql";
import { migrations } from "./migrations.ts";
import type { MetadataSchema } from "./schema.ts";

/** The open metadata file: one SQLite database, which several processes may use at once. */
export interface MetadataDatabase {
  readonly queries: Kysely<MetadataSchema>;
  /** A number that changes when another connection, of this or another process, has committed a change. */
  dataVersion(): number;
  /** Writes a consistent copy to a path where no file is. */
  copyTo(path: string): void;
  close(): Promise<void>;
}

/**
 * Opens the file, makes it (and its folder) when missing, and brings its tables up to date. WAL, and waiting up to five
 * seconds for another writer, let the service and the command line work on it at the same time.
 */
export async function openMetadata(path: string): Promise<MetadataDatabase> {
  mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path);
  database.pragma("busy_timeout = 5000");
  database.pragma("journal_mode = WAL");
  database.pragma("foreign_keys = ON");
  const queries = new Kysely<MetadataSchema>({ dialect: new SqliteDialect({ database }) });
  const migrator = new Migrator({ db: queries, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await queries.destroy();
    throw new Error(`${path} cannot be brought up to date: ${error instanceof Error ? error.message : String(error)}`);
  }
  const version = database.prepare("PRAGMA data_version");
  return {
    queries,
    dataVersion: () => (version.get() as { readonly data_version: number }).data_version,
    copyTo: (target) => void database.prepare("VACUUM INTO ?").run(target),
    close: () => queries.destroy(),
  };
}
