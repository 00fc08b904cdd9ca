/** The store's file: making it, recognising it, upgrading it, and what it says about the sources it holds. */

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../../shared/message-of.ts";
import { findInaccessible, findNoFiles } from "../../../../shared/system/check-access.ts";
import { EngineError } from "../../../contract/query-engine.ts";
import type { SchemaEntry } from "../../../schema/schema-entry.ts";
import type { SourceRules, SourceSchema } from "../../../schema/source/source-schema.ts";
import { type Connection, type Database, openDatabase } from "../../driver/connection.ts";
import { toEngineError } from "../../driver/driver-error.ts";
import { quoteIdentifier } from "../../sql-text.ts";
import type { CoreOptions } from "../protocol.ts";
import { findLogDamage, LogPosition, readAcknowledged } from "./log-position.ts";
import { dropLeftTables } from "./source-tables.ts";
import {
  FILE_NAME,
  IDS_NAME,
  NEW_FILE_NAME,
  POSITION_NAME,
  SPILL_NAME,
  type StorePaths,
  storePaths,
} from "./store-paths.ts";
import { readTenants } from "./tenant-entries.ts";
import { cutUnfinishedCommit } from "./unfinished-commit.ts";

/**
 * The first format knew no tenants, and left what stands below an array of objects out of its columns from the first
 * such array on: these columns count for nothing, until a field is declared (see `source-rules.ts`). Who carried
 * what is found out when the source's rules are reported. The format is raised last: cut short, it is done again.
 */
async function upgradeFromFirst(connection: Connection): Promise<void> {
  await connection.transaction(async () => {
    await connection.all("ALTER TABLE lw_sources ADD COLUMN IF NOT EXISTS rules VARCHAR");
    await connection.all("ALTER TABLE lw_fields ADD COLUMN IF NOT EXISTS stale BOOLEAN DEFAULT false");
    await connection.all(`CREATE TABLE IF NOT EXISTS lw_tenants (source VARCHAR NOT NULL, tenant VARCHAR,
      entries VARCHAR NOT NULL)`);
  });
  await connection.transaction(async () => {
    await connection.all(`
      UPDATE lw_fields SET stale = true WHERE column_name IS NOT NULL AND role <> 'json' AND EXISTS (
      SELECT 1 FROM lw_fields AS above WHERE above.source = lw_fields.source AND above.role = 'repeated'
      AND starts_with(lw_fields.path, above.path || '.'))`);
    await joinTwins(connection);
    await connection.all("UPDATE lw_store SET format = 2");
  });
}

/** JSON columns of records whose names differ by case become one: the later fill the first. */
async function joinTwins(connection: Connection): Promise<void> {
  const twins = await connection.all(`SELECT table_name, list(column_name ORDER BY ordinal)
    FROM lw_fields JOIN lw_sources ON lw_sources.name = lw_fields.source
    WHERE role = 'json' GROUP BY table_name, lower(path) HAVING count(*) > 1`);
  for (const [table, columns] of twins) {
    const [first = "", ...others] = listOf(columns).map(quoteIdentifier);
    for (const other of others) {
      const sql =
        `UPDATE ${quoteIdentifier(String(table))} SET ${first} = ${other} WHERE ${first} IS NULL ` +
        `AND ${other} IS NOT NULL`;
      await connection.all(sql);
    }
  }
}

function listOf(value: unknown): readonly string[] {
  const { items } = value as { readonly items: readonly unknown[] };
  return items.map(String);
}

/** Raised by a change that older versions could not read. */
const STORE_FORMAT = 2;
const setupStatements: readonly string[] = [
  "CREATE TABLE lw_store (format INTEGER NOT NULL)",
  `INSERT INTO lw_store VALUES (${STORE_FORMAT})`,
  "CREATE TABLE lw_sources (name VARCHAR NOT NULL, table_name VARCHAR NOT NULL, rules VARCHAR)",
  `CREATE TABLE lw_fields (source VARCHAR NOT NULL, ordinal INTEGER NOT NULL, role VARCHAR NOT NULL,
    path VARCHAR NOT NULL, type VARCHAR, column_name VARCHAR, stale BOOLEAN NOT NULL)`,
  "CREATE TABLE lw_tenants (source VARCHAR NOT NULL, tenant VARCHAR, entries VARCHAR NOT NULL)",
  "CREATE TABLE lw_runs (source VARCHAR NOT NULL, run INTEGER NOT NULL, row_count BIGINT NOT NULL)",
];

/** Refuses a folder that holds anything but a store, or a store whose file is gone. */
function checkDirectory(directory: string): void {
  const names = readdirSync(directory);
  if ([POSITION_NAME, `${FILE_NAME}.wal`].some((name) => names.includes(name))) {
    throw new EngineError(
      "unavailable",
      `${join(directory, FILE_NAME)} is missing, though the store's other files are there; nothing was changed. ` +
        "Bring a backup back with `logweir restore`, or move the folder away: the service then starts without events",
    );
  }
  const ours = new Set([NEW_FILE_NAME, `${NEW_FILE_NAME}.wal`, SPILL_NAME, IDS_NAME]);
  const foreign = names.filter((name) => !ours.has(name));
  if (foreign.length === 0) return;
  throw new EngineError(
    "unavailable",
    `${directory} holds no store but other files (${foreign.slice(0, 3).join(", ")}); nothing was changed. ` +
      "Choose an empty folder",
  );
}

function isOfLog(error: unknown): boolean {
  return error instanceof Error && /replaying WAL file/.test(error.message);
}

/** Opens the database; where it refuses the log, without what a power failure may have left of a last commit. */
async function openFile(
  options: CoreOptions,
  paths: StorePaths,
  onProblem: (message: string) => void,
): Promise<Database> {
  const newFile = { path: paths.newFile, statements: setupStatements };
  const open = () => openDatabase({ ...options, path: paths.file, newFile, temporaryDirectory: paths.spill });
  try {
    return await open();
  } catch (error) {
    const cut = isOfLog(error)
      ? cutUnfinishedCommit(paths.writeAheadLog, readAcknowledged(paths.logPosition))
      : undefined;
    if (cut === undefined) throw error;
    const database = await open().catch(() => {
      cut.putBack();
      throw error;
    });
    onProblem(
      `${paths.writeAheadLog} ended in ${cut.byteCount} bytes of a commit that was not finished, as after a power ` +
        "failure; they were cut off. Events are acknowledged only once their commit is finished",
    );
    return database;
  }
}

/** Words the failure to open a file for the operator. */
export function explainOpenError(error: unknown, file: string): EngineError {
  const known = toEngineError(error);
  if (known.code === "disk_full" || error instanceof EngineError) return known;
  const message = messageOf(error);
  if (isOfLog(error)) return damagedLog(`${file}.wal`, message.split("\n")[0] ?? "", error);
  const holder = /Conflicting lock is held in .*?\(PID (\d+)\)/.exec(message);
  const text = /Could not set lock/.test(message)
    ? `Another process${holder === null ? "" : ` (${holder[1]})`} uses the store ${file}; stop it, or choose ` +
      "another data directory"
    : `${file} is damaged or is no store of this service; nothing was changed. Choose another data directory, ` +
      `and bring a backup back with \`logweir restore\`. ${message.split("\n")[0]}`;
  return new EngineError("unavailable", text, { cause: error });
}

function damagedLog(log: string, reason: string, cause?: unknown): EngineError {
  const text =
    `${log}, the log of the events since the last checkpoint, is damaged; nothing was changed. Bring a backup ` +
    "back with `logweir restore`, or move this file away: the service then starts without its events, and says so. ";
  return new EngineError("unavailable", `${text}${reason}`, { cause });
}

async function checkFormat(connection: Connection, file: string): Promise<void> {
  const tables = await connection.all("SELECT table_name FROM duckdb_tables() WHERE table_name = 'lw_store'");
  if (tables.length === 0) {
    throw new EngineError("unavailable", `${file} is a database, but not a store of this service; nothing was changed`);
  }
  const [row] = await connection.all("SELECT format FROM lw_store");
  if (row?.[0] === 1) await upgradeFromFirst(connection);
  else if (row?.[0] !== STORE_FORMAT) {
    throw new EngineError(
      "unavailable",
      `${file} has format ${row?.[0]}; this version reads format ${STORE_FORMAT}. Use the version of Logweir ` +
        "that wrote it; nothing was changed",
    );
  }
}

/** A store that is open. */
export interface StoreFile {
  readonly database: Database;
  /** Absent for a store in memory. */
  readonly position?: LogPosition;
}

/**
 * Opens the store in the folder, making both where they are missing. Throws `EngineError` `unavailable` where the
 * folder is used by another process, holds something else, or is damaged. `onProblem` gets a commit that was cut
 * off the log.
 */
export async function openStoreFile(
  options: CoreOptions,
  onProblem: (message: string) => void = () => undefined,
): Promise<StoreFile> {
  const { directory } = options;
  if (directory === undefined) {
    const database = await openDatabase(options);
    const connection = await database.connect();
    for (const statement of setupStatements) await connection.all(statement);
    connection.close();
    return { database };
  }
  const paths = storePaths(directory);
  try {
    mkdirSync(directory, { recursive: true });
    const files = [paths.file, paths.writeAheadLog, paths.logPosition];
    const [problem] = [...findInaccessible([directory, ...files]), ...findNoFiles(files)];
    if (problem !== undefined) throw new EngineError("unavailable", problem);
    if (!existsSync(paths.file)) checkDirectory(directory);
    const damage = findLogDamage(paths.logPosition, paths.writeAheadLog);
    if (damage !== undefined) throw damagedLog(paths.writeAheadLog, damage);
    const database = await openFile(options, paths, onProblem);
    try {
      // The log is as it was found: DuckDB cuts what it could not read off at the first commit.
      const position = new LogPosition(paths.logPosition, paths.writeAheadLog);
      position.check(Date.now());
      const connection = await database.connect();
      await checkFormat(connection, paths.file);
      await dropLeftTables(connection);
      connection.close();
      return { database, position };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw explainOpenError(error, paths.file);
  }
}

function readEntry(row: readonly unknown[]): SchemaEntry {
  const [, role, path, type, column, isStale] = row;
  const entry = { role, path, ...(type === null ? {} : { type }), column, ...(isStale === true ? { isStale } : {}) };
  return entry as unknown as SchemaEntry;
}

/** The sources that the store holds, in the order of their making. */
export async function readSources(connection: Connection): Promise<SourceSchema[]> {
  const fields = await connection.all(
    "SELECT source, role, path, type, column_name, stale FROM lw_fields ORDER BY source, ordinal",
  );
  const sources = await connection.all("SELECT name, table_name, rules FROM lw_sources");
  const tenants = await readTenants(connection);
  const entries = new Map<unknown, SchemaEntry[]>(sources.map(([name]) => [name, []]));
  for (const row of fields) entries.get(row[0])?.push(readEntry(row));
  return sources.map(([name, table, rules]) => ({
    name: String(name),
    table: String(table),
    entries: entries.get(name) ?? [],
    tenants: tenants.get(String(name)) ?? [],
    ...(rules === null ? {} : { rules: JSON.parse(String(rules)) as SourceRules }),
  }));
}
