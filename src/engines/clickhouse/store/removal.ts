/** Events that go: those before a time, and those of a source that is dropped. */
import type { ServerClient } from "../driver/client.ts";
import {
  deleteRows,
  dropPartition,
  dropSourceTable,
  isPartitionBefore,
  rewrite,
  type TablePlace,
  tableName,
} from "./statements.ts";

/** The server asks for a file before it removes much at once, unless it is told. */
const UNASKED = { max_table_size_to_drop: "0", max_partition_size_to_drop: "0" };

/** Whole days go at once; of a day that the time is in, rows are deleted. Answers how many rows went. */
export async function deleteBefore(
  client: ServerClient,
  place: TablePlace,
  table: string,
  timestampUs: bigint,
): Promise<number> {
  const partitions = await client.rows(
    `SELECT _partition_id, countIf(timestamp < {us:Int64}) AS early FROM ${tableName(place, table)} ` +
      "WHERE timestamp < {us:Int64} GROUP BY _partition_id HAVING early > 0",
    { us: timestampUs },
  );
  let count = 0;
  let hasMore = false;
  for (const [partition, early] of partitions) {
    count += Number(early);
    if (isPartitionBefore(Number(partition), timestampUs)) {
      await client.command(dropPartition(place, table, String(partition)), UNASKED);
    } else {
      hasMore = true;
    }
  }
  if (hasMore) await rewrite(client, deleteRows(place, table, `timestamp < ${timestampUs}`));
  return count;
}

export async function dropTable(client: ServerClient, place: TablePlace, table: string): Promise<void> {
  for (const statement of dropSourceTable(place, table)) await client.command(statement, UNASKED);
}
