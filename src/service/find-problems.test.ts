import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findDamagedFiles, findMissingStore } from "./find-problems.ts";

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "logweir-problems-"));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

const write = async (folder: string, name: string) => {
  await mkdir(join(dataDir, folder), { recursive: true });
  await writeFile(join(dataDir, folder, name), "");
};
const missing = (engineServer?: { readonly urls: readonly string[] }) =>
  findMissingStore({ dataDir, engineServer: engineServer as never }).map(({ code }) => code);

describe("a missing store", () => {
  it("is a problem where a service ran before, and its events were in the data folder", async () => {
    expect(missing()).toEqual([]);
    // `logweir token create` before the first start.
    await write(".", "metadata.db");
    expect(missing()).toEqual([]);
    await write(".", "last-run.json");
    expect(missing()).toEqual(["store_missing"]);
    expect(missing({ urls: ["http://server"] })).toEqual([]);
    await mkdir(join(dataDir, "store"));
    expect(missing()).toEqual(["store_missing"]);
    await write("store", "events.duckdb");
    expect(missing()).toEqual([]);
  });

  it("is none where it cannot be looked at: the start says why", async () => {
    await write(".", "last-run.json");
    await symlink("store", join(dataDir, "store"));
    expect(missing()).toEqual([]);
  });

  it("is known by the key of an earlier release, which noted no run", async () => {
    await write(".", "cursor.key");
    expect(missing()).toEqual(["store_missing"]);
  });
});

describe("damaged files of waiting events", () => {
  it("are named until they are deleted", async () => {
    expect(await findDamagedFiles({ dataDir })).toEqual([]);
    await write("drains/0123/damaged", "1-0.keys");
    for (const name of ["1-0.events", "2-5.events"]) await write("spool/damaged", name);
    await write("spool/refused/damaged", "3-7.events");
    await write("spool/cut", "4-8.events");
    const [problem, ...others] = await findDamagedFiles({ dataDir });
    expect([problem?.code, others]).toEqual(["damaged_files", []]);
    expect(problem?.message).toContain(`(4: ${join(dataDir, "spool", "damaged", "1-0.events")}, `);
    for (const folder of ["drains", "spool"]) await rm(join(dataDir, folder), { recursive: true });
    expect(await findDamagedFiles({ dataDir })).toEqual([]);
  });
});
