import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../../test/support/test-app.ts";
import { prefixBytes } from "../../../backups/backup-stream.ts";
import { EngineError, type EventStore } from "../../../engines/contract/query-engine.ts";
import { createLogger } from "../../observe/logger.ts";
import { addStoreRoutes } from "./store.ts";

let test: TestApp;
let folder: string;

beforeEach(async () => {
  test = await createTestApp();
  folder = mkdtempSync(join(tmpdir(), "logweir-backup-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Adds the routes over a store with these abilities. */
function addRoutes(some: Partial<EventStore>): void {
  addStoreRoutes(test.app, {
    engine: { ...test.engine, store: { ...test.engine.store, ...some } },
    metadata: { copyTo: (path) => writeFileSync(path, "tokens") },
    sizeBounds: { maxUsedBytes: undefined, minFreeBytes: undefined },
    metadataCopyPath: join(folder, "copy.db"),
    findProblems: async () => [],
    sources: { sources: [{ name: "edge", retentionDays: undefined }] },
    audit: { record: () => undefined },
    logger: createLogger("silent"),
    nowMs: () => 0,
    shutdown: test.shutdown,
  });
}

async function get(url: string, request: RequestInit = {}) {
  const address = await test.app.listen({ port: 0, host: "127.0.0.1" });
  const headers = { "x-api-key": "private-token", "content-type": "application/octet-stream" };
  const response = await fetch(`${address}${url}`, { ...request, headers });
  const text = await response.text().catch(() => "(cut off)");
  await test.app.close();
  return { status: response.status, text };
}

describe("the store over HTTP", () => {
  function snapshotOf(release: () => Promise<void>): Partial<EventStore> {
    const path = join(folder, "events.db");
    writeFileSync(path, "events");
    const files = [{ name: "events.db", path, byteCount: 6 }];
    return { snapshot: async () => ({ files, sources: [{ name: "edge", rowCount: 3 }], release }) };
  }

  it("sends a backup as a header, the files and their checksums", async () => {
    let releases = 0;
    addRoutes(snapshotOf(async () => void releases++));
    const { status, text } = await get("/api/store/backup");
    expect(status).toBe(200);
    const [head = "", rest = ""] = text.split("\n");
    expect(JSON.parse(head)).toEqual({
      format: 1,
      made_at: "1970-01-01T00:00:00.000Z",
      sources: [{ name: "edge", rows: 3 }],
      files: [
        { path: "store/events.db", bytes: 6 },
        { path: "metadata.db", bytes: 6 },
      ],
    });
    expect(rest).toMatch(/^eventstokens\{"sha256":\["[0-9a-f]{64}","[0-9a-f]{64}"\]\}$/);
    expect(releases).toBe(1);
  });

  it("sends a backup without the chunks that the caller has", async () => {
    const hashOf = (text: string) => createHash("sha256").update(text).digest();
    const frame = (text: string) => [hashOf(text), Buffer.of(1), Buffer.from(text)];
    const requests: readonly [string, readonly Buffer[]][] = [
      ["", [...frame("events"), ...frame("tokens")]],
      [hashOf("events").toString("hex"), [hashOf("events"), Buffer.of(0), ...frame("tokens")]],
      ["00".repeat(7), [...frame("events"), ...frame("tokens")]],
    ];
    for (const [known, frames] of requests) {
      addRoutes(snapshotOf(async () => undefined));
      const address = await test.app.listen({ port: 0, host: "127.0.0.1" });
      const response = await fetch(`${address}/api/store/backup`, {
        method: "POST",
        headers: { "x-api-key": "private-token", "content-type": "application/octet-stream" },
        body: Uint8Array.from(Buffer.from(known, "hex").subarray(0, prefixBytes)),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const end = bytes.indexOf(10) + 1;
      expect(JSON.parse(bytes.toString("utf8", 0, end))).toMatchObject({
        format: 2,
        files: [{ bytes: 6 }, { bytes: 6 }],
      });
      expect(bytes.subarray(end).toString("hex")).toBe(
        Buffer.concat([...frames, Buffer.from('{"sha256":[]}\n')]).toString("hex"),
      );
      await test.app.close();
      test = await createTestApp();
    }
  });

  it("sends zeros in place of blocks that hold nothing", async () => {
    const path = join(folder, "events.db");
    const bytes = randomBytes(12_288 + 2 * 262_144);
    writeFileSync(path, bytes);
    const files = [{ name: "events.db", path, byteCount: bytes.length, findUnused: async () => new Set([12_288]) }];
    addRoutes({ snapshot: async () => ({ files, sources: [], release: async () => undefined }) });
    const address = await test.app.listen({ port: 0, host: "127.0.0.1" });
    const headers = { "x-api-key": "private-token", "content-type": "application/octet-stream" };
    const response = await fetch(`${address}/api/store/backup`, { method: "POST", headers });
    const answer = Buffer.from(await response.arrayBuffer());
    const frames = answer.subarray(answer.indexOf(10) + 1);
    const chunkAt = (start: number, size: number) => frames.subarray(start + 33, start + 33 + size);
    expect(chunkAt(0, 12_288).equals(bytes.subarray(0, 12_288))).toBe(true);
    expect(chunkAt(12_288 + 33, 262_144).equals(Buffer.alloc(262_144))).toBe(true);
    expect(chunkAt(12_288 + 262_144 + 66, 262_144).equals(bytes.subarray(-262_144))).toBe(true);
    await test.app.close();
  });

  it("cuts a backup off when the engine was restarted underneath it", async () => {
    addRoutes(snapshotOf(() => Promise.reject(new EngineError("unavailable", "The engine stopped"))));
    expect((await get("/api/store/backup")).text).toBe("(cut off)");
    test = await createTestApp();
    addRoutes(snapshotOf(() => Promise.reject(new EngineError("unavailable", "The engine stopped"))));
    expect((await get("/api/store/backup", { method: "POST" })).text).toBe("(cut off)");
  });

  it("releases the snapshot when the caller leaves before the first byte", async () => {
    let releases = 0;
    addRoutes(snapshotOf(async () => void releases++));
    test.app.addHook("onSend", async (request, reply) => {
      request.raw.socket.destroy();
      await once(reply.raw, "close");
    });
    await get("/api/store/backup").catch(() => undefined);
    await test.app.close();
    await expect.poll(() => releases).toBe(1);
  });

  it("refuses a second backup while one is running", async () => {
    addRoutes({ snapshot: () => Promise.reject(new EngineError("overloaded", "A backup is being made already")) });
    expect((await get("/api/store/backup")).status).toBe(429);
  });

  it("answers 404 when the engine stores its state elsewhere", async () => {
    addRoutes({});
    expect((await get("/api/store")).status).toBe(404);
  });
});

describe("a full disk", () => {
  it("refuses events with 507 and a retry time while queries still work", async () => {
    test.engine.onAppend = async () => Promise.reject(new EngineError("disk_full", "no space left"));
    const ingest = await test.app.inject({
      method: "POST",
      url: "/api/logs?source=edge",
      payload: "{}",
      headers: { "x-api-key": "ingest-token" },
    });
    expect([ingest.statusCode, ingest.headers["retry-after"]]).toEqual([507, "30"]);
    expect(ingest.json().error.message).toBe("The events were not stored: no space left");
    const query = await test.app.inject({
      url: "/api/endpoints/query/open?project=x",
      headers: { "x-api-key": "query-token" },
    });
    expect(query.statusCode).toBe(200);
  });
});
