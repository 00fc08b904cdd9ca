import { Duplex, PassThrough } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { STRING } from "../../../googlesql/types.ts";
import type { EncodedBatch } from "../batch/batch.ts";
import { type Frame, FrameReader, writeFrame } from "../host/frames.ts";
import { BATCH_WINDOW, type CalledMethod, type HostQuery, type HostRequest } from "../host/protocol.ts";
import { HostClient } from "./host-client.ts";

const signal = new AbortController().signal;
const limits = { timeoutMs: 1000, maxRows: 10, maxResultBytes: 1e6 };
const lost = {
  name: "EngineError",
  code: "unavailable",
  message: "The engine stopped and is restarting",
  retryAfterSeconds: 1,
  isLost: true,
};
const blamed = { code: "memory_exceeded", message: "The query needs more memory than it may use" };

function queryOf(sql: string, timeoutMs = limits.timeoutMs): HostQuery {
  const columns = [{ name: "v", type: STRING }];
  return { sql, parameters: [], columns, encoding: "cells", limits: { ...limits, timeoutMs } };
}

function batchOf(name: string, payload: string): EncodedBatch {
  return { header: { name }, payload: Buffer.from(payload) } as unknown as EncodedBatch;
}

function callOf(method: CalledMethod, ...args: readonly unknown[]): object {
  return { kind: "call", method, args };
}

/** A client, with the other end of its stream in the test's hands. */
function connect() {
  const [toHost, fromHost] = [new PassThrough(), new PassThrough()];
  const broken: string[] = [];
  const client = new HostClient(Duplex.from({ readable: fromHost, writable: toHost }), (why) => broken.push(why));
  const reader = new FrameReader();
  const arrived: Frame[] = [];
  toHost.on("data", (piece: Buffer) => arrived.push(...reader.push(piece)));
  /** Returns the client's messages since the last call. */
  const sent = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return arrived
      .splice(0)
      .map(({ head, body }) => (body.length === 0 ? head : { ...(head as object), body: `${body}` }));
  };
  const answer = async (head: object, body?: string) => {
    writeFrame(fromHost, head, body === undefined ? undefined : Buffer.from(body));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { client, sent, answer, broken, fromHost };
}

describe("what the engine host answers", () => {
  afterEach(() => vi.restoreAllMocks());

  it("sends each request under its own number and returns the answer of that number", async () => {
    const { client, sent, answer } = connect();
    const options = { threads: 2, memoryLimitBytes: 3, checkpointBytes: 4, compaction: { minRows: 5, maxRows: 6 } };
    const calls: readonly (readonly [object, () => Promise<unknown>, unknown])[] = [
      [{ kind: "open", options }, () => client.open(options), { sources: [] }],
      [callOf("createSources", []), () => client.createSources([]), ["made"]],
      [callOf("addEntries", "a", []), () => client.addEntries("a", []), undefined],
      [callOf("statistics"), () => client.statistics(), ["one"]],
      [callOf("countEvents", "b", { id: "x" }), () => client.countEvents("b", { id: "x" }), 8],
      [
        callOf("deleteEvents", "b", { toUs: "7" }),
        () => client.deleteEvents("b", { toUs: "7" }),
        { matched: 3, deleted: 2 },
      ],
      [callOf("dropSource", "c"), () => client.dropSource("c"), undefined],
      [callOf("sizes"), () => client.sizes(), { fileBytes: 4 }],
      [callOf("report"), () => client.report(), { fileBytes: 9 }],
      [callOf("beginSnapshot"), () => client.beginSnapshot(), { name: "s" }],
      [callOf("endSnapshot"), () => client.endSnapshot(), undefined],
      [callOf("maintain"), () => client.maintain(), true],
      [callOf("ping"), () => client.ping(), undefined],
      [callOf("close"), () => client.close(), undefined],
    ];
    const answers = calls.map(([, call]) => call());
    expect(await sent()).toEqual(calls.map(([request], i) => ({ id: i + 1, ...request })));
    // The last first: an answer belongs to its number, whatever came before it.
    for (let id = calls.length; id > 0; id--) await answer({ id, kind: "done", value: calls[id - 1]?.[2] });
    expect(await Promise.all(answers)).toEqual(calls.map(([, , value]) => value));
  });

  it("sends a source's rules, and the payload of a batch behind its header", async () => {
    const { client, sent, answer } = connect();
    const rules = { tenantField: "project", fields: [] } as const;
    const defined = client.defineSource("d", rules as unknown as Parameters<HostClient["defineSource"]>[1]);
    const context = { tenants: [] };
    const [empty, one] = [
      client.append("e", batchOf("x", ""), context),
      client.append("e", batchOf("y", "one"), context),
    ];
    expect(await sent()).toEqual([
      { id: 1, ...callOf("defineSource", "d", rules) },
      { id: 2, kind: "append", source: "e", header: { name: "x" }, context },
      { id: 3, kind: "append", source: "e", header: { name: "y" }, context, body: "one" },
    ]);
    for (const id of [1, 2, 3]) await answer({ id, kind: "done", value: { id } });
    expect(await Promise.all([defined, empty, one])).toEqual([1, 2, 3].map((id) => ({ id })));
  });

  it("rejects with the host's error, with what it says of it and nothing more", async () => {
    const { client, answer } = connect();
    const [bare, full] = [client.ping(), client.ping()].map((call) => call.catch((error: unknown) => error));
    await answer({ id: 1, kind: "error", code: "internal", message: "no" });
    const rest = { retryAfterSeconds: 4, isLost: true, limit: "max_rows" };
    await answer({ id: 2, kind: "error", code: "overloaded", message: "later", detail: "why", ...rest });
    const plain = { code: "internal", message: "no", isLost: false, limit: undefined, retryAfterSeconds: undefined };
    expect(await bare).toMatchObject({ name: "EngineError", ...plain });
    expect(await bare).not.toHaveProperty("cause");
    expect(await full).toMatchObject({ code: "overloaded", message: "later", ...rest, cause: { message: "why" } });
  });

  it("returns a query's batches, asks for as many more as were taken, and ends with the summary", async () => {
    const { client, sent, answer } = connect();
    const rows = client.run(queryOf("q"), signal);
    const first = rows.next();
    expect(await sent()).toEqual([{ id: 1, kind: "run", query: queryOf("q") }]);
    await answer({ id: 1, kind: "rows", rowCount: 2 }, "[1],[2]");
    expect(await first).toMatchObject({ done: false, value: { json: "[1],[2]", rowCount: 2 } });
    expect(await sent()).toEqual([]);
    await answer({ id: 1, kind: "rows", rowCount: 1 }, "[3]");
    await answer({ id: 1, kind: "done", value: { rowCount: 3 } });
    expect(await rows.next()).toMatchObject({ done: false, value: { json: "[3]", rowCount: 1 } });
    expect(await rows.next()).toEqual({ done: true, value: { rowCount: 3 } });
    expect(await sent()).toEqual([{ id: 1, kind: "more", batchCount: 2 }]);
  });

  it("throws a query's error after the batches that came before it, and cancels nothing", async () => {
    const { client, sent, answer } = connect();
    const rows = client.run(queryOf("q"), signal);
    const first = rows.next();
    await answer({ id: 1, kind: "rows", rowCount: 1 }, "[1]");
    await answer({ id: 1, kind: "error", code: "evaluation", message: "division by zero" });
    expect(await first).toMatchObject({ value: { json: "[1]" } });
    await expect(rows.next()).rejects.toMatchObject({ message: "division by zero" });
    expect((await sent()).slice(1)).toEqual([]);
  });

  it("cancels a query whose reader stops, and only that one is overdue", async () => {
    const { client, sent, answer } = connect();
    const [rows, other] = [client.run(queryOf("q"), signal), client.run(queryOf("r"), signal)];
    const started = [rows.next(), other.next()];
    await answer({ id: 1, kind: "rows", rowCount: 1 }, "[1]");
    await answer({ id: 2, kind: "rows", rowCount: 1 }, "[1]");
    await Promise.all(started);
    expect(client.oldestOverdueMs()).toBeUndefined();
    await rows.return({ rowCount: 0 } as never);
    expect((await sent()).slice(2)).toEqual([{ id: 1, kind: "cancel" }]);
    expect(client.oldestOverdueMs()).toBeDefined();
    await answer({ id: 1, kind: "error", code: "aborted", message: "stopped" });
    expect(client.oldestOverdueMs()).toBeUndefined();
  });

  it("throws at once when a query is aborted, before the batches that wait, and starts none that already is", async () => {
    const { client, sent, answer } = connect();
    const controller = new AbortController();
    const rows = client.run(queryOf("q"), controller.signal);
    const first = rows.next();
    await answer({ id: 1, kind: "rows", rowCount: 1 }, "[1]");
    await first;
    await answer({ id: 1, kind: "rows", rowCount: 1 }, "[2]");
    controller.abort();
    const stopped = { code: "aborted", message: "The query was stopped" };
    await expect(rows.next()).rejects.toMatchObject(stopped);
    expect((await sent()).at(-1)).toEqual({ id: 1, kind: "cancel" });
    await expect(client.run(queryOf("r"), controller.signal).next()).rejects.toMatchObject(stopped);
    expect(await sent()).toEqual([]);
  });

  it("counts a cancelled query as overdue from its deadline on, or from its cancelling if that was later", async () => {
    const clock = vi.spyOn(performance, "now").mockReturnValue(100);
    const { client } = connect();
    const controllers = [new AbortController(), new AbortController()];
    const [long, short] = controllers.map((one, i) => client.run(queryOf("q", i === 0 ? 5000 : 50), one.signal));
    const ends = [long, short].map((rows) => rows?.next().catch(() => undefined));
    clock.mockReturnValue(400);
    controllers[0]?.abort();
    await ends[0];
    expect(client.oldestOverdueMs()).toBe(5100);
    controllers[1]?.abort();
    await ends[1];
    expect(client.oldestOverdueMs()).toBe(400);
    // The longest one counts, whichever was cancelled last.
    clock.mockReturnValue(900);
    const late = new AbortController();
    const last = client
      .run(queryOf("q", 50), late.signal)
      .next()
      .catch(() => undefined);
    late.abort();
    await last;
    expect(client.oldestOverdueMs()).toBe(400);
  });

  it.each([
    ["oldest", "q1"],
    ["overdue", "q2"],
    ["nobody", undefined],
  ] as const)("fails everything when the host is gone; to blame is the %s: %s", async (blame, culprit) => {
    const clock = vi.spyOn(performance, "now").mockReturnValue(100);
    const { client, sent } = connect();
    const told: string[] = [];
    const ping = client.ping();
    const controllers = [1, 2, 3].map(() => new AbortController());
    const ends = controllers.map((one, i) => {
      clock.mockReturnValue(100 + i);
      const rows = client.run(queryOf(`q${i + 1}`), one.signal, () => told.push(`q${i + 1}`));
      return rows.next().catch((error: unknown) => error);
    });
    controllers[1]?.abort();
    expect(await ends[1]).toMatchObject({ code: "aborted" });
    await sent();
    client.fail(blame);
    client.fail("oldest");
    await expect(ping).rejects.toMatchObject(lost);
    expect(await ends[0]).toMatchObject(culprit === "q1" ? blamed : lost);
    expect(await ends[2]).toMatchObject(lost);
    expect(told).toEqual(culprit === undefined ? [] : [culprit]);
    expect(client.oldestOverdueMs()).toBeUndefined();
    await expect(client.ping()).rejects.toMatchObject(lost);
    await expect(client.run(queryOf("late"), signal).next()).rejects.toMatchObject(lost);
    expect(await sent()).toEqual([]);
  });

  it("ignores answers to nobody, reports once what is no frame, and reads nothing after it", async () => {
    const { client, answer, broken, fromHost } = connect();
    const ping = client.ping();
    await answer({ id: 99, kind: "done", value: 1 });
    await answer({ id: 1, kind: "done" });
    expect(await ping).toBeUndefined();
    for (let time = 0; time < 2; time++) fromHost.write(Buffer.alloc(8));
    await new Promise((resolve) => setImmediate(resolve));
    expect(broken).toEqual(["A frame cannot have 0 bytes"]);
    expect(fromHost.readableLength).toBe(0);
  });
});

describe("the batches of a query", () => {
  const rows = { id: 1, kind: "rows", rowCount: 1 };
  const summary = { rowCount: 1, isTruncated: false, engineMs: 1 };

  it("are not spoken of again where they are few", async () => {
    const { client, sent, answer } = connect();
    const batches = client.run(queryOf("SELECT 1"), signal);
    const first = batches.next();
    await answer(rows, "[]");
    await answer({ id: 1, kind: "done", value: summary });
    expect(await first).toMatchObject({ done: false, value: { json: "[]", rowCount: 1 } });
    expect(await batches.next()).toEqual({ done: true, value: summary });
    expect(await sent()).toMatchObject([{ kind: "run" }]);
  });

  it("are reported as taken before the window of the host is used up", async () => {
    const { client, sent, answer } = connect();
    const batches = client.run(queryOf("SELECT 1"), signal);
    let reported = 0;
    for (let taken = 1; taken <= 20; taken++) {
      const next = batches.next();
      await answer(rows, "[]");
      await next;
      for (const each of (await sent()) as HostRequest[]) reported += each.kind === "more" ? each.batchCount : 0;
      expect(taken - reported).toBeLessThan(BATCH_WINDOW);
      expect(reported).toBeLessThanOrEqual(taken);
    }
    await batches.return(summary);
    expect((await sent()).at(-1)).toEqual({ id: 1, kind: "cancel" });
  });
});
