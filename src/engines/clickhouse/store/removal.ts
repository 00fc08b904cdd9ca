/** Events that go: those of a filter, and those of a source that is dropped. */
import type { Deletion, EventFilter } from "../../contract/query-engine.ts";
import type { ServerClient, ServerSettings } from "../driver/client.ts";
import { quoteName, quoteText } from "../driver/quote.ts";
import {
  deleteRows,
  dropPartition,
  dropSourceTable,
  isPartitionBefore,
  rewrite,
  type TablePlace,
  tableName,
} from "./statements.ts";
import type { AppendTable } from "./stored-ids.ts";

/** The server asks for a file before it removes much at once, unless a setting allows it. */
const UNASKED = { max_table_size_to_drop: "0", max_partition_size_to_drop: "0" };

function tenantCondition(tenantColumn: string | undefined, tenants: EventFilter["tenants"]): string | undefined {
  if (tenants === undefined) return undefined;
  const isOther = "exceptOf" in tenants;
  const names = (isOther ? tenants.exceptOf : tenants.of).map(quoteText);
  if (tenantColumn === undefined || names.length === 0) return isOther ? undefined : "0";
  const column = quoteName(tenantColumn);
  return isOther
    ? `(${column} IS NULL OR ${column} NOT IN (${names.join(", ")}))`
    : `${column} IN (${names.join(", ")})`;
}

/** A mutation takes no parameters, so values are literals. */
function conditionOf(tenantColumn: string | undefined, { id, tenants, fromUs, toUs }: EventFilter): string {
  const conditions = [
    tenantCondition(tenantColumn, tenants),
    fromUs === undefined ? undefined : `timestamp >= ${fromUs}`,
    toUs === undefined ? undefined : `timestamp < ${toUs}`,
    id === undefined ? undefined : `id = ${quoteText(id)}`,
  ].filter((each) => each !== undefined);
  return conditions.length === 0 ? "1" : conditions.join(" AND ");
}

/** The names of many tenants are longer than the texts that a server takes unless a setting allows it. */
function settingsFor(condition: string): ServerSettings {
  return { max_query_size: String(1_000_000 + 4 * condition.length) };
}

/** Events of the filter by partition, the oldest first. */
async function countByPartition(
  client: ServerClient,
  { place, table }: AppendTable,
  condition: string,
): Promise<readonly (readonly [partition: string, count: number])[]> {
  const sql =
    `SELECT _partition_id, count() AS found FROM ${tableName(place, table)} WHERE ${condition} ` +
    "GROUP BY _partition_id ORDER BY toUInt16(_partition_id)";
  const rows = await client.rows(sql, {}, settingsFor(condition));
  return rows.map(([partition, count]) => [String(partition), Number(count)]);
}

function sumOf(counts: readonly (readonly [string, number])[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

export async function countEvents(client: ServerClient, table: AppendTable, filter: EventFilter): Promise<number> {
  return sumOf(await countByPartition(client, table, conditionOf(table.tenantColumn, filter)));
}

/**
 * Day by day, the oldest first. A day goes at once where all of its events are before the time; of others, the parts
 * that hold such events are written anew.
 */
export async function deleteEvents(client: ServerClient, target: AppendTable, filter: EventFilter): Promise<Deletion> {
  const { place, table, tenantColumn } = target;
  const { toUs, ...others } = filter;
  const condition = conditionOf(tenantColumn, filter);
  const isByAge = Object.keys(others).length === 0;
  const partitions = await countByPartition(client, target, condition);
  for (const [partition] of partitions) {
    if (isByAge && toUs !== undefined && isPartitionBefore(Number(partition), toUs)) {
      await client.command(dropPartition(place, table, partition), UNASKED);
    } else {
      await rewrite(client, deleteRows(place, table, partition, condition), settingsFor(condition));
    }
  }
  const count = sumOf(partitions);
  return { matched: count, deleted: count };
}

export async function dropTable(client: ServerClient, place: TablePlace, table: string): Promise<void> {
  for (const statement of dropSourceTable(place, table)) await client.command(statement, UNASKED);
}
