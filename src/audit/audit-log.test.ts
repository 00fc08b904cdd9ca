import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventValue, LogEvent } from "../engines/contract/query-engine.ts";
import type { AuditRun } from "./audit-event.ts";
import { AuditLog, type AuditLogOptions } from "./audit-log.ts";

const run: AuditRun = {
  action: "endpoint.run",
  actor: "tok1",
  endpoint: { id: "u1", name: "logs.all", parameters: [{ name: "project" }, { name: "since" }, { name: "api_key" }] },
  version: 3,
  parameters: new Map<string, unknown>([["project", "abc"]]),
  redactsPii: false,
  cache: "none",
  status: 200,
  rows: 7,
  durationMs: 12.345,
};

let stored: LogEvent[];
let lines: { fields: Readonly<Record<string, EventValue>>; message: string }[];
let warnings: string[];
let nowMs: number;

beforeEach(() => {
  [stored, lines, warnings, nowMs] = [[], [], [], Date.parse("2026-08-20T09:00:00Z")];
});

function open(more: Partial<AuditLogOptions> = {}): AuditLog {
  return new AuditLog({
    level: "all",
    store: {
      append: async (_source, events) => {
        stored.push(...events);
        return { stored: events.length, repeated: 0 };
      },
    },
    writeLine: (fields, message) => void lines.push({ fields, message }),
    warn: (message) => void warnings.push(message),
    digestKey: new Uint8Array(32),
    secrets: ["a-fixed-private-token"],
    nowMs: () => nowMs,
    ...more,
  });
}

describe("a recorded run", () => {
  it("becomes a log line and a stored event with the same fields", async () => {
    const audit = open();
    audit.record(run);
    await audit.flush();
    const expected = {
      action: "endpoint.run",
      outcome: "ok",
      count: 1,
      actor: "tok1",
      endpoint: "logs.all",
      endpoint_id: "u1",
      version: 3,
      parameters: '{"project":"abc"}',
      redacted: false,
      cache: "none",
      status: 200,
      rows: 7,
      duration_ms: 12.35,
    };
    expect(lines).toEqual([{ message: "tok1 ran logs.all@3: 7 rows", fields: expected }]);
    expect(stored).toMatchObject([
      { timestampUs: 1_787_216_400_000_000n, eventMessage: lines[0]?.message, fields: { metadata: expected } },
    ]);
  });

  it("includes declared parameters, but no personal data, tokens or query text", async () => {
    const audit = open();
    const parameters = new Map<string, unknown>([
      ["project", "mail jane@example.com from 10.1.2.3 and 2001:db8::7, card 4111 1111 1111 1111, call +49 30 901820"],
      ["since", `lw_${"0a".repeat(32)} and a-fixed-private-token`],
      ["api_key", "whatever-it-is"],
      ["undeclared", "hidden"],
      ["sql", "select * from edge_logs where id = 'hidden'"],
    ]);
    audit.record({ ...run, parameters });
    await audit.flush();
    const text = JSON.stringify([lines, stored], (_key, value) => (typeof value === "bigint" ? String(value) : value));
    expect(text).not.toMatch(/jane|10\.1|2001:db8|4111|901820|0a0a|fixed-private|whatever|hidden/);
    expect(lines[0]?.fields).toMatchObject({
      query_language: "sql",
      query_digest: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(JSON.parse(String(lines[0]?.fields.parameters))).toEqual({
      project: "mail REDACTED from REDACTED and REDACTED, card REDACTED, call REDACTED",
      since: "REDACTED and REDACTED",
    });
  });

  it("shows the length of very long values, and truncates other long values", async () => {
    const audit = open();
    audit.record({
      ...run,
      parameters: new Map([
        ["project", "x".repeat(5_000)],
        ["since", "y".repeat(900)],
      ]),
    });
    await audit.flush();
    const { project, since } = JSON.parse(String(lines[0]?.fields.parameters));
    expect(project).toBe("(5000 characters)");
    expect(since).toBe(`${"y".repeat(200)}…`);
  });

  it("has the same digest for the same query and key only", async () => {
    const digests: unknown[] = [];
    for (const [text, key] of [
      ["select 1", 0],
      ["select 1", 0],
      ["select 2", 0],
      ["select 1", 1],
    ] as const) {
      const audit = open({ digestKey: new Uint8Array(32).fill(key) });
      audit.record({ ...run, parameters: new Map([["sql", text]]) });
      await audit.flush();
      digests.push(lines.at(-1)?.fields.query_digest);
    }
    expect(digests[0]).toBe(digests[1]);
    expect(new Set(digests).size).toBe(3);
  });

  it("has a digest only of a non-empty query that is not a declared parameter", async () => {
    const audit = open();
    const declared = { id: "u2", name: "own", parameters: [{ name: "sql" }] };
    audit.record({ ...run, parameters: new Map([["lql", "m.level:error"]]) });
    audit.record({ ...run, parameters: new Map([["sql", " \n"]]) });
    audit.record({ ...run, endpoint: declared, parameters: new Map([["sql", "select 1"]]) });
    await audit.flush();
    const key = new Uint8Array(32);
    const digest = createHmac("sha256", key).update("auditm.level:error").digest("hex").slice(0, 32);
    expect(lines.map(({ fields }) => [fields.query_language, fields.query_digest])).toEqual([
      ["lql", digest],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(lines[2]?.fields.parameters).toBe('{"sql":"select 1"}');
  });

  it("is combined with others of its key, by actor, cache status and error", async () => {
    const audit = open();
    const hit: AuditRun = { ...run, cache: "hit", callKey: "k" };
    audit.record(hit);
    nowMs += 400;
    audit.record({ ...hit, durationMs: 99 });
    audit.record({ ...hit, actor: "tok2" });
    audit.record({ ...hit, callKey: "other" });
    audit.record({ ...hit, error: "rate_limited", status: 429 });
    audit.record(run);
    audit.record(run);
    await audit.flush();
    expect(lines.map(({ fields }) => [fields.actor, fields.count, fields.outcome])).toEqual([
      ["tok1", 2, "ok"],
      ["tok2", 1, "ok"],
      ["tok1", 1, "ok"],
      ["tok1", 1, "rate_limited"],
      ["tok1", 1, "ok"],
      ["tok1", 1, "ok"],
    ]);
    expect(lines[0]?.fields.duration_ms).toBe(99);
    audit.record(hit);
    await audit.flush();
    expect(lines.at(-1)?.fields.count).toBe(1);
  });
});

describe("a recorded change", () => {
  it("has actor, action, target, version and details without personal data", async () => {
    const audit = open({ level: "changes" });
    audit.record({
      action: "endpoint.update",
      actor: "tok1",
      target: "logs.all",
      targetId: "u1",
      version: 4,
      details: { breaking: true, reason: "for jane@example.com" },
    });
    audit.record(run);
    await audit.flush();
    expect(lines).toEqual([
      {
        message: "tok1: endpoint.update logs.all@4",
        fields: {
          action: "endpoint.update",
          outcome: "ok",
          count: 1,
          actor: "tok1",
          target: "logs.all",
          target_id: "u1",
          version: 4,
          details: '{"breaking":true,"reason":"for REDACTED"}',
        },
      },
    ]);
  });

  it("omits fields without a value", async () => {
    const audit = open({ level: "changes" });
    audit.record({ action: "cache.clear", actor: "tok1" });
    audit.record({ action: "endpoint.delete", actor: "tok1", target: "a", error: "endpoint_in_use", details: {} });
    audit.record({ ...run, action: "query.run" });
    await audit.flush();
    expect(lines).toEqual([
      { message: "tok1: cache.clear", fields: { action: "cache.clear", outcome: "ok", count: 1, actor: "tok1" } },
      {
        message: "tok1: endpoint.delete a: endpoint_in_use",
        fields: { action: "endpoint.delete", outcome: "endpoint_in_use", count: 1, actor: "tok1", target: "a" },
      },
    ]);
  });

  it("is omitted when the audit is off", async () => {
    const audit = open({ level: "off" });
    audit.record({ action: "cache.clear", actor: "tok1" });
    await audit.flush();
    expect([lines, stored]).toEqual([[], []]);
  });
});

describe("refused calls", () => {
  it("are combined, and at most a hundred different ones are pending", async () => {
    const audit = open();
    const refusal = { action: "access.refused", error: "unauthorized", status: 401, method: "GET" } as const;
    for (let call = 0; call < 500; call++) audit.record({ ...refusal, route: "/api/endpoints" });
    for (let call = 0; call < 150; call++) audit.record({ ...refusal, route: `/${call}` });
    audit.record(run);
    await audit.flush();
    expect(lines).toHaveLength(101);
    expect(lines[0]).toMatchObject({
      message: "somebody was refused at GET /api/endpoints: unauthorized",
      fields: { count: 500, status: 401 },
    });
    expect(audit.droppedCount).toBe(51);
  });
});

describe("the audit's pending events", () => {
  it("are limited in number; further events are dropped and counted", async () => {
    const audit = open({ maxWaiting: 3 });
    for (let call = 0; call < 5; call++) audit.record(run);
    expect(audit.droppedCount).toBe(2);
    await audit.flush();
    expect(stored).toHaveLength(3);
  });

  it("remain pending when the store fails, with one warning, and are stored later under the same ids", async () => {
    const sent: string[][] = [];
    let isDown = true;
    const audit = open({
      store: {
        append: async (_source, events) => {
          sent.push(events.map(({ id, hasGeneratedId }) => `${id} ${hasGeneratedId}`));
          if (isDown) throw new Error("no disk");
          return { stored: events.length, repeated: 0 };
        },
      },
    });
    audit.record(run);
    await audit.flush();
    await audit.flush();
    isDown = false;
    await audit.flush();
    await audit.flush();
    expect(warnings).toEqual(["the audit waits to be stored: no disk"]);
    expect(lines).toHaveLength(1);
    expect(sent).toHaveLength(3);
    expect(sent[0]?.[0]).toMatch(/ true$/);
    expect(sent[2]?.[0]).toBe(sent[0]?.[0]?.replace("true", "false"));
  });

  it("are written when the audit is closed, and later events are ignored", async () => {
    const audit = open();
    audit.record(run);
    await audit.close();
    audit.record(run);
    await audit.flush();
    expect(stored).toHaveLength(1);
  });
});

describe("in the background, the audit", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  const failing = (isDown: () => boolean): Partial<AuditLogOptions> => ({
    store: {
      append: async (_source, events) => {
        if (isDown()) throw new Error("no disk");
        stored.push(...events);
        return { stored: events.length, repeated: 0 };
      },
    },
  });

  it("writes pending events within two seconds, and has no timer when none are pending", async () => {
    const audit = open();
    expect(vi.getTimerCount()).toBe(0);
    audit.record(run);
    audit.record(run);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await audit.flush();
    expect([stored.length, vi.getTimerCount()]).toEqual([2, 0]);
  });

  it("retries events that the store could not take", async () => {
    let isDown = true;
    const audit = open(failing(() => isDown));
    audit.record(run);
    await audit.flush();
    expect([stored.length, vi.getTimerCount()]).toEqual([0, 1]);
    isDown = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect([stored.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it("gives up when it is closed, and reports how many events were lost", async () => {
    const audit = open(failing(() => true));
    for (let call = 0; call < 3; call++) audit.record(run);
    await audit.close();
    expect([audit.droppedCount, vi.getTimerCount()]).toEqual([3, 0]);
    expect(warnings).toEqual(["the audit waits to be stored: no disk", "3 events of the audit were lost"]);
  });
});

describe("flushes of the audit", () => {
  it("yield to other tasks after each 20 milliseconds", async () => {
    const audit = open({
      writeLine: (fields, message) => {
        lines.push({ fields, message });
        nowMs++;
      },
    });
    for (let call = 0; call < 200; call++) audit.record(run);
    const seen: number[] = [];
    setImmediate(() => seen.push(lines.length));
    await audit.flush();
    expect([seen, lines.length]).toEqual([[20], 200]);
  });

  it("store events even if the log fails, and report the reason", async () => {
    const audit = open({
      writeLine: () => {
        throw new Error("no terminal");
      },
    });
    audit.record(run);
    await audit.flush();
    expect(warnings).toEqual(["the audit could not be written: Error: no terminal"]);
    expect(stored).toHaveLength(1);
  });

  it("run one after another, however many are requested during a slow append", async () => {
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    let running = 0;
    let most = 0;
    const audit = open({
      store: {
        append: async (_source, events) => {
          most = Math.max(most, ++running);
          if (stored.length === 0) await slow;
          stored.push(...events);
          // What a second flush would have written in the meantime.
          await Promise.resolve();
          running--;
          return { stored: events.length, repeated: 0 };
        },
      },
    });
    audit.record({ ...run, actor: "first" });
    const flushes = [audit.flush(), audit.flush()];
    await new Promise((resolve) => setImmediate(resolve));
    for (let index = 0; index < 20; index++) audit.record({ ...run, actor: `token ${index}` });
    flushes.push(audit.flush(), audit.flush(), audit.flush());
    release();
    await Promise.all(flushes);
    await audit.close();
    expect(most).toBe(1);
    expect(stored.length).toBe(21);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(21);
    expect(audit.droppedCount).toBe(0);
  });
});
