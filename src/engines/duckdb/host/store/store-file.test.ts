import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../driver/connection.ts";
import { explainOpenError, openStoreFile, readSources } from "./store-file.ts";
import { storePaths } from "./store-paths.ts";

const options = {
  threads: 1,
  memoryLimitBytes: 64 * 1024 ** 2,
  checkpointBytes: 1024 ** 2,
  compaction: { minRows: 10, maxRows: 100 },
};

describe("the store's file", () => {
  const root = mkdtempSync(join(tmpdir(), "logweir-store-file-"));
  let count = 0;
  let directory = "";
  beforeEach(() => {
    directory = join(root, `${count++}`, "store");
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const open = () => openStoreFile({ ...options, directory });

  /** Runs statements in the store's file, which may not be one yet. */
  async function change(...statements: string[]): Promise<void> {
    mkdirSync(directory, { recursive: true });
    const database = await openDatabase({ ...options, path: storePaths(directory).file });
    const connection = await database.connect();
    for (const statement of statements) await connection.all(statement);
    connection.close();
    database.close();
  }

  it("is made where it is missing, over what a start that failed has left, and is found again", async () => {
    mkdirSync(join(directory, "spill"), { recursive: true });
    for (const name of ["events.duckdb.new", "events.duckdb.new.wal"]) writeFileSync(join(directory, name), "half");
    for (const _ of ["made", "found"]) {
      const { database, position } = await open();
      const connection = await database.connect();
      expect(await readSources(connection)).toEqual([]);
      expect(await connection.all("SELECT format FROM lw_store")).toEqual([[2]]);
      connection.close();
      database.close();
      position?.close();
      const [file = "", ...others] = readdirSync(directory);
      expect(file).toBe("events.duckdb");
      expect(others.filter((name) => name.startsWith("events"))).toEqual([]);
    }
  });

  it("tells what it holds of its sources, their fields in their order", async () => {
    (await open()).database.close();
    await change(
      "INSERT INTO lw_sources VALUES ('b', 'events_1', NULL), ('a', 'events_2', '{\"tenantField\":\"t\"}')",
      "INSERT INTO lw_fields VALUES ('a', 1, 'value', 't', 'STRING', 'c1', false), ('a', 0, 'record', 'm', NULL, 'c0', true)",
      "INSERT INTO lw_fields VALUES ('a', 2, 'json', '', NULL, NULL, false), ('gone', 0, 'json', '', NULL, NULL, false)",
      "INSERT INTO lw_tenants VALUES ('a', 'x', '0-1'), ('a', NULL, '2'), ('a', 'x', '3')",
    );
    const { database } = await open();
    const connection = await database.connect();
    const [b, a, ...others] = await readSources(connection);
    expect(b).toEqual({ name: "b", table: "events_1", entries: [], tenants: [] });
    expect(a).toEqual({
      name: "a",
      table: "events_2",
      entries: [
        { role: "record", path: "m", column: "c0", isStale: true },
        { role: "value", path: "t", type: "STRING", column: "c1" },
        { role: "json", path: "", column: null },
      ],
      tenants: [
        ["x", "0-1,3"],
        [null, "2"],
      ],
      rules: { tenantField: "t" },
    });
    expect(others).toEqual([]);
    connection.close();
    database.close();
  });

  it("is said to be missing where its other files are there", async () => {
    const { database, position } = await open();
    database.close();
    position?.close();
    rmSync(join(directory, "events.duckdb"));
    await expect(open()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/events\.duckdb is missing, though .* `logweir restore`/),
    });
  });

  it("is not made in a folder with other files, of which it names three", async () => {
    mkdirSync(directory, { recursive: true });
    for (const name of ["a", "b", "c", "d", "events.duckdb.new"]) writeFileSync(join(directory, name), name);
    await expect(open()).rejects.toMatchObject({
      code: "unavailable",
      message: `${directory} holds no store but other files (a, b, c); nothing was changed. Choose an empty folder`,
    });
    expect(readdirSync(directory)).toEqual(["a", "b", "c", "d", "events.duckdb.new"]);
  });

  it.each([
    ["another database", ["CREATE TABLE other (x INTEGER)"], "is a database, but not a store of this service"],
    [
      "a later format",
      ["CREATE TABLE lw_store (format INTEGER)", "INSERT INTO lw_store VALUES (3)"],
      "has format 3; this version reads format 2. Use the version of Logweir that wrote it",
    ],
  ])("is not opened where it is %s", async (_, statements, problem) => {
    await change(...statements);
    const { file } = storePaths(directory);
    const message = `${file} ${problem}; nothing was changed`;
    await expect(open()).rejects.toMatchObject({ code: "unavailable", message });
    await change("SELECT 1");
  });

  it("is left as it is where it is damaged", async () => {
    mkdirSync(directory, { recursive: true });
    const { file } = storePaths(directory);
    writeFileSync(file, Buffer.alloc(20_000, 7));
    const advice =
      `${file} is damaged or is no store of this service; nothing was changed. Choose another data directory, and ` +
      "bring a backup back with `logweir restore`. ";
    await expect(open()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^[^\n]+$/) as string,
      cause: { message: expect.any(String) as string },
    });
    await expect(open()).rejects.toThrow(advice);
    expect(readFileSync(file).equals(Buffer.alloc(20_000, 7))).toBe(true);
  });

  it("names its log where that is damaged, and starts without it", async () => {
    const { database, position } = await open();
    const connection = await database.connect();
    await connection.all("CREATE TABLE t AS SELECT range AS n FROM range(1000)");
    const { file, writeAheadLog } = storePaths(directory);
    const [bytes, log] = [readFileSync(file), readFileSync(writeAheadLog)];
    connection.close();
    database.close();
    position?.close();
    log[log.length >> 1] = (log[log.length >> 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    writeFileSync(writeAheadLog, log);
    await expect(open()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`${writeAheadLog}, the log of the events since the last checkpoint, is damaged`),
    });
    expect(readFileSync(writeAheadLog).equals(log)).toBe(true);
    rmSync(writeAheadLog);
    const again = await open();
    again.database.close();
    again.position?.close();
  });

  it.each([
    [
      "IO Error: Could not set lock on file: Conflicting lock is held in node (PID 42).\nSee also",
      "Another process (42) uses the store /data/file; stop it, or choose another data directory",
    ],
    [
      "IO Error: Could not set lock on file",
      "Another process uses the store /data/file; stop it, or choose another data directory",
    ],
  ])("names the process that uses it where that is known: %s", (said, message) => {
    const cause = new Error(said);
    expect(explainOpenError(cause, "/data/file")).toMatchObject({ code: "unavailable", message, cause });
    expect(explainOpenError(new Error("ENOSPC: no space"), "/data/file")).toMatchObject({ code: "disk_full" });
  });

  it("tells of a log that is shorter than it was", async () => {
    const { database, position } = await open();
    database.close();
    position?.close();
    writeFileSync(storePaths(directory).logPosition, '{"log_bytes":5000}');
    for (const _ of ["found", "still told"]) {
      const again = await open();
      expect(again.position?.loss).toMatchObject({ acknowledgedBytes: 5000, foundBytes: 0 });
      again.database.close();
      again.position?.close();
    }
  });

  it.each(["file", "writeAheadLog", "logPosition"] as const)(
    "is refused by name with a folder as its %s",
    async (name) => {
      const path = storePaths(directory)[name];
      (await open()).database.close();
      rmSync(path, { force: true });
      mkdirSync(path);
      const message = `${path} is no file; nothing was changed. Move it away`;
      await expect(open()).rejects.toMatchObject({ code: "unavailable", message });
    },
  );

  it("is no file for a store in memory", async () => {
    const { database, position } = await openStoreFile(options);
    const connection = await database.connect();
    expect(await readSources(connection)).toEqual([]);
    expect(position).toBeUndefined();
    connection.close();
    database.close();
  });
});
