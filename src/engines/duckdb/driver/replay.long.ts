import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDatabase } from "./connection.ts";

it("openDatabase opens a file whose write-ahead log does not fit into its memory", async () => {
  const folder = mkdtempSync(join(tmpdir(), "logweir-replay-"));
  const open = (name: string) =>
    openDatabase({
      path: join(folder, name, "events.duckdb"),
      temporaryDirectory: join(folder, name, "spill"),
      threads: 2,
      memoryLimitBytes: 24 * 1024 ** 2,
    });
  mkdirSync(join(folder, "first"));
  const first = await open("first");
  try {
    const connection = await first.connect();
    await connection.all("CREATE TABLE t (n BIGINT, v VARCHAR)");
    for (let part = 0; part < 64; part++) {
      await connection.all(
        "INSERT INTO t SELECT i, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) FROM range($1::BIGINT, $2::BIGINT) r(i)",
        [{ value: BigInt(part * 10_000) }, { value: BigInt((part + 1) * 10_000) }],
      );
    }
    // As after a kill: the log exists, and the file contains none of it.
    cpSync(join(folder, "first"), join(folder, "copy"), { recursive: true });
    const copy = await open("copy");
    const again = await copy.connect();
    expect(await again.all("SELECT count(*)::INTEGER, max(n)::INTEGER FROM t")).toEqual([[640_000, 639_999]]);
    again.close();
    copy.close();
    connection.close();
  } finally {
    first.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
