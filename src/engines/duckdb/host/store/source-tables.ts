/** Making and widening the tables of sources, always on the writer's connection. */

import type { SchemaEntry } from "../../../schema/schema-entry.ts";
import type { NewSource, SourceRules } from "../../../schema/source/source-schema.ts";
import type { Connection } from "../../driver/connection.ts";
import { BOOLEAN, DuckDBDataChunk, type DuckDBType, INTEGER, VARCHAR } from "../../driver/driver.ts";
import type { IdIndex } from "../ids/id-index.ts";
import { MAX_CHUNK_ROWS } from "./row-chunks.ts";
import { createStoredSource, noteEntries, type StoredSource } from "./stored-source.ts";
import { type ColumnDefinition, columnOf, fixedColumns } from "./table-columns.ts";

/**
 * Makes the tables of new sources with the columns of their entries, and keeps their names and them, in one
 * transaction: a first start makes two dozen.
 */
export async function createSourceTables(
  connection: Connection,
  wanted: readonly NewSource[],
  openIds?: (table: string) => IdIndex,
): Promise<readonly StoredSource[]> {
  const last = Math.max(0, ...(await readTableNames(connection)).map(numberOf));
  const sources = wanted.map((source, index) => {
    const table = `${TABLE_PREFIX}${last + index + 1}`;
    return createStoredSource({ ...source, table, tenants: [] }, openIds?.(table));
  });
  await connection.transaction(async () => {
    for (const { table, entries } of sources) {
      const columns = [...fixedColumns, ...newColumns(entries, fixedColumns)];
      const list = columns.map((column) => `"${column.name}" ${column.type}`).join(", ");
      await connection.all(`CREATE TABLE "${table}" (${list})`);
    }
    const names = sources.map(({ name, table, rules }) => [name, table, JSON.stringify(rules)]);
    await appendRows(connection, "lw_sources", [VARCHAR, VARCHAR, VARCHAR], names);
    const fields = sources.flatMap(({ name, entries }) => entryRows(name, 0, entries));
    await appendRows(connection, "lw_fields", fieldTypes, fields);
  });
  return sources;
}

/** Tables of sources are numbered. A number is not given again, as `dropLeftTables` sees to. */
const TABLE_PREFIX = "events_";

async function readTableNames(connection: Connection): Promise<readonly string[]> {
  const rows = await connection.all("SELECT table_name FROM duckdb_tables() WHERE starts_with(table_name, $1)", [
    { value: TABLE_PREFIX },
  ]);
  return rows.map(([name]) => String(name));
}

function numberOf(table: string): number {
  return Number(table.slice(TABLE_PREFIX.length));
}

/**
 * Removes a source in one transaction. Its table stays, empty: queries may be reading it, and DuckDB would give its
 * blocks to other tables.
 */
export async function dropSourceTable(
  connection: Connection,
  { name, table }: Pick<StoredSource, "name" | "table">,
): Promise<void> {
  await connection.transaction(async () => {
    await connection.all(`DELETE FROM "${table}"`);
    await connection.all("DELETE FROM lw_runs WHERE source = $1", [{ value: table }]);
    await connection.all("DELETE FROM lw_tenants WHERE source = $1", [{ value: name }]);
    await connection.all("DELETE FROM lw_fields WHERE source = $1", [{ value: name }]);
    await connection.all("DELETE FROM lw_sources WHERE name = $1", [{ value: name }]);
  });
}

/**
 * Removes the tables that dropped sources left, while nobody reads. The one with the highest number stays, so that no
 * statement that was printed for a dropped source ever reads another's table.
 */
export async function dropLeftTables(connection: Connection): Promise<void> {
  const tables = await readTableNames(connection);
  const used = new Set((await connection.all("SELECT table_name FROM lw_sources")).map(([table]) => String(table)));
  const last = Math.max(0, ...tables.map(numberOf));
  for (const table of tables) {
    if (!used.has(table) && numberOf(table) !== last) await connection.all(`DROP TABLE "${table}"`);
  }
}

/** Entries in their stored form, the first of which is the `ordinal`th of the source. */
function entryRows(source: string, ordinal: number, entries: readonly SchemaEntry[]): readonly Row[] {
  return entries.map((entry, index) => [
    source,
    ordinal + index,
    entry.role,
    entry.path,
    "type" in entry ? entry.type : null,
    columnOf(entry)?.name ?? null,
    false,
  ]);
}

type Row = readonly (string | number | boolean | null)[];

const fieldTypes = [VARCHAR, INTEGER, VARCHAR, VARCHAR, VARCHAR, VARCHAR, BOOLEAN];

/** Binding the values of a first start's rows to an INSERT takes ten times as long. */
async function appendRows(
  connection: Connection,
  table: string,
  types: readonly DuckDBType[],
  rows: readonly Row[],
): Promise<void> {
  const chunks: DuckDBDataChunk[] = [];
  for (let from = 0; from < rows.length; from += MAX_CHUNK_ROWS) {
    const chunk = DuckDBDataChunk.create(types);
    chunk.setRows(rows.slice(from, from + MAX_CHUNK_ROWS));
    chunks.push(chunk);
  }
  await connection.append(table, chunks);
}

/** Columns of entries that are not among those that are known; fields that differ by case share one. */
function newColumns(entries: readonly SchemaEntry[], known: readonly { readonly name: string }[]): ColumnDefinition[] {
  const names = new Set(known.map(({ name }) => name));
  const columns: ColumnDefinition[] = [];
  for (const column of entries.map(columnOf)) {
    if (column === undefined || names.has(column.name)) continue;
    names.add(column.name);
    columns.push(column);
  }
  return columns;
}

/** Keeps the entries and adds their columns in one transaction. */
export async function addSourceEntries(
  connection: Connection,
  source: StoredSource,
  entries: readonly SchemaEntry[],
): Promise<void> {
  await connection.transaction(async () => {
    for (const column of newColumns(entries, source.columns)) {
      await connection.all(`ALTER TABLE "${source.table}" ADD COLUMN "${column.name}" ${column.type}`);
    }
    const fields = entryRows(source.name, source.entries.length, entries);
    await appendRows(connection, "lw_fields", fieldTypes, fields);
  });
  noteEntries(source, entries);
}

/** Keeps the rules, once the rows are as they say. */
export async function keepRules(connection: Connection, source: string, rules: SourceRules): Promise<void> {
  await connection.all("UPDATE lw_sources SET rules = $2 WHERE name = $1", [
    { value: source },
    { value: JSON.stringify(rules) },
  ]);
}
