import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createFakeService } from "../../test/support/backups/fake-service.ts";
import { type S3Server, startS3Server } from "../../test/support/backups/s3-server.ts";
import { keyOfChunk, nameChunk, readChunk } from "./chunks.ts";
import { openFolderPlace } from "./folder-place.ts";
import { makeBackup } from "./make-backup.ts";
import { findBackup, listBackups } from "./manifest.ts";
import { openPlace } from "./open-place.ts";
import type { BackupPlace } from "./place.ts";
import { pruneBackups } from "./prune-backups.ts";
import { readBackupFile, verifyBackups } from "./read-backup.ts";
import { openS3Place } from "./s3-place.ts";

const root = mkdtempSync(join(tmpdir(), "logweir-places-"));
let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
});

afterEach(() => {
  server.behaviour = undefined;
});

afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

const kinds: readonly [string, (name: string) => BackupPlace][] = [
  ["a folder", (name) => openFolderPlace(join(root, name))],
  ["a part of a bucket", (name) => openS3Place(`s3://bucket/some/${name}/`, server.access)],
];

describe.each(kinds)("%s", (kind, open) => {
  it("lists, reads, writes and removes files", async () => {
    const place = open("files");
    expect([await place.isEmpty(), await place.list("a"), await place.read("a/b", 100)]).toEqual([true, [], undefined]);
    expect(await place.ageMs("a/b")).toBeUndefined();
    const keys = ["a/1", "a/2", "a/3", "a/b/4", "a/b/5", "ab/6", "top"];
    for (const key of keys) await place.write(key, Buffer.from(`old ${key}`));
    for (const key of keys) await place.write(key, Buffer.from(key));
    await place.sync();
    expect(await place.isEmpty()).toBe(false);
    expect((await place.list("a")).toSorted()).toEqual(keys.slice(0, 5));
    expect((await place.read("a/b/5", 100))?.toString()).toBe("a/b/5");
    expect(await place.ageMs("top")).toBeLessThan(60_000);
    for (const key of ["a/1", "a/1", "never"]) await place.remove(key);
    expect((await place.list("a")).toSorted()).toEqual(keys.slice(1, 5));
    expect([await place.create("new", Buffer.from("1")), await place.create("new", Buffer.from("2"))]).toEqual([
      true,
      false,
    ]);
    expect((await place.read("new", 100))?.toString()).toBe("1");
  });

  it("holds backups that are made, verified, read and pruned", async () => {
    const place = open("backups");
    const service = createFakeService({ "store/events.duckdb": randomBytes(300_000), "metadata.db": randomBytes(10) });
    expect((await makeBackup(place, service.work)).newBytes).toBe(300_010);
    service.files = { ...service.files, "metadata.db": randomBytes(20) };
    service.madeAt = "2026-08-20T04:01:00.000Z";
    expect((await makeBackup(place, service.work)).newBytes).toBe(20);
    expect((await verifyBackups(place, () => undefined)).problems).toEqual([]);
    expect((await pruneBackups(place, 1)).removed).toEqual(["2026-08-20T04-00-00Z"]);
    const { files } = await findBackup(place);
    for (const file of files) {
      const pieces: Buffer[] = [];
      for await (const piece of readBackupFile(place, file)) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(service.files[file.path] ?? Buffer.alloc(0)), kind).toBe(true);
    }
    const [chunk = ""] = await place.list("chunks");
    await place.write(chunk, Buffer.from("changed"));
    expect((await verifyBackups(place, () => undefined)).problems).toMatchObject([
      { problem: `${chunk} is damaged: it is not what was written` },
    ]);
    expect(await place.read("lock", 100)).toBeUndefined();
  });
});

type Behaviour = NonNullable<S3Server["behaviour"]>;

function drip(to: Parameters<Behaviour>[0]): void {
  to.writeHead(200, { "content-length": 1e9 });
  const drop = () => {
    if (to.destroyed) return;
    to.write("x");
    setImmediate(drop);
  };
  drop();
}

describe("a file that is longer than what is asked for", () => {
  it.each(kinds)("is read to there in %s, and is no chunk", async (_, open) => {
    const place = open("long");
    const chunk = randomBytes(262_144);
    const name = nameChunk(chunk);
    await place.write(keyOfChunk(name), Buffer.concat([chunk, Buffer.alloc(1_000_000)]));
    expect((await place.read(keyOfChunk(name), 10))?.equals(chunk.subarray(0, 10))).toBe(true);
    expect(await readChunk(place, name)).toContain("is damaged");
  });
});

describe("an S3-compatible store", () => {
  it("that does not know conditions is used without them", async () => {
    server.knowsConditions = false;
    const place = openS3Place("s3://bucket/unconditional", server.access);
    expect([await place.create("a", Buffer.from("1")), await place.create("a", Buffer.from("2"))]).toEqual([
      true,
      false,
    ]);
    server.knowsConditions = true;
  });

  it("that refuses is named, with its reason", async () => {
    const place = openS3Place("s3://bucket/x", server.access);
    server.failure = { status: 403, code: "AccessDenied" };
    for (const work of [place.isEmpty(), place.list("a"), place.read("a", 100), place.write("a", Buffer.alloc(1))]) {
      await expect(work).rejects.toThrow("s3://bucket/x cannot be used: AccessDenied: no");
    }
    await expect(listBackups(place)).rejects.toThrow("AccessDenied");
    server.failure = undefined;
    await expect(openS3Place("s3://other/x", server.access).list("a")).rejects.toThrow("NoSuchBucket");
    const nowhere = { ...server.access, endpoint: "http://127.0.0.1:1" };
    await expect(openS3Place("s3://bucket", nowhere).isEmpty()).rejects.toThrow(
      "s3://bucket cannot be used: ECONNREFUSED",
    );
  });

  it.each<[string, Behaviour, string]>([
    ["sends nothing", () => undefined, "it does not answer in time"],
    [
      "stops within an object",
      (to) => void to.writeHead(200, { "content-length": 99 }).write("x"),
      "it does not answer in time",
    ],
    ["sends an object by drops", (to) => drip(to), "s3://bucket/x cannot be used"],
    ["takes itself for another", (to) => void to.writeHead(301).end(), "s3://bucket/x cannot be used"],
    ["hangs up", (to) => void to.destroy(), "s3://bucket/x cannot be used"],
    ["sends less than it says", (to) => to.writeHead(200, { "content-length": 99 }).end("x"), "s3://bucket/x"],
  ])("that %s is given up", async (_, behaviour, reason) => {
    server.behaviour = behaviour;
    const place = openS3Place("s3://bucket/x", server.access, { silenceMs: 40, requestMs: 1_000 });
    await expect(place.read("a", 1e9)).rejects.toThrow(reason);
  });

  it("whose lists go in circles is given up", async () => {
    const page = "<ListBucketResult><NextContinuationToken>again</NextContinuationToken></ListBucketResult>";
    server.behaviour = (to) => void to.end(page);
    await expect(openS3Place("s3://bucket/x", server.access).list("a")).rejects.toThrow("its lists do not end");
  });

  it("decides nothing about the memory that one of its objects takes", async () => {
    let sent = 0;
    server.behaviour = (to) => {
      to.writeHead(200);
      const piece = Buffer.alloc(100_000);
      const more = () => {
        while (!to.destroyed && to.write(piece)) sent += piece.length;
        if (!to.destroyed) to.once("drain", more);
      };
      more();
    };
    const place = openS3Place("s3://bucket/x", server.access);
    expect((await place.read("a", 250_000))?.length).toBe(250_000);
    expect(await readChunk(place, "ab".repeat(32))).toContain("is damaged");
    expect(sent).toBeLessThan(50_000_000);
  });

  it.each(["s3://", "s3://Bucket", "s3:bucket/x", "s3://a b/c", "S3://bucket", "gs://bucket/x"])(
    "is not named %s",
    async (address) => {
      await expect(openPlace(address, server.access)).rejects.toThrow("s3://BUCKET/PREFIX");
    },
  );
});
