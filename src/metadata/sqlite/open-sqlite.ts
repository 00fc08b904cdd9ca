import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import Database from "libsql";
import { ServiceError } from "../../shared/errors.ts";
import { messageOf } from "../../shared/message-of.ts";
import { findInaccessible, findNoFiles } from "../../shared/system/check-access.ts";
import { UserError } from "../../shared/user-error.ts";
import type { Columns } from "../columns.ts";
import type { MetadataDatabase } from "../database.ts";
import { migrate } from "../migrations.ts";
import { createOnlyNode } from "../nodes.ts";
import type { MetadataSchema } from "../schema.ts";
import { readSecretKey, replaceSecretKey } from "./secret-key.ts";
import { damaged, describeOpenFailure, fromDriver } from "./sqlite-error.ts";

/** The first bytes of every SQLite file. */
const magic = "SQLite format 3\u0000";

/** One by one: Node.js tries for ever where a file system lets nobody make a folder and says ENOENT, as /proc does. */
function makeFolders(folder: string): void {
  if (!existsSync(folder)) makeFolders(dirname(folder));
  // Throws for a file in its place.
  mkdirSync(folder, { recursive: existsSync(folder) });
}

function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isFile = code === "EEXIST" || code === "ENOTDIR";
    const why = isFile ? "it is a file, or lies below one" : `it cannot be made or written (${code})`;
    throw new UserError(`The data folder ${folder} cannot be used: ${why}. Choose another with LOGWEIR_DATA_DIR`, {
      cause: error,
    });
  }
}

function checkAccess(paths: readonly string[]): void {
  const [problem] = findInaccessible(paths);
  if (problem !== undefined) throw new UserError(problem);
}

/** Before SQLite looks at it, which may leave files beside it. `wasUsed`: the folder held metadata before. */
function checkHeader(path: string, wasUsed: boolean): void {
  if (!existsSync(path)) return;
  const [problem] = findNoFiles([path]);
  if (problem !== undefined) throw new UserError(problem);
  if (statSync(path).size === 0) {
    if (wasUsed) throw damaged(path, "it is empty");
    return;
  }
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(magic.length);
    readSync(file, head, 0, head.length, 0);
    if (head.toString("latin1") !== magic) throw damaged(path, "it does not begin like a database");
  } finally {
    closeSync(file);
  }
}

function openChecked(path: string): Database.Database {
  const isNew = !existsSync(path);
  let database: Database.Database | undefined;
  try {
    database = new Database(path);
    const { quick_check: result } = database.prepare("PRAGMA quick_check(1)").get() as { readonly quick_check: string };
    if (result !== "ok") throw damaged(path, result);
    database.pragma("busy_timeout = 5000");
    database.pragma("journal_mode = WAL");
    database.pragma("foreign_keys = ON");
    return database;
  } catch (error) {
    database?.close();
    // An empty one would be called damaged at the next start.
    if (isNew && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    throw describeOpenFailure(path, error);
  }
}

/** SQLite changes tables in transactions: all migrations that a file lacks come about together, or none. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function createDialect(database: Database.Database): Dialect {
  /** Throws errors in the form of the service. */
  class OwnDriver extends SqliteDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      const connection = await super.acquireConnection();
      return {
        executeQuery: async <Row>(query: CompiledQuery) => {
          try {
            return await connection.executeQuery<Row>(query);
          } catch (error) {
            throw fromDriver(error);
          }
        },
        streamQuery: connection.streamQuery.bind(connection),
      };
    }

    /** Where the disk is full, SQLite itself rolls back: another rollback would fail, and hide why the first did. */
    override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
      if (database.inTransaction) await super.rollbackTransaction(connection);
    }
  }
  return Object.assign(new SqliteDialect({ database }), {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new OwnDriver({ database }),
  });
}

const columns: Columns = {
  text: "text",
  whole: "integer",
  addNumber: (table, name) => table.addColumn(name, "integer", (column) => column.primaryKey().autoIncrement()),
  addNodes: async () => undefined,
  addDrainProgress: async () => undefined,
  watchAlerts: async () => undefined,
  bindDrainPositions: async () => undefined,
};

function describeMissing(path: string): string {
  return (
    `${path} is missing, though there was one in this folder before: a new one begins without the tokens, endpoints, ` +
    "sources, drains and alerts that were made over HTTP. Unless you moved it away, stop the service and bring a " +
    "backup back with `logweir restore`"
  );
}

/**
 * Opens the file, makes it (and its folder) when missing, and brings its tables up to date. WAL, and waiting up to five
 * seconds for another writer, let the service and the command line work on it at the same time.
 */
export async function openSqlite(path: string, warn: (message: string) => void): Promise<MetadataDatabase> {
  makeFolder(dirname(path));
  checkAccess([path, `${path}-wal`, `${path}-shm`]);
  const keyPath = join(dirname(path), "cursor.key");
  // The key, or events: the folder was used before.
  const wasUsed = existsSync(keyPath) || existsSync(join(dirname(path), "store", "events.duckdb"));
  checkHeader(path, wasUsed);
  if (wasUsed && !existsSync(path)) warn(describeMissing(path));
  const database = openChecked(path);
  const queries = new Kysely<MetadataSchema>({ dialect: createDialect(database) });
  await migrate(queries, columns, path).catch(async (error: unknown) => {
    await queries.destroy();
    if (error instanceof UserError) throw error;
    const text = `${path} cannot be brought up to date: ${messageOf(error)}`;
    throw error instanceof ServiceError ? new UserError(text, { cause: error }) : new Error(text);
  });
  const version = database.prepare("PRAGMA data_version");
  return {
    queries,
    // One number for all topics.
    versionOf: () => (version.get() as { readonly data_version: number }).data_version,
    // The first statement writes, and so excludes other writers until the end.
    inTurn: (_name, work) => queries.transaction().execute(work),
    readKey: () => readSecretKey(keyPath),
    replaceKey: (key) => replaceSecretKey(keyPath, key),
    copyTo(target) {
      try {
        database.prepare("VACUUM INTO ?").run(target);
      } catch (error) {
        throw fromDriver(error);
      }
    },
    join: async () => createOnlyNode(),
    close: () => queries.destroy(),
  };
}
