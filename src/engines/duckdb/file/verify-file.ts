/** Reads a store's file that no process has open to the last byte, to check that it is complete. */
import { createReadStream, existsSync } from "node:fs";
import type { FileCheck } from "../../contract/file-check.ts";
import type { Connection } from "../driver/connection.ts";
import { openDatabase } from "../driver/connection.ts";
import { describeCause, toEngineError } from "../driver/driver-error.ts";
import { readSources } from "../host/store/store-file.ts";
import { storePaths } from "../host/store/store-paths.ts";
import { quoteIdentifier, quoteString } from "../sql-text.ts";
import { BlockChecker } from "./block-checker.ts";

/** More damages than this are reported as a number. */
const MAX_DAMAGES = 20;

async function findDamagedBlocks(path: string): Promise<readonly number[]> {
  const checker = new BlockChecker();
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) checker.push(chunk as Buffer);
  return checker.damages();
}

/** Columns of a table that cannot be read, and why; each value of the others was decoded. */
async function findDamagedColumns(connection: Connection, table: string): Promise<ReadonlyMap<string, string>> {
  const columns = await connection.all(
    `SELECT column_name FROM duckdb_columns() WHERE database_name = 'store' AND table_name = ${quoteString(table)}`,
  );
  const failures = new Map<string, string>();
  for (const [column] of columns) {
    try {
      await connection.all(`SELECT bit_xor(hash(${quoteIdentifier(String(column))})) FROM ${quoteIdentifier(table)}`);
    } catch (error) {
      failures.set(String(column), (describeCause(error).split("\n")[0] ?? "").trim());
    }
  }
  return failures;
}

function describeColumns(name: string, failures: ReadonlyMap<string, string>): string {
  const columns = [...failures.keys()];
  const listed = columns.slice(0, 5).join(", ");
  const more = columns.length > 5 ? ` and ${columns.length - 5} more` : "";
  return (
    `${name}: the ${columns.length === 1 ? "column" : "columns"} ${listed}${more} cannot be read: ` +
    `${[...failures.values()][0]}`
  );
}

async function readTables(connection: Connection): Promise<FileCheck> {
  const damages: string[] = [];
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  for (const { name, table } of await readSources(connection)) names.set(table, name);
  const tables = await connection.all(
    "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' ORDER BY 1",
  );
  for (const [table] of tables) {
    const name = names.get(String(table)) ?? String(table);
    const failures = await findDamagedColumns(connection, String(table));
    if (failures.size > 0) damages.push(describeColumns(name, failures));
    else if (names.has(String(table))) {
      const [row] = await connection.all(
        "SELECT count(*) FILTER (timestamp IS NOT NULL AND length(id) > 0)::DOUBLE " +
          `FROM ${quoteIdentifier(String(table))}`,
      );
      counts.set(name, Number(row?.[0]));
    }
  }
  return { counts, damages };
}

async function readAll(path: string): Promise<FileCheck> {
  const database = await openDatabase({ path, isReadOnly: true, threads: 2, memoryLimitBytes: 512 * 1024 ** 2 });
  try {
    const connection = await database.connect();
    const check = await readTables(connection);
    connection.close();
    return check;
  } finally {
    database.close();
  }
}

function tooMany(damages: readonly string[]): readonly string[] {
  const rest = damages.length - MAX_DAMAGES;
  return rest > 0 ? [...damages.slice(0, MAX_DAMAGES), `and ${rest} more`] : damages;
}

/**
 * Checks the checksum of every block, decodes every value and counts the rows. A damaged block that holds nothing is
 * no damage: it is written anew before it is used. Changes nothing. Runs in this process, so it is for commands only.
 * Throws `EngineError` where the file cannot be opened for another reason than damage.
 */
export async function verifyStoreFile(path: string): Promise<FileCheck> {
  const blocks = await findDamagedBlocks(path);
  const places = blocks.map((at) => `${path}: the block at byte ${at} does not fit its checksum`);
  try {
    const { counts, damages } = await readAll(path);
    return { counts, damages: damages.length === 0 ? [] : tooMany([...places, ...damages]) };
  } catch (error) {
    if (blocks.length === 0) throw toEngineError(error);
    return {
      counts: new Map(),
      damages: tooMany([...places, `${path} cannot be opened: ${describeCause(error).split("\n")[0]}`]),
    };
  }
}

/** The same for the store in a folder; undefined where there is none. */
export async function verifyStore(directory: string): Promise<FileCheck | undefined> {
  const { file } = storePaths(directory);
  return existsSync(file) ? verifyStoreFile(file) : undefined;
}
