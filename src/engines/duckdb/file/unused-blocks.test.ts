import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openDatabase } from "../driver/connection.ts";
import { openStoreFile } from "../host/store/store-file.ts";
import { findUnusedBlocks } from "./unused-blocks.ts";
import { verifyStoreFile } from "./verify-file.ts";

const directory = mkdtempSync(join(tmpdir(), "logweir-unused-"));
const options = { threads: 1, memoryLimitBytes: 256 * 1024 ** 2 };
const blockBytes = 262_144;
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A store whose table has lost every second part of its rows, and the number of free blocks that DuckDB tells. */
async function makeStore(name: string, parts: number): Promise<{ readonly path: string; readonly freeCount: number }> {
  const folder = join(directory, name);
  const sizes = { ...options, checkpointBytes: 1024 ** 2, compaction: { minRows: 10, maxRows: 100 } };
  const { database: made, position } = await openStoreFile({ ...sizes, directory: folder });
  made.close();
  position?.close();
  const path = join(folder, "events.duckdb");
  const database = await openDatabase({ ...options, path });
  const connection = await database.connect();
  await connection.all("CREATE TABLE events_1 (id VARCHAR, timestamp TIMESTAMP, body VARCHAR, part INTEGER)");
  await connection.all("INSERT INTO lw_sources VALUES ('edge', 'events_1', NULL)");
  for (let part = 0; part < parts; part++) {
    await connection.all(
      `INSERT INTO events_1 SELECT uuid()::VARCHAR, now()::TIMESTAMP, md5(random()::VARCHAR) || md5(random()::VARCHAR),
        ${part} FROM range(30720)`,
    );
    await connection.all("CHECKPOINT store");
  }
  await connection.all("DELETE FROM events_1 WHERE part % 2 = 0");
  await connection.all("CHECKPOINT store");
  const [size = []] = await connection.all("SELECT free_blocks::DOUBLE FROM pragma_database_size()");
  connection.close();
  database.close();
  return { path, freeCount: Number(size[0]) };
}

describe("blocks that hold nothing", () => {
  it("are those that DuckDB counts, and a store without their bytes is whole", async () => {
    const { path, freeCount } = await makeStore("store", 6);
    expect(freeCount).toBeGreaterThan(5);
    const unused = await findUnusedBlocks(path);
    expect(unused.size).toBe(freeCount);
    const before = await verifyStoreFile(path);
    const bytes = readFileSync(path);
    for (const at of unused) bytes.fill(0, at, at + blockBytes);
    writeFileSync(path, bytes);
    expect(await verifyStoreFile(path)).toEqual(before);
    expect(before).toEqual({ counts: new Map([["edge", 3 * 30_720]]), damages: [] });
    // It takes new rows into them.
    const database = await openDatabase({ ...options, path });
    const connection = await database.connect();
    await connection.all("INSERT INTO events_1 SELECT id || 'b', timestamp, body, 1 FROM events_1");
    await connection.all("CHECKPOINT store");
    connection.close();
    database.close();
    expect((await verifyStoreFile(path)).counts).toEqual(new Map([["edge", 6 * 30_720]]));
  });

  it("are none in a new store, and where the list or a header cannot be trusted", async () => {
    const { path } = await makeStore("trusted", 2);
    expect((await findUnusedBlocks(path)).size).toBeGreaterThan(0);
    const original = readFileSync(path);
    const copy = join(directory, "copy");
    // One bit of each header and block in turn: only damage to the list or to the headers counts.
    let none = 0;
    for (let at = 0; at < original.length; at += at < 12_288 ? 4096 : blockBytes) {
      copyFileSync(path, copy);
      const bytes = Buffer.from(original);
      bytes[at + 100] = (bytes[at + 100] ?? 0) ^ 1;
      writeFileSync(copy, bytes);
      if ((await findUnusedBlocks(copy)).size === 0) none++;
    }
    expect(none).toBe(4);
    writeFileSync(copy, original.subarray(0, 10_000));
    expect((await findUnusedBlocks(copy)).size).toBe(0);
    const { path: fresh } = await makeStore("fresh", 0);
    const unused = await findUnusedBlocks(fresh);
    expect([...unused].every((at) => at >= 12_288)).toBe(true);
  });
});
