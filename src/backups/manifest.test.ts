import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakeService } from "../../test/support/backups/fake-service.ts";
import { openFolderPlace } from "./folder-place.ts";
import { makeBackup } from "./make-backup.ts";
import { findBackup, listBackups } from "./manifest.ts";
import { pruneBackups } from "./prune-backups.ts";
import { readBackupFile, verifyBackups } from "./read-backup.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logweir-manifest-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = { "store/events.duckdb": Buffer.from("events"), "metadata.db": Buffer.from("tokens") };
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

describe("a manifest", () => {
  const id = "2026-08-20T04-00-00Z";

  it.each<[string, (text: string) => string]>([
    ["cut short", (text) => text.slice(0, -20)],
    ["empty", () => ""],
    ["of another format", (text) => text.replace('"format":2', '"format":3')],
    ["with other events", (text) => text.replace('"rows":3', '"rows":4')],
    ["with another file", (text) => text.replace("metadata.db", "../metadata.db")],
    ["with fewer bytes", (text) => text.replace('"bytes":6', '"bytes":5')],
  ])("that is %s is named, and nothing is restored from it", async (_, change) => {
    const place = openFolderPlace(folder);
    await makeBackup(place, createFakeService(files).work);
    const path = join(folder, "backups", `${id}.json`);
    writeFileSync(path, change(readFileSync(path, "utf8")));
    expect(await listBackups(place)).toEqual([
      { id, key: `backups/${id}.json`, problem: expect.stringContaining(`backups/${id}.json is damaged: `) as string },
    ]);
    await expect(findBackup(place, id)).rejects.toThrow(`The backup ${id} cannot be used: backups/${id}.json is`);
    expect((await verifyBackups(place, () => undefined)).problems).toMatchObject([{ backups: [id] }]);
  });

  it("is found by its id, or is the newest", async () => {
    const place = openFolderPlace(folder);
    await expect(findBackup(place)).rejects.toThrow("holds no complete backup");
    const service = createFakeService(files);
    for (const madeAt of ["2026-08-20T04:00:00.500Z", "2026-08-21T04:00:00.000Z"]) {
      service.madeAt = madeAt;
      await makeBackup(place, service.work);
    }
    expect((await findBackup(place)).id).toBe("2026-08-21T04-00-00Z");
    expect((await findBackup(place, id)).made_at).toBe("2026-08-20T04:00:00.500Z");
    for (const unknown of ["2026-08-22T04-00-00Z", "", "../x", "manifest.json"]) {
      await expect(findBackup(place, unknown)).rejects.toThrow(
        `holds no backup ${unknown}. The newest are ${id}, 2026-08-21T04-00-00Z`,
      );
    }
  });
});

describe("a backup of the first format", () => {
  function writeFirst(changes: object = {}): void {
    const manifest = {
      ...{ format: 1, made_at: "2026-08-01T04:00:00.000Z", sources: [{ name: "edge", rows: 3 }] },
      files: Object.entries(files).map(([path, { length: bytes }]) => ({ path, bytes })),
      sha256: Object.values(files).map(sha256),
      ...changes,
    };
    mkdirSync(join(folder, "store"), { recursive: true });
    for (const [path, bytes] of Object.entries(files)) writeFileSync(join(folder, path), bytes);
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  }

  async function readAll(): Promise<string> {
    const place = openFolderPlace(folder);
    let text = "";
    for (const file of (await findBackup(place, "2026-08-01T04-00-00Z")).files) {
      for await (const piece of readBackupFile(place, file)) text += piece.toString();
    }
    return text;
  }

  it("is listed, verified and read beside later ones, and pruned", async () => {
    writeFirst();
    const place = openFolderPlace(folder);
    expect(await readAll()).toBe("eventstokens");
    await makeBackup(place, createFakeService(files).work);
    expect(await verifyBackups(place, () => undefined)).toMatchObject({
      backups: [{ id: "2026-08-01T04-00-00Z" }, { id: "2026-08-20T04-00-00Z" }],
      problems: [],
    });
    expect(await readAll()).toBe("eventstokens");
    await pruneBackups(place, 1);
    expect((await listBackups(place)).map(({ id }) => id)).toEqual(["2026-08-20T04-00-00Z"]);
    expect(["manifest.json", "store", "metadata.db"].filter((name) => existsSync(join(folder, name)))).toEqual([]);
    expect((await verifyBackups(place, () => undefined)).problems).toEqual([]);
  });

  it.each<[string, () => void, string]>([
    ["changed", () => writeFileSync(join(folder, "metadata.db"), "tokenz"), "metadata.db is damaged"],
    ["removed", () => rmSync(join(folder, "store"), { recursive: true }), "store/events.duckdb is missing"],
  ])("with a file that was %s is not read", async (_, damage, problem) => {
    writeFirst();
    damage();
    await expect(readAll()).rejects.toThrow(problem);
    const { problems } = await verifyBackups(openFolderPlace(folder), () => undefined);
    expect(problems).toEqual([
      { problem: expect.stringContaining(problem) as string, backups: ["2026-08-01T04-00-00Z"] },
    ]);
  });

  it("that names a file outside is damaged", async () => {
    writeFirst({ files: [{ path: "../x", bytes: 1 }] });
    expect(await listBackups(openFolderPlace(folder))).toMatchObject([
      { id: "manifest.json", problem: expect.stringContaining("names a file outside the backup") as string },
    ]);
  });
});
