import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "../../shared/user-error.ts";
import { createAuditOutbox } from "../audit-outbox.ts";
import type { MetadataDatabase } from "../database.ts";
import { createEndpointStore } from "../endpoint-store.ts";
import { hasMetadata, openMetadata } from "../open-metadata.ts";
import { createSourceStore } from "../source-store.ts";
import { createTokenStore } from "../token-store.ts";
import { createViewStore } from "../view-store.ts";
import { fromDriver } from "./sqlite-error.ts";

let folder: string;
let path: string;
const opened: MetadataDatabase[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logweir-sqlite-"));
  path = join(folder, "data", "metadata.db");
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(place = path): Promise<MetadataDatabase> {
  const database = await openMetadata(place);
  opened.push(database);
  return database;
}

describe("the metadata in a file", () => {
  it("is created with its folder, and noticed there", async () => {
    expect(await hasMetadata(path)).toBe(false);
    await open();
    expect(await hasMetadata(path)).toBe(true);
    expect(statSync(join(folder, "data")).isDirectory()).toBe(true);
  });

  it("is created anew in an empty file", async () => {
    const empty = join(folder, "metadata.db");
    writeFileSync(empty, "");
    expect(await createSourceStore(await open(empty), () => 0).list()).toEqual([]);
  });

  it("is refused where it was emptied, and said to be missing where it was removed", async () => {
    await open();
    await opened[0]?.readKey();
    await opened.pop()?.close();
    const warnings: string[] = [];
    const again = async () => opened.push(await openMetadata(path, (message) => warnings.push(message)));
    await again();
    await opened.pop()?.close();
    expect(warnings).toEqual([]);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    writeFileSync(path, "");
    await expect(again()).rejects.toThrow(`${path} is damaged or is no metadata of this service (it is empty)`);
    expect(statSync(path).size).toBe(0);
    rmSync(path);
    await again();
    expect(warnings).toEqual([expect.stringContaining(`${path} is missing, though there was one`)]);
  });

  it("is refused where it was emptied, and said to be missing, beside events without the key too", async () => {
    const warnings: string[] = [];
    mkdirSync(join(folder, "data", "store"), { recursive: true });
    writeFileSync(join(folder, "data", "store", "events.duckdb"), "");
    writeFileSync(path, "");
    const again = async () => opened.push(await openMetadata(path, (message) => warnings.push(message)));
    await expect(again()).rejects.toThrow(`${path} is damaged or is no metadata of this service (it is empty)`);
    rmSync(path);
    await again();
    expect(warnings).toEqual([expect.stringContaining(`${path} is missing, though there was one`)]);
  });

  it("says why a change failed that the database itself has rolled back, as where the disk is full", async () => {
    const { queries } = await open();
    const failing = async (statements: readonly string[]) =>
      queries.transaction().execute(async (transaction) => {
        for (const text of statements) await sql.raw(text).execute(transaction);
        throw new Error("database or disk is full");
      });
    const insert = "INSERT INTO sources (name, document, created_at, updated_at) VALUES ('a', '{}', 0, 0)";
    for (const statements of [["ROLLBACK"], [], [insert]]) {
      await expect(failing(statements)).rejects.toThrow("database or disk is full");
    }
    expect(await sql`SELECT name FROM sources`.execute(queries)).toMatchObject({ rows: [] });
  });

  it("says in words of the service that its disk is full", async () => {
    const { queries, copyTo } = await open();
    await sql`PRAGMA max_page_count = 1`.execute(queries);
    const insert = sql`INSERT INTO sources (name, document, created_at, updated_at)
      VALUES ('a', ${"x".repeat(100_000)}, 0, 0)`;
    const disk_full = { code: "disk_full", message: "The disk of the data folder is full" };
    await expect(insert.execute(queries)).rejects.toMatchObject(disk_full);
    await expect(queries.transaction().execute((each) => insert.execute(each))).rejects.toMatchObject(disk_full);
    expect(() => copyTo?.("/dev/full")).toThrow();
    await sql`PRAGMA max_page_count = 100000`.execute(queries);
    await insert.execute(queries);
  });

  it.runIf(existsSync("/proc/self"))(
    "is refused where its folder can never be made, instead of waiting for it",
    async () => {
      const refusal = "The data folder /proc/none/data cannot be used: it cannot be made or written (ENOENT)";
      await expect(openMetadata("/proc/none/data/metadata.db")).rejects.toThrow(refusal);
    },
  );

  it("is not called damaged where only the files beside it cannot be made", async () => {
    const database = await open();
    await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(database.queries);
    await opened.pop()?.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    mkdirSync(`${path}-wal`);
    await expect(openMetadata(path)).rejects.toThrow(
      `${path} cannot be used: unable to open database file; nothing was changed. Look whether its disk is full`,
    );
  });

  it("is not left behind empty where it cannot be made, which the next start would call damaged", async () => {
    mkdirSync(join(folder, "data", "store"), { recursive: true });
    writeFileSync(join(folder, "data", "store", "events.duckdb"), "");
    mkdirSync(`${path}-wal`);
    await expect(openMetadata(path)).rejects.toThrow("nothing was changed. Look whether its disk is full");
    expect(existsSync(path)).toBe(false);
    rmSync(`${path}-wal`, { recursive: true });
    await open();
  });

  it.each([
    ["SQLITE_FULL", true],
    ["SQLITE_IOERR_WRITE", true],
    ["SQLITE_IOERR_SHMSIZE", true],
    ["SQLITE_IOERR_READ", false],
  ])("calls its disk full where SQLite says %s: %s", (code, isFull) => {
    const error = Object.assign(new Error("disk I/O error"), { code });
    expect(fromDriver(error)).toEqual(isFull ? expect.objectContaining({ code: "disk_full" }) : error);
  });

  it("has a version that changes with what other connections commit, and with nothing else", async () => {
    const [one, other] = [await open(), await open()];
    const before = one.versionOf("tokens");
    await createSourceStore(one, () => 0).put({ name: "a", document: "{}" });
    expect(one.versionOf("tokens")).toBe(before);
    await createSourceStore(other, () => 0).put({ name: "b", document: "{}" });
    expect(one.versionOf("tokens")).not.toBe(before);
    const store = createTokenStore(one, () => 0);
    const version = store.version();
    expect(version).toBe(`${one.versionOf("tokens")}.0`);
    await store.revoke("none");
    expect(store.version()).toBe(`${one.versionOf("tokens")}.1`);
  });

  it("is copied as it is, to a place without a file", async () => {
    const database = await open();
    await createSourceStore(database, () => 0).put({ name: "a", document: "{}" });
    const copy = join(folder, "copy.db");
    database.copyTo?.(copy);
    expect(await createSourceStore(await open(copy), () => 0).list()).toEqual([{ name: "a", document: "{}" }]);
    expect(() => database.copyTo?.(copy)).toThrow();
  });

  it("is refused when a later release has changed it, and keeps its content", async () => {
    const database = await open();
    await database.queries
      .insertInto("kysely_migration" as "sources")
      .values({ name: "9999-later", timestamp: "x" } as never)
      .execute();
    const refusal = await openMetadata(path).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UserError);
    expect(String(refusal)).toBe(
      `Error: ${path} was brought up to date by a later release (9999-later is not known here); ` +
        "nothing was changed. Start that release, or a later one",
    );
  });

  it("has its key beside it for its owner alone, which can be replaced", async () => {
    const database = await open();
    const key = await database.readKey();
    const file = statSync(join(folder, "data", "cursor.key"));
    expect([key.length, file.size, file.mode & 0o777]).toEqual([32, 32, 0o600]);
    const next = Buffer.alloc(32, 7);
    await database.replaceKey(next);
    expect(Buffer.from(await (await open()).readKey())).toEqual(next);
    expect(statSync(join(folder, "data", "cursor.key")).mode & 0o777).toBe(0o600);
  });

  it("has one node, which leads and is never behind", async () => {
    const nodes = await (await open()).join({ isEngineShared: false, nowMs: () => 0, log: () => undefined });
    expect([nodes.isLeader(), nodes.state()]).toEqual([true, "current"]);
    expect([await nodes.exclusively(async () => 1), await nodes.alone("job", async () => 2)]).toEqual([1, 2]);
    nodes.onChange("sources", async () => undefined);
    expect(await nodes.announce("cache")).toBeUndefined();
  });
});

describe("rows of the metadata", () => {
  it("of tokens hold all that they were created with, oldest first", async () => {
    let now = 7;
    const store = createTokenStore(await open(), () => now);
    const common = { pins: {}, expiresAt: undefined };
    const { token, secret } = await store.create({ ...common, description: "plain", scopes: ["query"] });
    expect(token).toEqual({
      id: token.id,
      hash: expect.any(Buffer),
      description: "plain",
      scopes: ["query"],
      pins: {},
      budget: {},
      redaction: "fixed",
      createdAt: 7,
      expiresAt: undefined,
      revokedAt: undefined,
      rotatedAt: undefined,
      previousHash: undefined,
      previousValidUntil: undefined,
    });
    expect(token.hash).toHaveLength(32);
    now = 6;
    const other = await store.create({
      description: "limited",
      scopes: ["private"],
      pins: {},
      budget: { max_rows: 5 },
      redaction: "switchable",
      expiresAt: 9,
    });
    expect(other.token).toMatchObject({ budget: { max_rows: 5 }, redaction: "switchable", expiresAt: 9 });
    expect(await store.list()).toEqual([other.token, token]);
    expect((await store.create({ ...common, description: "", scopes: ["private"] })).token.redaction).toBe(
      "switchable",
    );
    now = 8;
    const rotated = await store.rotate(token.id, 0);
    expect(rotated?.token).toEqual({ ...token, hash: rotated?.token.hash, rotatedAt: 8 });
    expect(rotated?.secret).not.toBe(secret);
    expect(rotated?.token.hash.equals(token.hash)).toBe(false);
    expect(await store.rotate("none", 5)).toBeUndefined();
  });

  it("of endpoints hold all of each version, the last one first", async () => {
    let now = 1;
    const store = createEndpointStore(await open(), () => now++);
    const version = {
      endpointId: "a",
      name: "b",
      author: "me",
      action: "create" as const,
      rollbackTo: undefined,
      changed: ["sql", "name"],
      document: '{"d":1}',
      contract: '{"c":1}',
    };
    await store.save(version, undefined);
    await store.save({ ...version, endpointId: "z", name: "a" }, undefined);
    expect(await store.save({ ...version, name: "c", author: "you", document: "{}" }, 1)).toBe(2);
    const { document, contract, ...summary } = version;
    const first = { ...summary, number: 1, createdAt: 1 };
    const second = { ...summary, number: 2, createdAt: 3, name: "c", author: "you" };
    expect(await store.versions("a")).toStrictEqual([second, first]);
    expect(await store.version("a", 1)).toStrictEqual({ ...first, document, contract });
    expect(await store.version("z", 2)).toBeUndefined();
    expect(await store.latest("a")).toStrictEqual({ ...second, document: "{}", contract });
    expect(await store.list()).toEqual([
      { id: "z", number: 1, name: "a", document, contract },
      { id: "a", number: 2, name: "c", document: "{}", contract },
    ]);
    expect(await store.remove("z", 1)).toBe(true);
    expect(await store.remove("z", 1)).toBe(false);
    expect(await store.save({ ...version, name: "d" }, 1)).toBeUndefined();
    // Nothing to record asks the database nothing.
    expect(await createEndpointStore({ queries: undefined as never }, () => 0).record([])).toEqual([]);
  });

  it("of views hold what was saved, by name, and are removed by their author or, where shared, by owners", async () => {
    const store = createViewStore(await open(), () => 5);
    const view = { name: "b", endpoint: "e", state: "s", author: "me", isShared: false };
    const own = await store.add(view, 2);
    expect(own).toEqual({ ...view, id: own?.id, createdAt: 5 });
    const first = await store.add({ ...view, name: "a" }, 2);
    expect(await store.add(view, 2)).toBeUndefined();
    expect(await store.add({ ...view, author: "you" }, 0)).toBeUndefined();
    expect(await store.listFor("me")).toEqual([first, own]);
    expect(await store.remove(String(own?.id), "you", true)).toBe(false);
    expect(await store.remove(String(own?.id), "me", false)).toBe(true);
    expect(await store.remove(String(own?.id), "me", false)).toBe(false);
  });

  it("of the audit's outbox are asked for only when it was not empty, or another connection wrote", async () => {
    const [database, other] = [await open(), await open()];
    let asked = 0;
    const queries = new Proxy(database.queries, {
      get: (target, name) => {
        if (name === "selectFrom") asked++;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const outbox = createAuditOutbox({ ...database, queries }, () => 1);
    for (let times = 0; times < 3; times++) expect(await outbox.list()).toEqual([]);
    expect(asked).toBe(1);
    await createAuditOutbox(other, () => 2).put({ action: "a" });
    expect(await outbox.list()).toMatchObject([{ at: 2, event: expect.stringContaining('"action":"a"') }]);
    const [entry] = await outbox.list();
    expect(asked).toBe(3);
    expect(entry?.id).toMatch(/^[0-9a-f-]{36}$/);
    await outbox.remove([]);
    expect(await outbox.list()).toHaveLength(1);
    await outbox.remove(entry === undefined ? [] : [entry]);
    expect(await outbox.list()).toEqual([]);
  });
});
