import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasPostgres, type PostgresCluster, startPostgres } from "../../test/support/postgres-cluster.ts";
import { isLong } from "../../test/support/sample-size.ts";
import type { NewVersion } from "../endpoints/management/endpoint-store.ts";
import { createAlertStore } from "./alert-store.ts";
import { createAuditOutbox } from "./audit-outbox.ts";
import type { MetadataDatabase } from "./database.ts";
import { createDrainStore } from "./drain-store.ts";
import { createEndpointStore } from "./endpoint-store.ts";
import { openMetadata } from "./open-metadata.ts";
import { createPool } from "./postgres/connections.ts";
import { readDatabaseUrl } from "./postgres/database-url.ts";
import { createSourceStore } from "./source-store.ts";
import { createTokenStore } from "./token-store.ts";
import { createViewStore } from "./view-store.ts";

/** PostgreSQL in the long suites, which `.ci/run` calls: \`npm test\` needs no server. */
const kinds = isLong && hasPostgres() ? (["SQLite", "PostgreSQL"] as const) : (["SQLite"] as const);

let cluster: PostgresCluster | undefined;
/** The database of PostgreSQL that all tests use, one after the other. */
let shared: string | undefined;
let database: MetadataDatabase;
/** The folder of the databases that are files, each with its key beside it. */
let folder: string;

const version = (id: string, more: Partial<NewVersion> = {}): NewVersion => ({
  endpointId: id,
  name: id,
  author: "me",
  action: "create",
  rollbackTo: undefined,
  changed: [],
  document: "{}",
  contract: "{}",
  ...more,
});

describe.each(kinds)("the stores in %s", (kind) => {
  beforeAll(async () => {
    if (kind === "PostgreSQL") cluster = await startPostgres();
    shared = cluster?.createDatabase();
  });

  afterAll(async () => {
    await cluster?.stop();
    cluster = undefined;
    shared = undefined;
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "logweir-stores-"));
    database = await openMetadata(shared ?? join(folder, "metadata.db"));
  });

  afterEach(async () => {
    await database.close();
    if (shared !== undefined) cluster?.empty(shared);
    rmSync(folder, { recursive: true, force: true });
  });

  it("store a version with each save, numbered by id", async () => {
    let now = 5;
    const store = createEndpointStore(database, () => now++);
    expect(await store.save(version("a"), undefined)).toBe(1);
    expect(await store.save(version("b"), undefined)).toBe(1);
    expect(
      await store.save(version("a", { document: "{2}", action: "rollback", rollbackTo: 1, changed: ["x"] }), 1),
    ).toBe(2);
    expect(await store.list()).toMatchObject([
      { id: "a", number: 2, document: "{2}" },
      { id: "b", number: 1 },
    ]);
    expect(await store.versions("a")).toMatchObject([
      { number: 2, createdAt: 7, action: "rollback", rollbackTo: 1, changed: ["x"] },
      { number: 1, createdAt: 5, rollbackTo: undefined },
    ]);
    expect(await store.version("a", 1)).toMatchObject({ number: 1, document: "{}" });
    expect([await store.version("a", 3), await store.latest("c")]).toEqual([undefined, undefined]);
  });

  it("refuse a save on a version other than the current one, or for a taken id or name", async () => {
    const store = createEndpointStore(database, () => 0);
    await store.save(version("a"), undefined);
    expect(await store.save(version("a"), undefined)).toBeUndefined();
    expect(await store.save(version("b", { name: "a" }), undefined)).toBeUndefined();
    expect(await store.save(version("a"), 2)).toBeUndefined();
    expect(await store.versions("a")).toHaveLength(1);
    expect(await store.versions("b")).toEqual([]);
  });

  it("roll back completely when a part of a save fails", async () => {
    const store = createEndpointStore(database, () => 0);
    await store.save(version("a"), undefined);
    await store.save(version("b"), undefined);
    await expect(store.save(version("a", { name: "b", document: "{9}" }), 1)).rejects.toThrow();
    const broken = version("a", { document: "{9}", author: null as unknown as string });
    await expect(store.save(broken, 1)).rejects.toThrow();
    expect(await store.list()).toMatchObject([{ id: "a", number: 1, document: "{}" }, { id: "b" }]);
    expect(await store.save(version("a"), 1)).toBe(2);
  });

  it("accept one of many concurrent saves on the same version", async () => {
    const store = createEndpointStore(database, () => 0);
    await store.save(version("a"), undefined);
    const numbers = await Promise.all(Array.from({ length: 8 }, () => store.save(version("a"), 1)));
    expect(numbers.filter((number) => number !== undefined)).toEqual([2]);
  });

  it("retain the versions of removed endpoints, and continue their numbers", async () => {
    const store = createEndpointStore(database, () => 0);
    await store.save(version("a"), undefined);
    expect(await store.remove("a", 7)).toBe(false);
    expect(await store.remove("a", 1)).toBe(true);
    expect(await store.list()).toEqual([]);
    expect(await store.versions("a")).toHaveLength(1);
    expect(await store.record([version("a"), version("a")])).toEqual([2, 3]);
    expect(await store.save(version("a"), undefined)).toBe(4);
  });

  it("store tokens with times beyond 2^31, rotations and revocations", async () => {
    let now = 1_790_000_000_000;
    const store = createTokenStore(database, () => now++);
    const before = store.ownChanges();
    const some = { description: "ü 😀 '\"", scopes: ["query"], pins: { project: ["a", "b"], tier: { prefix: "x" } } };
    const key = { publicKey: "pem", tokenUri: "https://logs.example.com/bigquery/token" };
    const { token } = await store.create({ ...some, expiresAt: 4_102_444_800_000, key });
    expect(await store.list()).toMatchObject([
      { ...some, key, expiresAt: 4_102_444_800_000, createdAt: 1_790_000_000_000, revokedAt: undefined },
    ]);
    const rotated = await store.rotate(token.id, 1_000);
    expect(rotated?.token).toMatchObject({ key, previousHash: token.hash, previousValidUntil: 1_790_000_001_001 });
    expect(await store.revoke(token.id)).toMatchObject({ revokedAt: 1_790_000_000_002 });
    expect(await store.revoke(token.id)).toMatchObject({ revokedAt: 1_790_000_000_002 });
    expect([await store.rotate(token.id, 0), await store.revoke("none")]).toEqual([undefined, undefined]);
    expect(store.ownChanges()).toBeGreaterThan(before);
  });

  it("remove ended tokens of a prefix, and no others", async () => {
    let now = 100;
    const store = createTokenStore(database, () => now);
    const make = async (id: string, expiresAt?: number) =>
      (await store.create({ id, description: "", scopes: ["query"], pins: {}, expiresAt })).token.id;
    const kept = [await make("oidc:a", 300), await make("oidc:b"), await make("b:oidc:", 150), await make("oidc:c")];
    await make("oidc:d", 199);
    await store.revoke(await make("oidc:e"));
    now = 200;
    await store.revoke("oidc:c");
    await store.removeEnded("oidc:", 200);
    expect((await store.list()).map(({ id }) => id).sort()).toEqual(kept.sort());
  });

  it("remove the scope private from pinned tokens once", async () => {
    const store = createTokenStore(database, () => 0);
    await store.create({ description: "", scopes: ["private", "query"], pins: { a: "b" }, expiresAt: undefined });
    expect(await store.demotePinnedOwners()).toMatchObject([{ scopes: ["query"] }]);
    expect(await store.demotePinnedOwners()).toEqual([]);
  });

  it("store sources by name, in byte order", async () => {
    const store = createSourceStore(database, () => 0);
    for (const name of ["b", "a", "Z", "é", "a-b", "a.b", "_"]) await store.put({ name, document: "{}" });
    await store.put({ name: "a", document: '{"kind":"x"}' });
    await store.remove("b");
    expect((await store.list()).map(({ name }) => name)).toEqual(["Z", "_", "a", "a-b", "a.b", "é"]);
    expect((await store.list())[2]).toEqual({ name: "a", document: '{"kind":"x"}' });
  });

  it("store backends and rules in order of creation, even when they change", async () => {
    const store = createDrainStore(database);
    for (const id of ["2", "1", "3"]) await store.putBackend({ id, document: "{}", config: "c" });
    for (const id of ["y", "x"]) await store.putRule({ id, backendId: "1", document: "{}" });
    await store.putRule({ id: "z", backendId: "2", document: "{}" });
    await store.putBackend({ id: "2", document: '{"a":1}', config: "d" });
    await store.putRule({ id: "y", backendId: "3", document: "[]" });
    expect(await store.backends()).toEqual([
      { id: "2", document: '{"a":1}', config: "d" },
      { id: "1", document: "{}", config: "c" },
      { id: "3", document: "{}", config: "c" },
    ]);
    expect((await store.rules()).map(({ id }) => id)).toEqual(["y", "x", "z"]);
    await store.removeBackend("1");
    await store.removeRule("z");
    expect(await store.rules()).toEqual([{ id: "y", backendId: "3", document: "[]" }]);
  });

  it("store alerts in order of creation, and no state without its alert", async () => {
    const store = createAlertStore(database);
    await store.put(["2", "1"].map((id) => ({ id, document: "d" })));
    await store.put([
      { id: "3", document: "d" },
      { id: "2", document: "e" },
    ]);
    expect(await store.list()).toEqual([
      { id: "2", document: "e" },
      { id: "1", document: "d" },
      { id: "3", document: "d" },
    ]);
    const put = async (states: Readonly<Record<string, string>>) => [
      ...(await store.putStates(new Map(Object.entries(states)))),
    ];
    expect([await put({ 1: "{}" }), await put({ 1: '{"a":1}', 4: "{}" })]).toEqual([["1"], ["1"]]);
    expect(await store.readState("1")).toBe('{"a":1}');
    expect(await store.states()).toEqual(new Map([["1", '{"a":1}']]));
    await store.remove(["1", "4"]);
    expect(await put({ 1: "{}" })).toEqual([]);
    expect([await store.readState("1"), (await store.states()).size]).toEqual([undefined, 0]);
    expect((await store.list()).map(({ id }) => id)).toEqual(["2", "3"]);
  });

  it("store views up to a limit, even under concurrent saves", async () => {
    const store = createViewStore(database, () => 1_790_000_000_000);
    const view = { name: "n", endpoint: "e", state: "s", author: "me", isShared: false };
    const added = await Promise.all(Array.from({ length: 8 }, () => store.add(view, 3)));
    expect(added.filter((each) => each !== undefined)).toHaveLength(3);
    const shared = await store.add({ ...view, name: "N", author: "you", isShared: true }, 3);
    expect(await store.listFor("me")).toHaveLength(4);
    expect((await store.listFor("me"))[0]).toEqual(shared);
    expect(await store.listFor("nobody")).toEqual([shared]);
    expect(await store.remove(String(shared?.id), "me", false)).toBe(false);
    expect(await store.remove(String(shared?.id), "me", true)).toBe(true);
  });

  it("store entries of the audit outbox until they are removed, with the same ids for all readers", async () => {
    await database.join({ isEngineShared: true, nowMs: () => performance.now(), log: () => undefined });
    const outbox = createAuditOutbox(database, () => 1_790_000_000_000);
    await outbox.put({ action: "a" });
    await outbox.put({ action: "b" });
    const other = createAuditOutbox(database, () => 0);
    const [listed, again] = await Promise.all([outbox.list(), other.list()]);
    expect(again).toEqual(listed);
    expect(listed.map(({ at, event }) => [at, (JSON.parse(event) as { action: string }).action])).toEqual([
      [1_790_000_000_000, "a"],
      [1_790_000_000_000, "b"],
    ]);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(2);
    await other.remove([]);
    await other.remove(listed.slice(0, 1));
    expect(await outbox.list()).toEqual(listed.slice(1));
    await Promise.all([outbox.remove(listed), other.remove(listed)]);
    expect([await outbox.list(), await other.list()]).toEqual([[], []]);
    // In the form of an earlier release.
    await database.queries.insertInto("audit_outbox").values({ at: 5, event: '{"action":"old"}' }).execute();
    const third = createAuditOutbox(database, () => 0);
    const [old] = await third.list();
    expect(old?.id).toMatch(/^outbox 5 \d+$/);
    expect(await third.list()).toEqual([old]);
  });

  it("store the keys of drained events by number without gaps, even under concurrent writes", async () => {
    const store = database.drainKeys;
    // A file is used by one service, which stores these keys in files of its own.
    expect(store !== undefined).toBe(kind === "PostgreSQL");
    if (store === undefined) return;
    const line = (number: number) => `${number} "id ${number}"\n`;
    const ends = await Promise.all(Array.from({ length: 20 }, (_, n) => store.add("a", line(n) + line(n), 2)));
    expect(ends.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => (n + 1) * 2));
    await store.add("b", line(0), 1);
    const rule = { id: "r", source: "a" };
    const rules = createDrainStore(database);
    const put = (id: string, source: string) => {
      return rules.putRule({ id, backendId: "b", document: JSON.stringify({ source, lql: '"source":"b"' }) });
    };
    for (const id of ["r", "s"]) await put(id, "a");
    const open = async (id: string, otherwise: "first" | "end", source = "a") =>
      (await store.openPositions([{ id, source, otherwise }])).get(id);
    const save = (number: number, isNewJournal = false, source = "a") =>
      store.savePositions([{ id: "s", source, number, progress: `0 ${number}`, isNewJournal }]);
    // One that is gone, and one that has another source.
    expect([await open("none", "end"), await open("r", "end", "b")]).toEqual([undefined, undefined]);
    expect(
      await store.openPositions([
        { ...rule, otherwise: "end" },
        { ...rule, id: "s", otherwise: "first" },
      ]),
    ).toEqual(
      new Map([
        ["r", { number: 40, progress: null }],
        ["s", { number: 0, progress: null }],
      ]),
    );
    await save(7);
    await save(3);
    await save(9, false, "b");
    expect(await open("s", "end")).toEqual({ number: 7, progress: "0 7" });
    // No further than the rule that is behind, whoever asks.
    await store.releaseBefore("a", 40);
    expect(await store.positions()).toEqual(
      new Map([
        ["r", { number: 40, progress: null }],
        ["s", { number: 7, progress: "0 7" }],
      ]),
    );
    expect((await store.read("a", 7)).map(({ first }) => first)).toEqual(
      Array.from({ length: 17 }, (_, n) => 6 + n * 2),
    );
    expect(await store.read("a", 5)).toEqual([]);
    expect(await store.waiting()).toContainEqual({ byteCount: expect.any(Number), source: "a", first: 6, end: 40 });
    expect(await store.dropOldest("a")).toBe(34);
    expect(await store.waiting()).toContainEqual({ source: "a", first: 40, end: 40, byteCount: 0 });
    await save(2, true);
    expect((await store.positions()).get("s")).toEqual({ number: 2, progress: "0 2" });
    await rules.removeRule("s");
    await store.remove("a");
    expect((await store.waiting()).map(({ source }) => source).sort()).toEqual(["a", "b"]);
    await put("r", "b");
    expect(await open("r", "end", "b")).toEqual({ number: 1, progress: null });
    await store.remove("a");
    await rules.removeRule("r");
    expect(await store.positions()).toEqual(new Map());
    expect((await store.waiting()).map(({ source }) => source)).toEqual(["b"]);
  });

  it("use no connection of before the database was reached again, and read whole numbers exactly", async () => {
    if (cluster === undefined) return;
    let [epoch, isAway] = [1, false];
    const pool = createPool(readDatabaseUrl(cluster.createDatabase()), { isAway: () => isAway, epoch: () => epoch });
    const read = async (text: string) => {
      const client = await pool.connect();
      const [row] = (await client.query<{ readonly n: number }>(text, []).finally(() => client.release())).rows;
      return row?.n;
    };
    const pid = "SELECT pg_backend_pid() AS n";
    const first = await read(pid);
    expect(await read(pid)).toBe(first);
    epoch++;
    const second = await read(pid);
    expect(second).not.toBe(first);
    expect(await read(pid)).toBe(second);
    expect(await read("SELECT 9007199254740991::bigint AS n")).toBe(9_007_199_254_740_991);
    await expect(read("SELECT 9007199254740992::bigint AS n")).rejects.toThrow();
    await expect(read("SELECT nothing")).rejects.toMatchObject({ code: "42703" });
    // A statement's own error leaves the connection; one that the server ended is replaced.
    const ended = await pool.connect();
    const end = ended.query("SELECT pg_terminate_backend(pg_backend_pid())", []);
    await expect(end).rejects.toMatchObject({ code: "metadata_unavailable" });
    await expect(ended.query("SELECT 1", [])).rejects.toThrow("The database of the metadata went away");
    ended.release();
    expect(await read("SELECT 1 AS n")).toBe(1);
    isAway = true;
    await expect(pool.connect()).rejects.toThrow("The metadata database is unreachable");
    await pool.end();
  });

  it("have one key, however often it is read", async () => {
    const key = await database.readKey();
    expect(key).toHaveLength(32);
    expect(await database.readKey()).toEqual(key);
  });
});
