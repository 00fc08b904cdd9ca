import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchHost } from "./host-launch.ts";
import { residentBytes, slowness } from "./machine.ts";

const MEBIBYTE = 1024 ** 2;

/** A host that tells how it was started, and ends. */
const SCRIPT = `
import { execSync } from "node:child_process";
import { writeSync } from "node:fs";
const limit = execSync("ulimit -d", { shell: "/bin/sh" }).toString().trim();
writeSync(3, JSON.stringify({ args: process.argv.slice(2), env: process.env, limit }));
`;

describe("the launch of the engine host", () => {
  let hostPath = "";
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "logweir-launch-"));
    hostPath = join(folder, "host.mjs");
    writeFileSync(hostPath, SCRIPT);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function launch(maxQueries?: number) {
    const core = { threads: 2, memoryLimitBytes: 1, checkpointBytes: 1, compaction: { minRows: 1, maxRows: 1 } };
    const child = launchHost({
      core: maxQueries === undefined ? core : { ...core, maxQueries },
      hostPath,
      maxResidentBytes: 4096 * MEBIBYTE,
    });
    return JSON.parse(await text(child.stdio[3] as Readable)) as { args: string[]; env: object; limit: string };
  }

  it.each([
    [undefined, 32],
    [17, 33],
    [1009, 1024],
  ])(
    "with %s queries at once gives %d threads to wait in, and memory for their stacks",
    async (maxQueries, threads) => {
      const { args, env, limit } = await launch(maxQueries);
      expect(args).toEqual([]);
      expect(env).toMatchObject({
        UV_THREADPOOL_SIZE: String(threads),
        TZ: "UTC",
        MALLOC_ARENA_MAX: "2",
        DUCKDB_JE_MALLOC_CONF: "retain:false,oversize_threshold:8388608,dirty_decay_ms:1000,muzzy_decay_ms:0",
      });
      if (process.platform === "linux") expect(Number(limit)).toBe(4096 * 1024 + (threads + 2) * 8 * 1024);
    },
  );

  it("passes on nothing of the service's environment", async () => {
    process.env.LOGWEIR_TEST_SECRET = "hidden";
    const { env } = await launch();
    delete process.env.LOGWEIR_TEST_SECRET;
    const own = ["DUCKDB_JE_MALLOC_CONF", "MALLOC_ARENA_MAX", "TZ", "UV_THREADPOOL_SIZE"];
    const shells = new Set(["PWD", "OLDPWD", "SHLVL", "_", "__CF_USER_TEXT_ENCODING"]);
    expect(
      Object.keys(env)
        .filter((name) => !shells.has(name))
        .sort(),
    ).toEqual(own);
  });
});

describe.runIf(process.platform === "linux")("the resident memory of a process", () => {
  it("is what the system counts, in bytes, and undefined if there is no such process", async () => {
    const before = process.memoryUsage.rss();
    const bytes = (await residentBytes(process.pid)) ?? 0;
    expect(bytes).toBeGreaterThan(before / 2);
    expect(bytes).toBeLessThan(before * 2);
    expect(await residentBytes(2 ** 30)).toBeUndefined();
  });
});

describe("the patience with a query that does not stop", () => {
  it.each([
    [0, 2, 1],
    [3, 2, 1],
    [6, 2, 2],
    [12, 2, 4],
    [100, 2, 8],
  ])("at a load of %d on %d processors is %d times the setting", (load, processors, times) => {
    expect(slowness(load, processors)).toBe(times);
  });
});
