import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SchemaEntry } from "../../../schema/schema-entry.ts";
import type { NewSource, SourceRules } from "../../../schema/source/source-schema.ts";
import type { Connection, Database } from "../../driver/connection.ts";
import { addSourceEntries, createSourceTables, dropLeftTables, dropSourceTable, keepRules } from "./source-tables.ts";
import { openStoreFile, readSources } from "./store-file.ts";
import { createStoredSource } from "./stored-source.ts";
import { keepTenants } from "./tenant-entries.ts";

const rules: SourceRules = { tenantField: null, fields: [["level", "STRING"]] };
const entries: readonly SchemaEntry[] = [
  { role: "json", path: "", column: "j0" },
  { role: "value", path: "level", type: "STRING", column: "c1" },
  { role: "value", path: "LEVEL", type: "STRING", column: "c1" },
  { role: "record", path: "m", column: "c2" },
  { role: "value", path: "m.n", type: "INT64[]", column: "c3" },
  { role: "value", path: "m.wide", type: "WIDE", column: null },
];

describe("the tables of sources", () => {
  let database: Database;
  let connection: Connection;
  beforeEach(async () => {
    const compaction = { minRows: 10, maxRows: 100 };
    const options = { threads: 1, memoryLimitBytes: 64 * 1024 ** 2, checkpointBytes: 1024 ** 2, compaction };
    ({ database } = await openStoreFile(options));
    connection = await database.connect();
  });
  afterEach(() => {
    connection.close();
    database.close();
  });

  const create = (...names: string[]) =>
    createSourceTables(
      connection,
      names.map((name): NewSource => ({ name, entries, rules })),
    );
  const tables = async () =>
    (
      await connection.all(
        "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'events%' ORDER BY length(table_name), table_name",
      )
    ).map(([name]) => name);
  const columnsOf = (table: string) =>
    connection.all("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = $1 ORDER BY column_index", [
      { value: table },
    ]);
  const fixed = [
    ["id", "VARCHAR"],
    ["timestamp", "TIMESTAMP"],
    ["event_message", "VARCHAR"],
    ["lw_run", "INTEGER"],
  ];

  it("keep every entry in its order, however many there are", async () => {
    const many = Array.from({ length: 5_000 }, (_, index): SchemaEntry => {
      return { role: "value", path: `m.f${index}`, type: "STRING", column: null };
    });
    const [source] = await createSourceTables(connection, [{ name: "edge", entries: many, rules }]);
    if (source === undefined) throw new TypeError("no source");
    await addSourceEntries(connection, source, entries);
    await addSourceEntries(connection, source, []);
    expect(await readSources(connection)).toMatchObject([{ name: "edge", entries: [...many, ...entries] }]);
  });

  it("have the columns of their entries, of which those that differ by case share one, and are known by name", async () => {
    const made = await create("edge", "other");
    expect(made.map(({ name, table }) => [name, table])).toEqual([
      ["edge", "events_1"],
      ["other", "events_2"],
    ]);
    const added = [
      ["j0", "VARCHAR"],
      ["c1", "VARCHAR"],
      ["c2", "BOOLEAN"],
      ["c3", "BIGINT[]"],
    ];
    for (const { table, columns } of made) {
      expect(await columnsOf(table)).toEqual([...fixed, ...added]);
      expect(columns.map(({ name }) => name)).toEqual([...fixed, ...added].map(([name]) => name));
    }
    expect(await readSources(connection)).toEqual(
      made.map(({ name, table }) => ({ name, table, entries, tenants: [], rules })),
    );
  });

  it("get the columns of new entries, which are kept behind those that were there", async () => {
    const [edge = expect.unreachable()] = await create("edge");
    const fresh: readonly SchemaEntry[] = [
      { role: "value", path: "Level", type: "STRING", column: "c1" },
      { role: "value", path: "level", type: "FLOAT64", column: "c4" },
    ];
    await addSourceEntries(connection, edge, fresh);
    await addSourceEntries(connection, edge, []);
    expect((await columnsOf("events_1")).at(-1)).toEqual(["c4", "DOUBLE"]);
    expect(await columnsOf("events_1")).toHaveLength(9);
    expect(edge.columns).toHaveLength(9);
    expect(edge.entries).toEqual([...entries, ...fresh]);
    expect((await readSources(connection))[0]?.entries).toEqual(edge.entries);
  });

  it("are unchanged where one of several cannot be made", async () => {
    await connection.all('CREATE TABLE "events_3" (n INTEGER)');
    await connection.all("CREATE VIEW events_5 AS SELECT 1");
    await expect(create("edge", "other")).rejects.toThrow("events_5");
    expect(await tables()).toEqual(["events_3"]);
    expect(await readSources(connection)).toEqual([]);
  });

  it("are emptied where a source is dropped, and nothing of it is kept", async () => {
    const [edge = expect.unreachable(), other] = await create("edge", "other");
    for (const { name, table } of [edge, other ?? edge]) {
      await connection.all(`INSERT INTO "${table}" (id) VALUES ('a')`);
      await connection.all(`INSERT INTO lw_runs VALUES ('${table}', 1, 1)`);
      await keepTenants(connection, name, [["t", "0"]]);
    }
    await dropSourceTable(connection, edge);
    expect((await readSources(connection)).map(({ name, tenants }) => [name, tenants])).toEqual([
      ["other", [["t", "0"]]],
    ]);
    for (const [table, column, kept] of [
      ["lw_fields", "source", "other"],
      ["lw_tenants", "source", "other"],
      ["lw_runs", "source", "events_2"],
    ]) {
      expect(await connection.all(`SELECT DISTINCT ${column} FROM ${table}`)).toEqual([[kept]]);
    }
    expect(await connection.all('SELECT count(*)::DOUBLE FROM "events_1"')).toEqual([[0]]);
    expect(await connection.all('SELECT count(*)::DOUBLE FROM "events_2"')).toEqual([[1]]);
  });

  it("are removed behind it but for the last, so that no number is given twice", async () => {
    const made = await create(...Array.from({ length: 10 }, (_, n) => `source ${n}`));
    for (const index of [1, 9]) await dropSourceTable(connection, made[index] ?? expect.unreachable());
    await dropLeftTables(connection);
    expect(await tables()).toEqual(["1", "3", "4", "5", "6", "7", "8", "9", "10"].map((n) => `events_${n}`));
    const [next] = await create("next");
    expect(next?.table).toBe("events_11");
    await dropLeftTables(connection);
    expect(await tables()).toEqual(["1", "3", "4", "5", "6", "7", "8", "9", "11"].map((n) => `events_${n}`));
  });

  it("have the rules that they were told last", async () => {
    await create("edge", "other");
    const later: SourceRules = { tenantField: "level", fields: [] };
    await keepRules(connection, "edge", later);
    expect((await readSources(connection)).map((schema) => createStoredSource(schema).rules)).toEqual([later, rules]);
  });
});
