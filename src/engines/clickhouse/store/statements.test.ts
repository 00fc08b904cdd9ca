import { describe, expect, it } from "vitest";
import { STRING } from "../../../googlesql/types.ts";
import { tenantColumnOf } from "../../schema/source/source-schema.ts";
import { toNewSource } from "../../schema/source/source-state.ts";
import {
  addColumns,
  createOwnTables,
  createSourceTable,
  deleteRows,
  dropSourceTable,
  isPartitionBefore,
} from "./statements.ts";

const one = { database: "logs" };
const cluster = { database: "logs", cluster: "main" };
const source = toNewSource({
  name: "edge",
  tenantField: "project",
  knownFields: [{ path: "project", type: STRING }],
});
const { entries } = source;
const tenantColumn = tenantColumnOf(source);

describe("the table of a source", () => {
  it("on one server is sorted by tenant, time and id, has an index of ids, and is synced on insert", () => {
    expect(createSourceTable(one, "events_edge_1", entries, tenantColumn)).toEqual([
      "CREATE TABLE IF NOT EXISTS `logs`.`events_edge_1` (`id` String CODEC(ZSTD(1)), " +
        "`timestamp` Int64 CODEC(Delta, ZSTD(1)), `event_message` Nullable(String) CODEC(ZSTD(1)), " +
        "`lw_batch` UInt64 CODEC(ZSTD(1)), `c1` LowCardinality(Nullable(String)), `j2` Nullable(String) CODEC(ZSTD(1)), " +
        "INDEX lw_ids id TYPE text(tokenizer = 'array', preprocessor = reinterpretAsFixedString(cityHash64(id)), " +
        "dictionary_block_size = 32), " +
        "INDEX lw_no_id length(id) TYPE minmax GRANULARITY 1) ENGINE = MergeTree " +
        "PARTITION BY toUInt16(greatest(0, least(65535, intDiv(timestamp, 86400000000)))) " +
        "ORDER BY (`c1`, timestamp, id) SETTINGS allow_nullable_key = 1, enable_block_number_column = 1, " +
        "enable_block_offset_column = 1, " +
        "non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1",
    ]);
  });

  it("on a cluster is replicated, distributed by id, and created on every node", () => {
    const [rows = "", spread = ""] = createSourceTable(cluster, "events_edge_1", entries, tenantColumn);
    expect(rows).toContain("`logs`.`events_edge_1_rows` ON CLUSTER `main`");
    expect(rows).toContain("ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')");
    expect(spread).toContain("`logs`.`events_edge_1` ON CLUSTER `main`");
    expect(spread).toContain("ENGINE = Distributed('main', 'logs', 'events_edge_1_rows', cityHash64(id))");
  });

  it("on a cluster is altered and dropped together with its distributed table", () => {
    const column = { name: "c9", type: "Nullable(Int64)" };
    expect(addColumns(one, "t", [column])).toEqual([
      "ALTER TABLE `logs`.`t` ADD COLUMN IF NOT EXISTS `c9` Nullable(Int64)",
    ]);
    expect(addColumns(cluster, "t", [column])).toHaveLength(2);
    expect(dropSourceTable(one, "t")).toEqual(["DROP TABLE IF EXISTS `logs`.`t`"]);
    expect(dropSourceTable(cluster, "t")).toHaveLength(2);
    expect(deleteRows(cluster, "t", "7", "timestamp < 1")).toBe(
      "ALTER TABLE `logs`.`t_rows` ON CLUSTER `main` DELETE IN PARTITION ID '7' WHERE timestamp < 1",
    );
  });
});

it("createOwnTables replicates the store's own tables in full on every node of a cluster", () => {
  for (const statement of createOwnTables(cluster)) {
    expect(statement).toContain("ReplicatedMergeTree('/clickhouse/tables/{uuid}', '{shard}-{replica}')");
  }
  for (const statement of createOwnTables(one)) expect(statement).toContain("ENGINE = MergeTree");
});

it("isPartitionBefore requires that all of a day has passed, and never holds for the two open-ended partitions", () => {
  const day = 86_400_000_000n;
  expect(isPartitionBefore(10, 11n * day)).toBe(true);
  expect(isPartitionBefore(10, 11n * day - 1n)).toBe(false);
  expect(isPartitionBefore(0, 100n * day)).toBe(false);
  expect(isPartitionBefore(65_535, 10n ** 18n)).toBe(false);
});
