/** Statements that make and change the engine's tables. What a name is quoted by is here alone. */

import { groupBy } from "../../../shared/group-by.ts";
import type { SchemaEntry } from "../../schema/schema-entry.ts";
import { BATCH_COLUMN } from "../blocks/native-rows.ts";
import type { ServerClient, ServerSettings } from "../driver/client.ts";
import { quoteName, quoteText } from "../driver/quote.ts";
import { columnOf, fixedColumns, type ServerColumn } from "../layout.ts";
import type { FilledColumn } from "./declared-columns.ts";

/** Where the tables are. */
export interface TablePlace {
  readonly database: string;
  /** Tables are replicated and sharded over this cluster of the server's configuration; undefined for one server. */
  readonly cluster?: string | undefined;
}

/** The store's own tables. */
export const SCHEMA_TABLE = "logweir_schema";
export const TENANTS_TABLE = "logweir_tenants";

/** Blocks by which a server knows an insert again that it has had already. */
const KNOWN_BLOCKS = 1000;

function onCluster({ cluster }: TablePlace): string {
  return cluster === undefined ? "" : ` ON CLUSTER ${quoteName(cluster)}`;
}

/** The table that holds rows: behind the one that is asked, where there is a cluster. */
export function rowsTableName({ cluster }: TablePlace, table: string): string {
  return cluster === undefined ? table : `${table}_rows`;
}

function rowsTable(place: TablePlace, table: string): string {
  return `${quoteName(place.database)}.${quoteName(rowsTableName(place, table))}`;
}

/** The table as queries and inserts name it. */
export function tableName(place: TablePlace, table: string): string {
  return `${quoteName(place.database)}.${quoteName(table)}`;
}

/** Replicas of one shard share a path; the store's own tables have one copy on every node. */
function engineOf({ cluster }: TablePlace, scope: "shard" | "everywhere"): string {
  if (cluster === undefined) return "MergeTree";
  return scope === "shard"
    ? "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')"
    : "ReplicatedMergeTree('/clickhouse/tables/{uuid}', '{shard}-{replica}')";
}

/** Acknowledged means on disk, for a single server; replicas have each other. */
function keptSettings({ cluster }: TablePlace): readonly string[] {
  return cluster === undefined
    ? [`non_replicated_deduplication_window = ${KNOWN_BLOCKS}`, "fsync_after_insert = 1", "fsync_part_directory = 1"]
    : [`replicated_deduplication_window = ${KNOWN_BLOCKS}`];
}

export function createDatabase(place: TablePlace): string {
  return `CREATE DATABASE IF NOT EXISTS ${quoteName(place.database)}${onCluster(place)}`;
}

/**
 * The store's own tables: what was decided of schemas, in the order in which the server took it, which the number of a
 * row's block shows for good; and which tenants carried what.
 */
export function createOwnTables(place: TablePlace): readonly string[] {
  const make = (table: string, columns: string, order: string) =>
    `CREATE TABLE IF NOT EXISTS ${tableName(place, table)}${onCluster(place)} (${columns}) ` +
    `ENGINE = ${engineOf(place, "everywhere")} ORDER BY ${order} ` +
    `SETTINGS ${["enable_block_number_column = 1", "enable_block_offset_column = 1", ...keptSettings(place)].join(", ")}`;
  return [
    make(SCHEMA_TABLE, "source String, id String, decision String", "(source, id)"),
    make(TENANTS_TABLE, "`table` String, tenant Nullable(String), entries String", "`table`"),
  ];
}

function columnSql({ name, type, codec }: ServerColumn): string {
  return `${quoteName(name)} ${type}${codec === undefined ? "" : ` CODEC(${codec})`}`;
}

/** The columns of the entries, each once: fields that differ by case share theirs. */
export function columnsOf(entries: readonly SchemaEntry[], tenantColumn: string | undefined): readonly ServerColumn[] {
  const columns = new Map<string, ServerColumn>();
  for (const entry of entries) {
    const column = columnOf(entry);
    if (column === undefined || columns.has(column.name)) continue;
    const type = column.name === tenantColumn ? "LowCardinality(Nullable(String))" : column.type;
    columns.set(column.name, { ...column, type });
  }
  return [...columns.values()];
}

/** A table of a terabyte is rewritten in some tens of minutes. */
const REWRITE_TIMEOUT_MS = 3_600_000;

const DAY_US = 86_400_000_000;

/** The partition of a time: its day since 1970, the first and the last for what is beyond. */
const PARTITION = `toUInt16(greatest(0, least(65535, intDiv(timestamp, ${DAY_US}))))`;

/** Which partitions hold nothing but earlier events. */
export function isPartitionBefore(partition: number, timestampUs: bigint): boolean {
  return partition > 0 && partition < 65_535 && BigInt(partition + 1) * BigInt(DAY_US) <= timestampUs;
}

/**
 * How the index knows an id: by eight bytes of a hash, which take a third of an id's space and half of its time. The
 * server compares the ids themselves of the rows that it finds. Only `=` and `IN` use an index of whole values, so that
 * no other condition takes the hashes for texts.
 */
export const ID_TERM = "preprocessor = reinterpretAsFixedString(cityHash64(id)), dictionary_block_size = 32";

/**
 * By the first index a part is asked for any id without its rows being read, and by the second for the empty one, for
 * which the server asks no text index. A look-up reads one block of the first one's dictionary; the block's first entry
 * is in memory.
 */
const ID_INDEXES =
  `INDEX lw_ids id TYPE text(tokenizer = 'array', ${ID_TERM}), ` +
  "INDEX lw_no_id length(id) TYPE minmax GRANULARITY 1";

/** A source's table, sorted as queries ask for it. */
export function createSourceTable(
  place: TablePlace,
  table: string,
  entries: readonly SchemaEntry[],
  tenantColumn: string | undefined,
): readonly string[] {
  const tenant = tenantColumn === undefined ? [] : [quoteName(tenantColumn)];
  const batch: ServerColumn = { name: BATCH_COLUMN, type: "UInt64", codec: "ZSTD(1)" };
  const columns = [...fixedColumns, batch, ...columnsOf(entries, tenantColumn)].map(columnSql);
  const settings = [
    ...["allow_nullable_key = 1", "enable_block_number_column = 1", "enable_block_offset_column = 1"],
    ...keptSettings(place),
  ];
  const list = columns.join(", ");
  const rows =
    `CREATE TABLE IF NOT EXISTS ${rowsTable(place, table)}${onCluster(place)} (${list}, ${ID_INDEXES}) ` +
    `ENGINE = ${engineOf(place, "shard")} PARTITION BY ${PARTITION} ` +
    `ORDER BY (${[...tenant, "timestamp", "id"].join(", ")}) SETTINGS ${settings.join(", ")}`;
  if (place.cluster === undefined) return [rows];
  // An id is always on the same shard.
  const arguments_ = [place.cluster, place.database, `${table}_rows`].map(quoteText).join(", ");
  const spread =
    `CREATE TABLE IF NOT EXISTS ${tableName(place, table)}${onCluster(place)} (${list}) ` +
    `ENGINE = Distributed(${arguments_}, cityHash64(id))`;
  return [rows, spread];
}

export function addColumns(place: TablePlace, table: string, columns: readonly ServerColumn[]): readonly string[] {
  const added = columns.map((column) => `ADD COLUMN IF NOT EXISTS ${columnSql(column)}`).join(", ");
  const alter = (name: string) => `ALTER TABLE ${name}${onCluster(place)} ${added}`;
  const rows = alter(rowsTable(place, table));
  return place.cluster === undefined ? [rows] : [rows, alter(tableName(place, table))];
}

export function dropSourceTable(place: TablePlace, table: string): readonly string[] {
  const names = new Set([tableName(place, table), rowsTable(place, table)]);
  return [...names].map((name) => `DROP TABLE IF EXISTS ${name}${onCluster(place)}`);
}

function alterRows(place: TablePlace, table: string, command: string): string {
  return `ALTER TABLE ${rowsTable(place, table)}${onCluster(place)} ${command}`;
}

export function dropPartition(place: TablePlace, table: string, partition: string): string {
  return alterRows(place, table, `DROP PARTITION ID ${quoteText(partition)}`);
}

function deleteIn(partition: string, condition: string): string {
  return `DELETE IN PARTITION ID ${quoteText(partition)} WHERE ${condition}`;
}

/**
 * Rewrites the parts that hold such rows. DELETE FROM would only note them: projections do not know of the note, and
 * answer for rows that are gone.
 */
export function deleteRows(place: TablePlace, table: string, partition: string, condition: string): string {
  return alterRows(place, table, deleteIn(partition, condition));
}

/** A row whose id the table holds already. */
export interface SurplusRow {
  readonly partition: string;
  readonly timestamp: bigint;
  readonly tenant: string | null;
  readonly id: string;
  readonly batch: string;
}

/** Rows that one statement removes. */
const MAX_SURPLUS_ROWS = 500;

/**
 * Removes the rows. Each condition names the partition and, by the table's key, the few granules that hold the rows:
 * what a mutation costs does not grow with the table.
 */
export function deleteSurplus(
  place: TablePlace,
  table: string,
  tenantColumn: string | undefined,
  rows: readonly SurplusRow[],
): readonly string[] {
  const statements: string[] = [];
  for (let from = 0; from < rows.length; from += MAX_SURPLUS_ROWS) {
    const byPartition = groupBy(rows.slice(from, from + MAX_SURPLUS_ROWS), ({ partition }) => partition);
    const commands = [...byPartition].map(([partition, some]) => {
      return deleteIn(partition, surplusCondition(tenantColumn, some));
    });
    statements.push(alterRows(place, table, commands.join(", ")));
  }
  return statements;
}

function surplusCondition(tenantColumn: string | undefined, rows: readonly SurplusRow[]): string {
  const listOf = (values: readonly string[]) => [...new Set(values)].join(", ");
  const times = rows.map(({ timestamp }) => timestamp).sort((a, b) => (a < b ? -1 : 1));
  const tenant = tenantColumn === undefined ? "NULL" : quoteName(tenantColumn);
  const named = rows.flatMap((row) => (row.tenant === null ? [] : [quoteText(row.tenant)]));
  const hasNone = named.length < rows.length;
  const tenants = [
    ...(named.length === 0 ? [] : [`${tenant} IN (${listOf(named)})`]),
    ...(hasNone ? [`${tenant} IS NULL`] : []),
  ];
  const keys = rows.map(({ batch, id, tenant: owner }) => {
    return `(${batch}, ${quoteText(id)}, ${owner === null ? "[]" : `[${quoteText(owner)}]`})`;
  });
  const key = tenantColumn === undefined ? "[]" : `if(isNull(${tenant}), [], [assumeNotNull(${tenant})])`;
  return [
    ...(tenantColumn === undefined ? [] : [`(${tenants.join(" OR ")})`]),
    `timestamp >= ${times[0]} AND timestamp <= ${times.at(-1)}`,
    `id IN (${listOf(rows.map(({ id }) => quoteText(id)))})`,
    `(${BATCH_COLUMN}, id, ${key}) IN (${listOf(keys)})`,
  ].join(" AND ");
}

/** Puts the value into the column where it is NULL and the value is not. */
export function fillColumn(place: TablePlace, table: string, { column, value }: FilledColumn): string {
  const target = quoteName(column);
  const missing = `${target} IS NULL AND (${value}) IS NOT NULL`;
  return alterRows(place, table, `UPDATE ${target} = ${value} WHERE ${missing}`);
}

/** Rewrites parts of a table, and answers when it is done, on every replica. */
export async function rewrite(
  client: Pick<ServerClient, "command">,
  statement: string,
  settings: ServerSettings = {},
): Promise<void> {
  await client.command(statement, { mutations_sync: "2", ...settings }, REWRITE_TIMEOUT_MS);
}
