import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventValue, LogEvent } from "../engines/contract/query-engine.ts";
import type { AuditChange, AuditRefusal, AuditRun } from "./audit-event.ts";
import { AuditLog, type AuditLogOptions } from "./audit-log.ts";

const run: AuditRun = {
  action: "query.run",
  actor: "tok1",
  parameters: new Map<string, unknown>(),
  redactsPii: true,
  cache: "none",
  status: 200,
  durationMs: 1,
};
const change: AuditChange = { action: "token.create", actor: "tok1" };
const refusal: AuditRefusal = {
  action: "access.refused",
  actor: "tok2",
  error: "insufficient_scope",
  status: 403,
  method: "POST",
  route: "/api/x",
};
const startMs = Date.parse("2026-08-20T09:00:00Z");

let batches: (readonly LogEvent[])[];
let lines: { fields: Readonly<Record<string, EventValue>>; message: string }[];
let warnings: string[];
let isDown: boolean;

beforeEach(() => {
  [batches, lines, warnings, isDown] = [[], [], [], false];
});

function open(more: Partial<AuditLogOptions> = {}): AuditLog {
  return new AuditLog({
    level: "all",
    store: {
      append: async (_source, events) => {
        if (isDown) throw new Error("no disk");
        batches.push(events);
        return { stored: events.length, repeated: 0 };
      },
    },
    writeLine: (fields, message) => void lines.push({ fields, message }),
    warn: (message) => void warnings.push(message),
    digestKey: new Uint8Array(32),
    secrets: ["first-secret", "second-secret"],
    nowMs: () => startMs,
    ...more,
  });
}

/** Returns the value of the parameter `project` as the log shows it. */
async function shownAs(value: unknown): Promise<unknown> {
  const audit = open();
  const endpoint = { id: "u1", name: "e", parameters: [{ name: "project" }] };
  audit.record({ ...run, action: "endpoint.run", endpoint, parameters: new Map([["project", value]]) });
  await audit.flush();
  const { parameters } = lines.at(-1)?.fields ?? {};
  return parameters === undefined ? undefined : (JSON.parse(String(parameters)) as { project: string }).project;
}

describe("an audit event", () => {
  it("describes what ran, how often and with which outcome", async () => {
    const audit = open();
    const endpoint = { id: "u1", name: "logs.all", parameters: [] };
    audit.record({ ...run, parameters: new Map<string, unknown>([["limit", 5]]) });
    audit.record({ ...run, action: "endpoint.run", endpoint, rows: 0 });
    audit.record({ ...run, action: "endpoint.run", endpoint, version: 2, rows: 4, error: "query_timeout" }, 3);
    audit.record(refusal);
    audit.record({ ...change, action: "store.read", target: "x", version: 1, error: "conflict" });
    await audit.flush();
    expect(lines.map(({ message }) => message)).toEqual([
      "tok1 ran a query: ok",
      "tok1 ran logs.all: 0 rows",
      "tok1 ran logs.all@2 3 times: query_timeout",
      "tok2 was refused at POST /api/x: insufficient_scope",
      "tok1: store.read x@1: conflict",
    ]);
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { action: "query.run", parameters: '{"limit":"5"}', redacted: true, duration_ms: 1 },
      { outcome: "ok", rows: 0 },
      { outcome: "query_timeout", count: 3, version: 2 },
      {},
      { outcome: "conflict", version: 1 },
    ]);
    expect(lines[3]?.fields).toEqual({
      action: "access.refused",
      outcome: "insufficient_scope",
      count: 1,
      actor: "tok2",
      status: 403,
      method: "POST",
      route: "/api/x",
    });
  });

  it("has the given time and id, or the current time and a new id", async () => {
    const audit = open();
    audit.record({ ...change, atMs: startMs - 5_000, entryId: "noted" });
    audit.record(change);
    audit.record(change);
    await audit.flush();
    const [noted, first, second] = batches[0] ?? [];
    expect(noted).toMatchObject({ id: "noted", hasGeneratedId: false, timestampUs: 1_787_216_395_000_000n });
    expect(first).toMatchObject({ hasGeneratedId: true, timestampUs: 1_787_216_400_000_000n });
    expect(first?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.id).not.toBe(first?.id);
  });

  it.each([
    [null, undefined],
    ["", ""],
    [7, "7"],
    [["a", "b"], '["a","b"]'],
    ["x".repeat(200), "x".repeat(200)],
    ["x".repeat(201), `${"x".repeat(200)}…`],
    ["x".repeat(1_000), `${"x".repeat(200)}…`],
    ["x".repeat(1_001), "(1001 characters)"],
    ["first-secret, second-secret, first-secret", "REDACTED, REDACTED, REDACTED"],
    ["LW_0A1b2c lw_0a1b2 lw_ffffff", "REDACTED lw_0a1b2 REDACTED"],
  ])("shows the parameter value %j as %j", async (value, expected) => {
    expect(await shownAs(value)).toBe(expected);
  });

  it("combines refusals of the same actor, error and route until they are written", async () => {
    const audit = open();
    const others: Partial<AuditRefusal>[] = [
      {},
      {},
      { actor: "tok3" },
      { error: "unauthorized" },
      { method: "GET" },
      { route: "/api/y" },
    ];
    for (const other of others) audit.record({ ...refusal, ...other });
    await audit.flush();
    expect(lines.map(({ fields }) => fields.count)).toEqual([2, 1, 1, 1, 1]);
    audit.record(refusal, 4);
    await audit.flush();
    expect(lines.at(-1)?.fields.count).toBe(4);
  });

  it("has the longest duration of its combined runs, which share a cache status", async () => {
    const audit = open();
    for (const [durationMs, cache] of [
      [5, "hit"],
      [9, "hit"],
      [7, "hit"],
      [1, "miss"],
    ] as const) {
      audit.record({ ...run, callKey: "k", durationMs, cache });
    }
    await audit.flush();
    expect(lines.map(({ fields }) => [fields.cache, fields.count, fields.duration_ms])).toEqual([
      ["hit", 3, 9],
      ["miss", 1, 1],
    ]);
  });
});

describe("pending audit events", () => {
  it("include up to a hundred different refusals, and again as many once those are written", async () => {
    const audit = open();
    for (let round = 1; round <= 2; round++) {
      for (let call = 0; call < 101; call++) audit.record({ ...refusal, route: `/${call}` });
      expect(audit.droppedCount).toBe(round);
      await audit.flush();
    }
    expect(lines).toHaveLength(200);
  });

  it("have a common limit with events that the store has not taken yet", async () => {
    const audit = open({ maxWaiting: 2 });
    isDown = true;
    audit.record(change);
    expect(await audit.flush()).toBe(false);
    audit.record(change);
    expect(audit.droppedCount).toBe(0);
    audit.record(change);
    expect(audit.droppedCount).toBe(1);
    isDown = false;
    expect(await audit.flush()).toBe(true);
    expect(batches.flat()).toHaveLength(2);
  });

  it("are stored in batches of at most 500, each reported with its newest timestamp", async () => {
    const told: unknown[] = [];
    const audit = open({ onStored: (source, newestUs) => void told.push([source, newestUs]) });
    for (let index = 0; index < 501; index++) audit.record({ ...change, atMs: index });
    expect(await audit.flush()).toBe(true);
    expect(batches.map(({ length }) => length)).toEqual([500, 1]);
    expect(told).toEqual([
      ["logweir.audit", 499_000n],
      ["logweir.audit", 500_000n],
    ]);
  });

  it("cause one warning each time the store becomes unavailable", async () => {
    const audit = open();
    for (const down of [true, true, false, true]) {
      isDown = down;
      audit.record(change);
      await audit.flush();
    }
    expect(warnings).toEqual(Array(2).fill("the audit waits to be stored: no disk"));
  });
});

describe("the audit's timers", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("write pending events after 700 ms, repeatedly", async () => {
    const audit = open();
    for (let round = 1; round <= 2; round++) {
      audit.record(change);
      await vi.advanceTimersByTimeAsync(699);
      expect(batches).toHaveLength(round - 1);
      await vi.advanceTimersByTimeAsync(1);
      await audit.flush();
      expect(batches).toHaveLength(round);
    }
  });

  it("retry 700 ms after the store failed to take pending events", async () => {
    const audit = open();
    isDown = true;
    audit.record(change);
    await vi.advanceTimersByTimeAsync(700);
    await vi.advanceTimersByTimeAsync(700);
    expect([warnings.length, vi.getTimerCount()]).toEqual([1, 1]);
    isDown = false;
    await vi.advanceTimersByTimeAsync(700);
    expect([batches.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it("abort a hanging append five seconds after the audit is closed, not earlier", async () => {
    const audit = open({
      store: {
        append: (_source, _events, signal) =>
          new Promise((_resolve, reject) => {
            const stop = () => reject(new Error("aborted"));
            if (signal?.aborted === true) stop();
            else signal?.addEventListener("abort", stop);
          }),
      },
    });
    audit.record(change);
    await vi.advanceTimersByTimeAsync(700);
    const closing = audit.close();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(audit.droppedCount).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect([audit.droppedCount, vi.getTimerCount()]).toEqual([1, 0]);
    expect(warnings).toEqual(["the audit waits to be stored: aborted", "1 events of the audit were lost"]);
  });
});
