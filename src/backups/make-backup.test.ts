import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { buryHolder, createDyingPlace } from "../../test/support/backups/dying-place.ts";
import { createFakeService, type FakeService } from "../../test/support/backups/fake-service.ts";
import { createMemoryPlace } from "../../test/support/backups/memory-place.ts";
import { openFolderPlace } from "./folder-place.ts";
import { makeBackup } from "./make-backup.ts";
import { findBackup, listBackups } from "./manifest.ts";
import { openPlace } from "./open-place.ts";
import type { BackupPlace } from "./place.ts";
import { pruneBackups } from "./prune-backups.ts";
import { readBackupFile, verifyBackups } from "./read-backup.ts";

const root = mkdtempSync(join(tmpdir(), "logweir-backups-"));
const header = 12_288;
const block = 262_144;
let count = 0;
let folder: string;
let place: BackupPlace;
let service: FakeService;

const makeStore = (blocks: number) => randomBytes(header + blocks * block);

beforeEach(() => {
  folder = join(root, `${count++}`);
  place = openFolderPlace(folder);
  service = createFakeService({ "store/events.duckdb": makeStore(4), "metadata.db": randomBytes(5000) });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Makes a backup at a later minute than the last, of a store that has one block more and one that changed. */
async function grow(minute: number): Promise<void> {
  const store = service.files["store/events.duckdb"] ?? Buffer.alloc(0);
  randomBytes(block).copy(store, header + block);
  service.files["store/events.duckdb"] = Buffer.concat([store, randomBytes(block)]);
  service.madeAt = new Date(Date.UTC(2026, 7, 20, 4, minute)).toISOString();
}

/** Long buffers that differ would be compared byte by byte, and printed. */
const sumsOf = (files: Record<string, Buffer>) =>
  Object.entries(files).map(([path, bytes]) => `${path} ${createHash("sha256").update(bytes).digest("hex")}`);

async function readBack(from: BackupPlace, id?: string): Promise<string[]> {
  const { files } = await findBackup(from, id);
  const read: Record<string, Buffer> = {};
  for (const file of files) {
    const pieces: Buffer[] = [];
    for await (const piece of readBackupFile(from, file)) pieces.push(piece);
    read[file.path] = Buffer.concat(pieces);
  }
  return sumsOf(read);
}

const problemsOf = async (from: BackupPlace) => (await verifyBackups(from, () => undefined)).problems;
const chunkFiles = () =>
  (readdirSync(join(folder, "chunks"), { recursive: true }) as string[]).filter((name) => name.includes("/"));

describe("a backup", () => {
  it("is added to those before it by what is new, and each can be read", async () => {
    const first = sumsOf(service.files);
    const made = await makeBackup(place, service.work);
    expect(made).toMatchObject({ newBytes: header + 4 * block + 5000, backup: { id: "2026-08-20T04-00-00Z" } });
    expect(service.sentChunks).toBe(6);
    await grow(1);
    expect(await makeBackup(place, service.work)).toMatchObject({ newBytes: 2 * block });
    expect(service.sentChunks).toBe(8);
    expect(await makeBackup(place, service.work)).toMatchObject({
      newBytes: 0,
      backup: { id: "2026-08-20T04-01-00Z-02", sources: [{ name: "edge", rows: 3 }] },
    });
    expect((await listBackups(place)).map(({ id }) => id)).toEqual([
      "2026-08-20T04-00-00Z",
      "2026-08-20T04-01-00Z",
      "2026-08-20T04-01-00Z-02",
    ]);
    expect(await problemsOf(place)).toEqual([]);
    expect(await readBack(place, "2026-08-20T04-00-00Z")).toEqual(first);
    expect(await readBack(place)).toEqual(sumsOf(service.files));
    expect(readdirSync(folder).sort()).toEqual(["backups", "chunks", "logweir-backups.json"]);
  });

  it("has no empty files, and files of any size", async () => {
    const sizes = [0, 1, header, header + 1, header + block, header + block + 1];
    service.files = Object.fromEntries(sizes.map((size) => [`f${size}`, randomBytes(size)]));
    await makeBackup(place, service.work);
    expect(await readBack(place)).toEqual(sumsOf(service.files));
  });

  it("is for its user only", async () => {
    await makeBackup(place, service.work);
    for (const name of readdirSync(folder, { recursive: true }) as string[]) {
      expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    }
  });

  it.each(["flipped", "truncated", "removed"])("has a chunk anew that was %s since", async (damage) => {
    await makeBackup(place, service.work);
    const [name = ""] = chunkFiles();
    const path = join(folder, "chunks", name);
    const bytes = readFileSync(path);
    if (damage === "flipped") bytes[100] = (bytes[100] ?? 0) ^ 1;
    if (damage === "removed") rmSync(path);
    else writeFileSync(path, damage === "truncated" ? bytes.subarray(0, -1) : bytes);
    expect(await problemsOf(place)).toEqual([
      { problem: expect.stringContaining(`chunks/${name} is `) as string, backups: ["2026-08-20T04-00-00Z"] },
    ]);
    await expect(readBack(place)).rejects.toThrow(`chunks/${name} is `);
    await makeBackup(place, service.work);
    expect(service.notes).toEqual(
      damage === "removed" ? [] : [`chunks/${name} is damaged: it is not what was written: copied again`],
    );
    expect(await problemsOf(place)).toEqual([]);
  });

  it("is none where the service's answer ends early, or is changed on its way", async () => {
    await makeBackup(place, service.work);
    for (const cutAfter of [10, 300, 300_000, 500_000]) {
      await grow(1);
      service.cutAfter = cutAfter;
      await expect(makeBackup(place, service.work)).rejects.toThrow("cut off");
    }
    service.cutAfter = Number.POSITIVE_INFINITY;
    const { request } = service.work;
    const change = async (prefixes: Buffer) => {
      const pieces: Buffer[] = [];
      for await (const piece of await request(prefixes)) pieces.push(Buffer.from(piece));
      const last = pieces.findLast((piece) => piece.length > block);
      last?.writeUInt8((last.at(-1) ?? 0) ^ 1, last.length - 1);
      return (async function* () {
        yield* pieces;
      })();
    };
    await grow(2);
    await expect(makeBackup(place, { ...service.work, request: change })).rejects.toThrow("is not what it sent");
    expect((await listBackups(place)).length).toBe(1);
    expect(await problemsOf(place)).toEqual([]);
  });

  it("is refused for a damaged block, also at the next try", async () => {
    const checkBlocks = (path: string, position: number) => {
      if (path.startsWith("store/") && position === header + block) throw new Error("a block is damaged");
    };
    const damaged = createFakeService(service.files, { checkBlocks });
    for (const _ of ["first", "second"]) await expect(makeBackup(place, damaged.work)).rejects.toThrow("is damaged");
    expect(await listBackups(place)).toEqual([]);
    await makeBackup(place, service.work);
    expect(await readBack(place)).toEqual(sumsOf(service.files));
  });

  it("is refused in a place that holds other files, or is in a data folder", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "thesis.txt"), "years of work");
    await expect(makeBackup(place, service.work)).rejects.toThrow("is not empty and holds no backups of Logweir");
    expect(readdirSync(folder)).toEqual(["thesis.txt"]);
    mkdirSync(join(folder, "data", "store"), { recursive: true });
    writeFileSync(join(folder, "data", "store", "events.duckdb"), "");
    for (const inside of ["data", "data/backups", "data/store/a/b"]) {
      await expect(openPlace(join(folder, inside), {})).rejects.toThrow(
        `is in the data folder ${join(folder, "data")}`,
      );
    }
  });

  it("is refused in a file, and where no name is given", async () => {
    const file = join(root, "file");
    writeFileSync(file, "");
    await expect(openPlace(file, {})).rejects.toThrow("is a file; name a folder");
    await expect(openPlace("", {})).rejects.toThrow("an empty name was given");
  });

  it("does not begin while another is made, or a pruning", async () => {
    await makeBackup(place, service.work);
    await grow(1);
    const { request } = service.work;
    const competing = async (prefixes: Buffer) => {
      await expect(makeBackup(openFolderPlace(folder), service.work)).rejects.toThrow(
        new RegExp(`at work in ${folder} \\(process ${process.pid} on `),
      );
      await expect(pruneBackups(openFolderPlace(folder), 1)).rejects.toThrow("at work in");
      return request(prefixes);
    };
    await makeBackup(place, { ...service.work, request: competing });
    expect((await listBackups(place)).length).toBe(2);
  });

  it("survives a full disk as it was, and is made once there is space", async () => {
    await makeBackup(place, service.work);
    await grow(1);
    for (let writes = 0; writes < 3; writes++) {
      await grow(writes + 1);
      let left = writes;
      const full: BackupPlace = {
        ...place,
        write: (key, bytes) => (left-- > 0 ? place.write(key, bytes) : Promise.reject(new Error("full"))),
      };
      await expect(makeBackup(full, service.work)).rejects.toThrow("full");
      expect((await listBackups(place)).length).toBe(1);
      expect(await problemsOf(place)).toEqual([]);
    }
    await makeBackup(place, service.work);
    expect(await readBack(place)).toEqual(sumsOf(service.files));
  });
});

describe("a kill before any step", () => {
  it("of a backup leaves earlier backups whole, and the next one is made", async () => {
    const memory = createMemoryPlace();
    let step = 0;
    for (let isDone = false; !isDone; step++) {
      await grow(step);
      isDone = await isFinished(makeBackup(createDyingPlace(memory, step).place, service.work));
      await buryHolder(memory);
      expect(await problemsOf(memory)).toEqual([]);
      if (step % 5 !== 4) continue;
      await makeBackup(memory, service.work);
      expect(await readBack(memory)).toEqual(sumsOf(service.files));
    }
    expect(step).toBeGreaterThan(8);
    expect(await readBack(memory)).toEqual(sumsOf(service.files));
  });

  it("of a pruning leaves whole what is to be kept, and the next one removes the rest", async () => {
    const memory = createMemoryPlace();
    let step = 0;
    for (let isDone = false; !isDone; step++) {
      for (const minute of [1, 2, 3]) {
        await grow(step * 3 + minute);
        await makeBackup(memory, service.work);
      }
      isDone = await isFinished(pruneBackups(createDyingPlace(memory, step).place, 1));
      await buryHolder(memory);
      expect(await problemsOf(memory)).toEqual([]);
      expect(await readBack(memory)).toEqual(sumsOf(service.files));
      await pruneBackups(memory, 1);
      const kept = await findBackup(memory);
      const chunks = new Set(kept.files.flatMap((file) => file.chunks ?? []));
      expect((await listBackups(memory)).length).toBe(1);
      expect(memory.files.size).toBe(chunks.size + 2);
    }
    expect(step).toBeGreaterThan(5);
  });

  async function isFinished(work: Promise<unknown>): Promise<boolean> {
    const error = await work.then(
      () => undefined,
      (reason: Error) => reason.message,
    );
    expect([undefined, "killed"]).toContain(error);
    return error === undefined;
  }

  it("of a write leaves a file that the next one replaces", async () => {
    await makeBackup(place, service.work);
    for (const name of ["logweir-backups.json", "lock", "backups/2026-08-20T04-00-00Z.json"]) {
      writeFileSync(join(folder, `${name}.new`), "ha");
    }
    await makeBackup(place, service.work);
    expect((await listBackups(place)).length).toBe(2);
    const begun = join(root, "begun");
    mkdirSync(begun);
    writeFileSync(join(begun, "logweir-backups.json.new"), "");
    await makeBackup(openFolderPlace(begun), service.work);
  });
});

describe("a place that is changed by another during", () => {
  it.each(["a folder", "a bucket"])("a backup is copied again where chunks of %s went meanwhile", async (kind) => {
    const memory = { ...createMemoryPlace(), isRemote: kind === "a bucket" };
    await makeBackup(memory, service.work);
    let isFirst = true;
    const request: FakeService["work"]["request"] = async (prefixes) => {
      if (isFirst) for (const key of await memory.list("chunks")) memory.files.delete(key);
      isFirst = false;
      return service.work.request(prefixes);
    };
    await makeBackup(memory, { ...service.work, request });
    expect(await problemsOf(memory)).toEqual([]);
    expect(await readBack(memory)).toEqual(sumsOf(service.files));
  });

  it.each(["taken over", "taken over and released"])("a pruning ends once its lock was %s", async (how) => {
    const memory = createMemoryPlace();
    service.files["store/events.duckdb"] = makeStore(150);
    await makeBackup(memory, service.work);
    service.files["store/events.duckdb"] = makeStore(1);
    await makeBackup(memory, service.work);
    let removals = 0;
    const remove: BackupPlace["remove"] = async (key) => {
      await memory.remove(key);
      if (++removals !== 10) return;
      if (how === "taken over") memory.files.set("lock", Buffer.from('{"token":"other"}'));
      else memory.files.delete("lock");
    };
    await expect(pruneBackups({ ...memory, remove }, 1)).rejects.toThrow("has taken over");
    expect((await memory.list("chunks")).length).toBeGreaterThan(80);
  });
});

describe("pruning", () => {
  it("keeps the newest, with all they need, and removes what an interrupted backup left", async () => {
    for (const minute of [1, 2, 3, 4]) {
      await grow(minute);
      await makeBackup(place, service.work);
    }
    const stray = join(folder, "chunks", "ab", `${"ab".repeat(32)}.new`);
    mkdirSync(join(folder, "chunks", "ab"), { recursive: true });
    for (const path of [stray, stray.slice(0, -4), join(folder, "chunks", "ab", "mine.txt")]) writeFileSync(path, "x");
    expect(await pruneBackups(place, 9)).toMatchObject({ removed: [], files: 2 });
    expect(await pruneBackups(place, 2)).toEqual({
      removed: ["2026-08-20T04-01-00Z", "2026-08-20T04-02-00Z"],
      kept: ["2026-08-20T04-03-00Z", "2026-08-20T04-04-00Z"],
      files: 2,
    });
    expect(await problemsOf(place)).toEqual([]);
    expect(await readBack(place)).toEqual(sumsOf(service.files));
    expect(readdirSync(join(folder, "chunks", "ab"))).toContain("mine.txt");
  });

  it("removes nothing where a manifest that it keeps is damaged, or there are no backups", async () => {
    for (const minute of [1, 2]) {
      await grow(minute);
      await makeBackup(place, service.work);
    }
    const before = chunkFiles().length;
    const [, last = ""] = readdirSync(join(folder, "backups"));
    writeFileSync(join(folder, "backups", last), "{");
    await expect(pruneBackups(place, 1)).rejects.toThrow(`backups/${last} is damaged`);
    expect(chunkFiles().length).toBe(before);
    const nowhere = join(root, "nowhere");
    await expect(pruneBackups(openFolderPlace(nowhere), 1)).rejects.toThrow("holds no backups");
    expect(readdirSync(root)).not.toContain("nowhere");
  });
});
