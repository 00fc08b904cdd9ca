/** The users of docs/clickhouse.md, created as the page describes: what they can do, and what they cannot. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer, realServerUrl, type ServerProcess } from "../../../test/clickhouse/start.ts";
import { Bench, eventOf } from "../../../test/engine-conformance/bench.ts";
import { INT64 } from "../../googlesql/types.ts";
import { createResidualEngine } from "../duckdb/index.ts";
import { checkServer } from "./check-server.ts";
import { openServerClient, type ServerClient } from "./driver/client.ts";
import { openClickHouseEngine } from "./index.ts";
import { migrate, planMigration } from "./migrate.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-clickhouse-"));
/** The page's statements, with unique names. */
const database = `logweir${process.pid}`;
const [writerName, readerName] = [`${database}_writer`, `${database}_reader`];
const page = readFileSync("docs/clickhouse.md", "utf8").replace(/\blogweir(?=_writer|_reader|;|\.)/g, database);
const statements = (/```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? "")
  .split(";")
  .map((statement) => statement.trim())
  .filter((statement) => statement !== "");
const passwordOf = (user: string) => new RegExp(`CREATE USER ${user} IDENTIFIED BY '([^']*)'`).exec(page)?.[1] ?? "";

/** Statements that read other data or change data. */
const forbiddenOn = (table: string): readonly string[] => [
  ...["other", "logweir_schema", "logweir_tenants"].map((other) => `SELECT * FROM ${database}.${other}`),
  ...["users", "grants", "query_log", "roles", "row_policies", "quotas"].map((name) => `SELECT * FROM system.${name}`),
  ...[
    "url('http://127.0.0.1:1/', 'CSV', 'n Int64')",
    "file('/etc/passwd', 'LineAsString')",
    "remote('127.0.0.1:9000', 'system.one')",
    "remoteSecure('127.0.0.1:9440', 'system.one')",
    "s3('http://127.0.0.1:1/b/k', 'CSV', 'n Int64')",
    "hdfs('hdfs://127.0.0.1:1/x', 'CSV', 'n Int64')",
    "executable('id', 'TSV', 'n String')",
    "postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')",
    "mysql('127.0.0.1:1', 'd', 't', 'u', 'p')",
    "mongodb('127.0.0.1:1', 'd', 'c', 'u', 'p', 'n Int64')",
    "redis('127.0.0.1:1', 'k', 'k String')",
    "sqlite('/tmp/x.db', 't')",
    "jdbc('x', 't')",
    "dictionary('d')",
    `merge('${database}', 'other|logweir_.*')`,
    `mergeTreeIndex(${database}, logweir_schema)`,
  ].map((call) => `SELECT * FROM ${call}`),
  "DESCRIBE TABLE file('/etc/passwd')",
  ...[`TABLE ${database}.events_mine (n Int64) ENGINE = Memory`, "TEMPORARY TABLE mine (n Int64)", "DATABASE mine"].map(
    (what) => `CREATE ${what}`,
  ),
  `CREATE VIEW ${database}.events_view AS SELECT * FROM ${database}.other`,
  "CREATE FUNCTION mine AS (x) -> x",
  "CREATE NAMED COLLECTION mine AS a = 1",
  `CREATE DICTIONARY ${database}.events_d (n Int64) PRIMARY KEY n SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)`,
  ...["USER other", "ROLE other", `ROW POLICY p ON ${database}.other USING 1`].map((what) => `CREATE ${what}`),
  `GRANT ALL ON *.* TO ${readerName}`,
  `INSERT INTO ${table} (id) VALUES ('x')`,
  "INSERT INTO FUNCTION url('http://127.0.0.1:1/', 'CSV', 'n Int64') SELECT 1",
  `DROP TABLE ${table}`,
  `RENAME TABLE ${table} TO ${database}.events_other`,
  `ALTER TABLE ${table} DELETE WHERE 1`,
  `DELETE FROM ${table} WHERE 1`,
  `TRUNCATE TABLE ${table}`,
  `OPTIMIZE TABLE ${table}`,
  `DETACH TABLE ${table}`,
  ...["SHUTDOWN", "FLUSH LOGS", "DROP MARK CACHE", `STOP MERGES ${table}`].map((what) => `SYSTEM ${what}`),
  `BACKUP DATABASE ${database} TO File('/tmp/x')`,
];

let server: ServerProcess;
let bench: Bench;
let reader: ServerClient;

const access = () => ({
  ...{ urls: [server.url], user: writerName, password: passwordOf(writerName), database },
  reader: { user: readerName, password: passwordOf(readerName) },
});

async function asAdmin(list: readonly string[]): Promise<void> {
  const admin = openServerClient({ urls: [server.url], user: "default", password: "" });
  for (const statement of list) await admin.command(statement);
  await admin.close();
}

beforeAll(async () => {
  // The library reads its users when it starts.
  server = await openServer({ folder, users: statements.filter((each) => /^(?:CREATE USER|GRANT)/.test(each)) });
  await asAdmin(
    realServerUrl === undefined ? statements.filter((each) => each.startsWith("CREATE DATABASE")) : statements,
  );
  await asAdmin([`CREATE TABLE ${database}.other (n Int64) ENGINE = MergeTree ORDER BY n`]);
  await migrate(access());
  const open = () => openClickHouseEngine({ ...access(), residual: createResidualEngine({ threads: 1 }) });
  bench = await Bench.open(open);
  reader = openServerClient({ ...access(), ...access().reader });
}, 300_000);
afterAll(async () => {
  await bench.close();
  await reader.close();
  // `default` may create users there; everything created is dropped again.
  if (realServerUrl !== undefined) {
    await asAdmin([`DROP DATABASE ${database}`, ...[writerName, readerName].map((name) => `DROP USER ${name}`)]);
  }
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe("the documented users", () => {
  it("have all the grants that the engine needs, and no others", async () => {
    expect(await planMigration(access())).toEqual([]);
    expect((await checkServer(access())).findings).toEqual([]);
    const source = await bench.makeSource();
    await bench.append(source, [eventOf("a", { x: 1 }, 1n), eventOf("b", { y: "z" }, 5n)]);
    expect(await bench.ask(`SELECT id, x, y FROM ${source} ORDER BY id`)).toEqual([
      { id: "a", x: 1, y: null },
      { id: "b", x: null, y: "z" },
    ]);
    const { store } = bench.engine;
    await store.ensureSource({ name: source, knownFields: [{ path: "y", type: INT64 }] });
    expect(await store.deleteEvents(source, { toUs: 3n })).toEqual({ matched: 1, deleted: 1 });
    const signal = new AbortController().signal;
    expect((await store.inspect?.(signal))?.sources.map(({ rowCount }) => rowCount)).toEqual([1]);
    await store.dropSource(source);
  });

  it("confine every query to the sources' tables", async () => {
    const source = await bench.makeSource();
    const definition = bench.engine.store.describe(source);
    expect(definition).toBeDefined();
    const [[table] = []] = await reader.rows("SELECT name FROM system.tables WHERE database = currentDatabase()");
    expect(String(table)).toMatch(/^events_/);
    expect(await reader.rows(`SELECT count() FROM ${database}.${String(table)}`)).toEqual([["0"]]);
    const attempts = forbiddenOn(`${database}.${String(table)}`);
    const outcomes = await Promise.all(
      attempts.map((attempt) =>
        reader.command(attempt).then(
          () => attempt,
          () => undefined,
        ),
      ),
    );
    expect(outcomes.filter((attempt) => attempt !== undefined)).toEqual([]);
    expect(await bench.ask(`SELECT COUNT(*) AS n FROM ${source}`)).toEqual([{ n: 0 }]);
  });

  it("let a query neither change nor lift its own limits", async () => {
    const settings = { readonly: "2" };
    await reader.command("SELECT 1 SETTINGS max_threads = 7", settings);
    for (const lifted of ["SELECT 1 SETTINGS readonly = 0", "SET readonly = 0"]) {
      await expect(reader.command(lifted, settings)).rejects.toMatchObject({ code: "refused" });
    }
  });

  it("are reported when a grant is missing or excessive", async () => {
    const swapped = { ...access(), ...access().reader, reader: { user: access().user, password: access().password } };
    const { findings } = await checkServer(swapped);
    expect(findings.map(({ code }) => code)).toEqual([
      "missing_table",
      "missing_table",
      "missing_grant",
      "excessive_grant",
    ]);
    expect(findings[2]?.message).toContain("INSERT, CREATE TABLE");
  });

  // The library has a single user and no access control: its system tables are readable, but list no other users.
  if (realServerUrl !== undefined) {
    it("hide other users' queries and the logs from the reader, on a real server", async () => {
      for (const table of ["processes", "parts", "query_log", "users", "settings_profiles", "clusters"]) {
        await expect(reader.rows(`SELECT * FROM system.${table} LIMIT 1`)).rejects.toMatchObject({ code: "refused" });
      }
    });
  }
});
