import { beforeAll, describe, expect, it } from "vitest";
import { useDatabase } from "../../../../../test/support/engines/duckdb/driver/test-database.ts";
import { createStoredSource, type StoredSource } from "../store/stored-source.ts";
import { beginCompaction, finishCompaction, planCompaction, writeRun } from "./compaction.ts";

describe("a compaction", () => {
  const duckdb = useDatabase();
  beforeAll(async () => {
    await duckdb.connection.all("CREATE TABLE lw_runs (source VARCHAR, run INTEGER, row_count BIGINT)");
    await duckdb.connection.all("CREATE TABLE events_1 (timestamp TIMESTAMP, c1 VARCHAR, lw_run INTEGER)");
  });

  const rules = { tenantField: "project", fields: [] };
  const entries = [{ role: "value", path: "project", type: "STRING", column: "c1" }] as const;
  const sourceOf = (some: object = {}): StoredSource =>
    createStoredSource({ name: "edge", table: "events_1", entries, tenants: [], ...some });

  /** Puts so many rows into the table, the newest first, of three tenants in turn. */
  async function insert(count: number, run: number | null): Promise<void> {
    await duckdb.connection.all(
      `INSERT INTO events_1 SELECT make_timestamp(1000000 - n), 'p' || n % 3, ${run} FROM range(${count}) AS r(n)`,
    );
    if (run !== null) await duckdb.connection.all(`INSERT INTO lw_runs VALUES ('events_1', ${run}, ${count})`);
  }

  async function fill(runs: readonly number[], tailRows: number): Promise<void> {
    for (const table of ["lw_runs", "events_1"]) await duckdb.connection.all(`TRUNCATE ${table}`);
    await duckdb.connection.all("INSERT INTO lw_runs VALUES ('events_2', 70, 5)");
    for (const [index, count] of runs.entries()) await insert(count, index + 1);
    await insert(tailRows, null);
  }

  /** Rows of each run, those of the tail last, as the table has them and as they were noted. */
  async function countRuns() {
    const rows = await duckdb.connection.all(
      "SELECT lw_run, count(*)::DOUBLE FROM events_1 GROUP BY 1 ORDER BY 1 NULLS LAST",
    );
    const noted = await duckdb.connection.all(
      "SELECT run, row_count::DOUBLE FROM lw_runs WHERE source = 'events_1' ORDER BY run",
    );
    return { rows, noted };
  }

  async function compact(source: StoredSource, maxRows: number, rowsInLog = 0, minRows = 1) {
    const plan = await planCompaction(duckdb.connection, source, { minRows, maxRows }, rowsInLog);
    if (plan === undefined) return undefined;
    await beginCompaction(duckdb.connection, plan);
    await writeRun(duckdb.connection, plan);
    await finishCompaction(duckdb.connection, plan);
    return plan.rowCount;
  }

  it.each<[string, readonly number[], number, number, readonly number[]]>([
    ["is of the tail where there is no run", [], 10, 100, [10]],
    ["takes a short last run with it", [5, 15_360], 10, 100_000, [5, 15_370]],
    ["leaves a longer one as it is", [15_361], 10, 100_000, [15_361, 10]],
    ["takes a longer one with half as many new rows", [20_000], 10_000, 100_000, [30_000]],
    ["leaves it for fewer", [20_000], 9_999, 100_000, [20_000, 9_999]],
    ["takes one up to the most rows that are sorted at once", [10], 20, 30, [30]],
    ["leaves one beyond", [11], 20, 30, [11, 20]],
  ])("%s", async (_, runs, tailRows, maxRows, expected) => {
    await fill(runs, tailRows);
    const count = expected.at(-1) ?? 0;
    expect(await compact(sourceOf(), maxRows)).toBe(count);
    const { rows, noted } = await countRuns();
    expect(noted).toEqual(rows);
    expect(rows.map(([, rowCount]) => rowCount)).toEqual(expected);
    expect(rows.at(-1)?.[0], "a run's number is not used again").toBe(runs.length + 1);
  });

  it("waits for a tail of more rows than it takes at once", async () => {
    await fill([], 99);
    expect(await compact(sourceOf(), 30, 0, 100)).toBe(undefined);
    await fill([], 101);
    expect(await compact(sourceOf(), 30, 2, 100)).toBe(undefined);
    expect(await compact(sourceOf(), 30, 1, 100)).toBe(30);
  });

  it("takes the oldest rows of a longer tail, and none that may be in the log alone", async () => {
    await fill([], 100);
    expect(await compact(sourceOf(), 30)).toBe(30);
    expect((await countRuns()).rows).toEqual([
      [1, 30],
      [null, 70],
    ]);
    expect(
      await duckdb.connection.all("SELECT epoch_us(max(timestamp))::DOUBLE FROM events_1 WHERE lw_run IS NULL"),
    ).toEqual([[1_000_000 - 30]]);
    for (const rowsInLog of [70, 71]) expect(await compact(sourceOf(), 1000, rowsInLog)).toBeUndefined();
    expect(await compact(sourceOf(), 1000, 21, 50)).toBeUndefined();
    expect(await compact(sourceOf(), 1000, 20, 50)).toBe(80);
    expect((await countRuns()).rows).toEqual([
      [2, 80],
      [null, 20],
    ]);
  });

  it.each<[string, object, (rows: readonly (readonly [string, number])[]) => unknown]>([
    [
      "tenant and time",
      { rules },
      (rows) => rows.toSorted(([a, at], [b, other]) => (a === b ? at - other : a < b ? -1 : 1)),
    ],
    ["time without tenants", {}, (rows) => rows.toSorted(([, a], [, b]) => a - b)],
    ["time without a tenant's column", { rules, entries: [] }, (rows) => rows.toSorted(([, a], [, b]) => a - b)],
  ])("sorts by %s", async (_, some, sort) => {
    await fill([20], 40);
    await compact(sourceOf(some), 1000);
    const found = await duckdb.connection.all("SELECT c1, epoch_us(timestamp)::DOUBLE FROM events_1 ORDER BY rowid");
    const rows = found.map(([tenant, us]) => [String(tenant), Number(us)] as const);
    expect(rows.filter(([tenant]) => tenant === "p1")).toHaveLength(7 + 13);
    expect(rows).toEqual(sort(rows));
  });
});
