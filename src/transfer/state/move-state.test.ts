import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasPostgres, type PostgresCluster, startPostgres } from "../../../test/support/postgres-cluster.ts";
import { isLong } from "../../../test/support/sample-size.ts";
import { createAuditOutbox } from "../../metadata/audit-outbox.ts";
import type { MetadataDatabase } from "../../metadata/database.ts";
import { createDrainStore } from "../../metadata/drain-store.ts";
import { createEndpointStore } from "../../metadata/endpoint-store.ts";
import { openMetadata } from "../../metadata/open-metadata.ts";
import { createSourceStore } from "../../metadata/source-store.ts";
import { createTokenStore } from "../../metadata/token-store.ts";
import { createViewStore } from "../../metadata/view-store.ts";
import { moveState, type StateMove } from "./move-state.ts";
import { readState } from "./state-tables.ts";

const now = () => 1_700_000_000_000;
let folder: string;
let cluster: PostgresCluster | undefined;
let from: MetadataDatabase;
let to: MetadataDatabase;
let known: Set<string>;

async function fill(database: MetadataDatabase): Promise<void> {
  const tokens = createTokenStore(database, now);
  const { token } = await tokens.create({
    description: "é\u{1f600}",
    scopes: ["query"],
    pins: { project: "p" },
    expiresAt: undefined,
  });
  await tokens.rotate(token.id, 60_000);
  await tokens.create({ description: "", scopes: ["private"], pins: {}, budget: { max_rows: 5 }, expiresAt: 2 ** 52 });
  const endpoints = createEndpointStore(database, now);
  const version = {
    ...{ endpointId: "id", name: "e", author: "a", document: "{}", contract: "{}", changed: ["query"] },
    ...{ action: "create" as const, rollbackTo: undefined },
  };
  await endpoints.save(version, undefined);
  await endpoints.save({ ...version, name: "renamed", action: "update" }, 1);
  await createSourceStore(database, now).put({ name: "s", document: '{"name":"s"}' });
  const drains = createDrainStore(database);
  for (const id of ["z", "a", "m"]) await drains.putBackend({ id, document: id, config: "sealed" });
  await drains.putRule({ id: "r", backendId: "z", document: "{}" });
  await createViewStore(database, now).add({ name: "v", endpoint: "e", state: "?", author: "a", isShared: true }, 10);
}

function move(more: Partial<StateMove> = {}) {
  const states = {
    knowsState: (digest: string) => known.has(digest),
    noteState: (digest: string) => void known.add(digest),
  };
  return moveState({ from, to, isSourceIdle: true, isTargetIdle: true, known: states, ...more });
}

const digestOf = async (database: MetadataDatabase) => (await readState(database.queries)).digest;

beforeAll(async () => {
  if (isLong && hasPostgres()) cluster = await startPostgres();
});

afterAll(() => cluster?.stop());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logweir-state-"));
  known = new Set();
});

afterEach(async () => {
  await Promise.all([from.close(), to.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string) => openMetadata(join(folder, name, "metadata.db"));

describe.each(isLong ? ["a file", "PostgreSQL"] : ["a file"])("the state moved to %s", (place) => {
  const openTarget = () => (place === "PostgreSQL" && cluster ? openMetadata(cluster.createDatabase()) : file("to"));

  beforeEach(async () => {
    from = await file("from");
    to = await openTarget();
    await fill(from);
  });

  it("is copied row by row in order, with the key, and a second move finds it unchanged", async () => {
    expect(await move()).toMatchObject({ outcome: "moved" });
    expect(await digestOf(to)).toBe(await digestOf(from));
    expect((await createDrainStore(to).backends()).map(({ id }) => id)).toEqual(["z", "a", "m"]);
    expect(Buffer.from(await to.readKey())).toEqual(Buffer.from(await from.readKey()));
    expect(await move()).toMatchObject({ outcome: "same" });
  });

  it("follows changes and removals in the source", async () => {
    await move();
    await createDrainStore(from).removeBackend("z");
    await createSourceStore(from, now).put({ name: "later", document: "{}" });
    expect(await move()).toMatchObject({ outcome: "moved" });
    expect(await digestOf(to)).toBe(await digestOf(from));
  });

  it("does not replace the target's own state unless this is requested", async () => {
    await createSourceStore(to, now).put({ name: "own", document: "{}" });
    const before = await digestOf(to);
    await expect(move()).rejects.toThrow(/has a state of its own \(sources 1\).*--replace-state/);
    expect(await digestOf(to)).toBe(before);
    await move({ replaces: true });
    expect(await digestOf(to)).toBe(await digestOf(from));
    // A change made in the target after a move also belongs to the target.
    await createSourceStore(to, now).put({ name: "own", document: "{}" });
    await createSourceStore(from, now).put({ name: "later", document: "{}" });
    await expect(move()).rejects.toThrow(/differs in: sources/);
  });

  it("stays unchanged while services use the target, which is reported, and in a dry run", async () => {
    const before = await digestOf(to);
    expect(await move({ isTargetIdle: false })).toMatchObject({
      outcome: "kept",
      differs: expect.stringContaining("tokens"),
    });
    expect(await move({ isDry: true })).toMatchObject({ outcome: "moved" });
    expect(await digestOf(to)).toBe(before);
    await move();
    expect(await move({ isTargetIdle: false })).toMatchObject({ outcome: "same" });
  });

  it("includes pending audit entries once, and only if no service uses the source", async () => {
    await createAuditOutbox(from, now).put({ action: "token.create", actor: "command" });
    expect(await move({ isSourceIdle: false })).toMatchObject({ auditEntries: 0 });
    expect(await move()).toMatchObject({ auditEntries: 1 });
    expect(await move()).toMatchObject({ auditEntries: 0 });
    expect(await from.queries.selectFrom("audit_outbox").selectAll().execute()).toEqual([]);
    const [entry, ...others] = await to.queries.selectFrom("audit_outbox").selectAll().execute();
    expect([entry?.at, JSON.parse(entry?.event ?? ""), others]).toMatchObject([now(), { action: "token.create" }, []]);
  });
});
