import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex, PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INT64, STRING } from "../../../googlesql/types.ts";
import type { LogEvent, QueryLimits, RowBatch } from "../../contract/query-engine.ts";
import { HostClient } from "../process/host-client.ts";
import { DuckDbStore } from "../store/store.ts";
import { writeFrame } from "./frames.ts";
import type { HostQuery } from "./protocol.ts";
import { serve } from "./server.ts";

const signal = new AbortController().signal;
const limits: QueryLimits = { timeoutMs: 60_000, maxRows: 1e6, maxResultBytes: 1e8 };
const options = {
  threads: 1,
  maxQueries: 1,
  memoryLimitBytes: 256 * 1024 ** 2,
  checkpointBytes: 1024 ** 2,
  compaction: { minRows: 10, maxRows: 100 },
};

function queryOf(sql: string, type = INT64): HostQuery {
  return { sql, parameters: [], columns: [{ name: "v", type }], encoding: "cells", limits };
}

async function textOf(rows: AsyncGenerator<RowBatch, unknown, void>): Promise<string> {
  const parts: string[] = [];
  for await (const { json } of rows) parts.push(json);
  return parts.join(",");
}

/** A client of a server, both in this process. */
function connect() {
  const [toHost, fromHost] = [new PassThrough(), new PassThrough()];
  const socket = Duplex.from({ readable: toHost, writable: fromHost });
  const ends: (Error | undefined)[] = [];
  const hooks = { onFatal: () => expect.unreachable(), onProblem: () => expect.unreachable() };
  serve(socket as Socket, hooks, (error) => ends.push(error));
  const client = new HostClient(Duplex.from({ readable: fromHost, writable: toHost }), () => expect.unreachable());
  return { client, toHost, ends };
}

/** Waits until all messages between the two ends have arrived. */
async function arrive(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("the engine host's server", () => {
  const { client, toHost, ends } = connect();
  beforeAll(async () => {
    expect(await client.open(options)).toEqual({ sources: [] });
  });
  afterAll(() => client.close());

  it("answers that it is starting before it has opened a store, and ends with the service", async () => {
    const early = connect();
    const starting = { code: "unavailable", message: "The engine is starting" };
    await expect(early.client.ping()).rejects.toMatchObject(starting);
    await expect(early.client.run(queryOf("SELECT 1"), signal).next()).rejects.toMatchObject(starting);
    early.toHost.end();
    await arrive();
    expect(early.ends.length).toBeGreaterThan(0);
    expect(early.ends.every((error) => error === undefined)).toBe(true);
  });

  it("ends with an error where what arrives is no frame", async () => {
    const broken = connect();
    broken.toHost.write(Buffer.alloc(8));
    await arrive();
    expect(broken.ends).toEqual([new RangeError("A frame cannot have 0 bytes")]);
  });

  it("does what each request asks for", async () => {
    const store = new DuckDbStore(() => client);
    await store.ensureSource({
      name: "edge",
      knownFields: [{ path: "project", type: STRING }],
      tenantField: "project",
    });
    await store.ensureSource({ name: "plain", knownFields: [] });
    const eventOf = (id: string, timestampUs: bigint, fields: LogEvent["fields"]): LogEvent => {
      return { id, hasGeneratedId: false, timestampUs, eventMessage: `m ${id}`, fields };
    };
    const events = [eventOf("a", 5n, { project: "p1" }), eventOf("b", 7n, {}), eventOf("a", 9n, { project: "p1" })];
    expect(await store.append("edge", events, signal)).toMatchObject({ stored: 2, repeated: 1 });
    await store.append("plain", [eventOf("c", 3n, { size: 4 })], signal);

    const edge = { name: "edge", rowCount: 2, oldestUs: "5", newestUs: "7", tailRowCount: 2 };
    const plain = { name: "plain", rowCount: 1, oldestUs: "3", newestUs: "3", tailRowCount: 1 };
    expect(await client.statistics()).toEqual([edge, plain]);
    const none = { fileBytes: 0, reusableBytes: 0, logBytes: 0, diskFreeBytes: 0 };
    expect(await client.report()).toEqual({
      ...none,
      sources: [
        { ...edge, fieldCount: 1, runCount: 0, tenantlessCount: 1 },
        { ...plain, fieldCount: 1, runCount: 0, tenantlessCount: null },
      ],
    });

    expect(await client.maintain()).toBe(false);
    await expect(client.beginSnapshot()).rejects.toMatchObject({ message: "A store in memory has no file" });
    await client.endSnapshot();
    expect(await client.countEvents("edge", { toUs: "7" })).toBe(1);
    expect(await client.deleteEvents("edge", { toUs: "7" })).toEqual({ matched: 1, deleted: 1 });
    expect(await client.deleteEvents("edge", { toUs: "7" })).toEqual({ matched: 0, deleted: 0 });
    await client.dropSource("edge");
    await client.dropSource("edge");
    await expect(client.deleteEvents("edge", { toUs: "8" })).rejects.toMatchObject({
      code: "unknown_source",
      message: "The store has no source edge",
    });
    expect(await client.statistics()).toEqual([plain]);
  });

  it("tells all that an error has, and answers further requests", async () => {
    await expect(connect().client.open({ ...options, directory: "/dev/null/x" })).rejects.toMatchObject({
      code: "unavailable",
      cause: { message: expect.stringContaining("/dev/null/x") as string },
      isLost: false,
      retryAfterSeconds: undefined,
      limit: undefined,
    });
    const run = client.run({ ...queryOf("SELECT 12345"), limits: { ...limits, maxResultBytes: 7 } }, signal);
    const tooLarge = { code: "result_too_large", message: "The result is larger than 7 bytes" };
    await expect(run.next()).rejects.toMatchObject(tooLarge);
    const exact = client.run({ ...queryOf("SELECT 12345"), limits: { ...limits, maxResultBytes: 8 } }, signal);
    expect(await textOf(exact)).toBe("[12345]");
  });

  it("tells when a request may come again", async () => {
    const directory = mkdtempSync(join(tmpdir(), "logweir-server-"));
    const other = connect().client;
    await other.open({ ...options, directory });
    expect(await other.beginSnapshot()).toMatchObject({ name: "events.duckdb", sources: [] });
    await expect(other.beginSnapshot()).rejects.toMatchObject({ code: "overloaded", retryAfterSeconds: 10 });
    await other.endSnapshot();
    await other.beginSnapshot();
    await other.close();
    rmSync(directory, { recursive: true });
  });

  it("sends a query's rows as they are taken, in batches, and answers how many they were", async () => {
    const rows = client.run(queryOf("SELECT range FROM range(4096)"), signal);
    const taken: RowBatch[] = [];
    let step = await rows.next();
    for (; step.done !== true; step = await rows.next()) taken.push(step.value);
    expect(step.value).toEqual({ rowCount: 4096, isTruncated: false, engineMs: expect.any(Number) as number });
    expect(taken.map(({ rowCount }) => rowCount)).toEqual(Array.from({ length: 16 }, () => 256));
    const numbers = JSON.parse(`[${taken.map(({ json }) => json).join(",")}]`) as [number][];
    expect(numbers.map(([value]) => value)).toEqual(Array.from({ length: 4096 }, (_, i) => i));
  });

  it("sends fewer rows together where they are long, and reads none that a result has no room for", async () => {
    const long = queryOf("SELECT repeat('x', 400000) FROM range(5)", STRING);
    const counts: number[] = [];
    for await (const { rowCount } of client.run(long, signal)) counts.push(rowCount);
    expect(counts).toEqual([3, 2]);
    for (const [maxResultBytes, read] of [
      [1_199_999, []],
      [2_000_000, [3]],
    ] as const) {
      const taken: number[] = [];
      const readAll = async () => {
        const limited = { ...long, limits: { ...limits, maxResultBytes } };
        for await (const { rowCount } of client.run(limited, signal)) taken.push(rowCount);
      };
      await expect(readAll()).rejects.toMatchObject({ code: "result_too_large" });
      expect(taken).toEqual(read);
    }
  });

  it("cuts rows off at the limit of a query, and says so where there were more", async () => {
    for (const [maxRows, isTruncated] of [
      [299, true],
      [300, false],
    ] as const) {
      const rows = client.run({ ...queryOf("SELECT range FROM range(300)"), limits: { ...limits, maxRows } }, signal);
      let step = await rows.next();
      while (step.done !== true) step = await rows.next();
      expect(step.value).toMatchObject({ rowCount: maxRows, isTruncated });
    }
  });

  it("waits for a reader that is slow, and stops a query whose reader is gone", async () => {
    const rows = client.run(queryOf("SELECT range FROM range(100000000)"), signal);
    expect((await rows.next()).value).toMatchObject({ rowCount: 256 });
    await arrive();
    await rows.return({ rowCount: 0, isTruncated: true, engineMs: 0 });
    // One query at a time may run: this one would wait for ever for one that goes on.
    expect(await textOf(client.run(queryOf("SELECT 1"), signal))).toBe("[1]");
    expect(client.oldestOverdueMs()).toBeUndefined();
  });

  it("stops a query whose time is over, and refuses one that answers other columns than it should", async () => {
    const slow = "SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b";
    const timeout = { code: "timeout", message: "The query ran longer than 5 ms" };
    const run = client.run({ ...queryOf(slow), limits: { ...limits, timeoutMs: 5 } }, signal);
    await expect(run.next()).rejects.toMatchObject(timeout);
    const other = client.run(queryOf("SELECT 1, 2"), signal);
    const message = "The engine answered another number of columns than were compiled";
    await expect(other.next()).rejects.toMatchObject({ code: "internal", message });
  });

  it("answers rows without columns for a query that selects the fields of what no event has carried", async () => {
    const none = { ...queryOf("SELECT NULL FROM range(2)"), columns: [] };
    expect(await textOf(client.run(none, signal))).toBe("[],[]");
  });

  it("binds a query's values in their order", async () => {
    const parameters = ["x", "y"].map((value) => ({ type: STRING, value }));
    const query = { ...queryOf("SELECT $2 || $1", STRING), parameters, encoding: "objects" } as const;
    expect(await textOf(client.run(query, signal))).toBe('{"v":"yx"}');
  });

  it("ignores what is said of a query that it does not run", async () => {
    writeFrame(toHost, { id: 900, kind: "more", batchCount: 1 });
    writeFrame(toHost, { id: 900, kind: "cancel" });
    await client.ping();
    expect(ends).toEqual([]);
  });
});
