import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuditLog } from "../audit/audit-log.ts";
import type { LogEvent } from "../engines/contract/query-engine.ts";
import type { OutboxEntry } from "../metadata/audit-outbox.ts";
import { startCollecting } from "./collect-outbox.ts";

/** An outbox, and services that collect from it into one store that deduplicates by id. */
function prepare(failures: number) {
  const waiting = new Map<number, OutboxEntry>();
  const stored = new Map<string, LogEvent>();
  let appends = 0;
  const open = (isOurs = () => true) => {
    const audit = createAuditLog({
      level: "changes",
      store: {
        async append(_, events) {
          if (++appends <= failures) throw new Error("the store is away");
          for (const event of events) stored.set(event.id, event);
          return { stored: events.length, repeated: 0 };
        },
      },
      writeLine: () => undefined,
      warn: () => undefined,
      digestKey: Buffer.alloc(32),
      secrets: [],
      nowMs: () => 0,
    });
    const outbox = {
      list: async () => [...waiting.values()],
      remove: async (entries: readonly OutboxEntry[]) => {
        for (const { number } of entries) waiting.delete(number);
      },
    };
    return startCollecting({ outbox, audit, isOurs, warn: () => undefined });
  };
  for (let number = 1; number <= 3; number++) {
    const event = JSON.stringify({ action: "token.create", actor: "command", target: `t${number}` });
    waiting.set(number, { number, id: `entry ${number}`, at: number, event });
  }
  return { open, waiting, stored };
}

const ids = ["entry 1", "entry 2", "entry 3"];

describe("an entry of the audit outbox", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("is stored once with its own id and time, even if two services collect it at the same time", async () => {
    const { open, waiting, stored } = prepare(0);
    const services = [open(), open()];
    await vi.advanceTimersByTimeAsync(600);
    expect(waiting.size).toBe(0);
    await Promise.all(services.map((service) => service.close()));
    expect([...stored.keys()]).toEqual(ids);
    expect(stored.get("entry 2")).toMatchObject({ timestampUs: 2_000n, hasGeneratedId: false });
  });

  it("stays in the outbox until the store has it", async () => {
    const { open, waiting, stored } = prepare(2);
    const service = open();
    await vi.advanceTimersByTimeAsync(600);
    expect([waiting.size, stored.size]).toEqual([3, 0]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(waiting.size).toBe(0);
    expect([...stored.keys()]).toEqual(ids);
    await service.close();
  });

  it("is collected only by the leading service", async () => {
    const { open, waiting } = prepare(0);
    const service = open(() => false);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(waiting.size).toBe(3);
    await service.close();
  });
});
