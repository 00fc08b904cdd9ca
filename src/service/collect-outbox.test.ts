import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AuditLog } from "../audit/audit-log.ts";
import type { LogEvent } from "../engines/contract/query-engine.ts";
import type { OutboxEntry } from "../metadata/audit-outbox.ts";
import { startCollecting } from "./collect-outbox.ts";

/** An outbox, and services that collect from it into one store that deduplicates by id. */
function prepare(failures: number) {
  const waiting = new Map<number, OutboxEntry>();
  const stored = new Map<string, LogEvent>();
  let appends = 0;
  const open = (isOurs = () => true) => {
    const audit = new AuditLog({
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

  it("is collected with a thousand others at most, the oldest first", async () => {
    const recorded: string[] = [];
    const entries = Array.from({ length: 1_200 }, (_, number) => ({
      number,
      id: `entry ${number}`,
      at: 0,
      event: "{}",
    }));
    let waiting: readonly OutboxEntry[] = entries;
    const sizes: number[] = [];
    const service = startCollecting({
      outbox: {
        list: async () => waiting,
        remove: async (taken) => {
          sizes.push(taken.length);
          waiting = waiting.filter((entry) => !taken.includes(entry));
        },
      },
      audit: {
        record: (event) => void recorded.push("entryId" in event ? String(event.entryId) : ""),
        flush: async () => true,
      },
      isOurs: () => true,
      warn: () => undefined,
    });
    await vi.advanceTimersByTimeAsync(1_600);
    expect(sizes).toEqual([1_000, 200]);
    expect(recorded).toEqual(entries.map(({ id }) => id));
    await service.close();
  });

  it("is reported when it cannot be collected, is tried again, and waited for at the end", async () => {
    const warned: string[] = [];
    let [tries, finish] = [0, (): void => undefined];
    const service = startCollecting({
      outbox: {
        list: () => {
          if (++tries === 1) throw new Error("no outbox");
          return new Promise((resolve) => {
            finish = () => resolve([]);
          });
        },
        remove: async () => undefined,
      },
      audit: { record: () => undefined, flush: async () => true },
      isOurs: () => true,
      warn: (message) => void warned.push(message),
    });
    await vi.advanceTimersByTimeAsync(500);
    expect(warned).toEqual(["what commands did could not be taken into the audit: Error: no outbox"]);
    // One that takes long is not begun again.
    await vi.advanceTimersByTimeAsync(2_000);
    expect(tries).toBe(2);
    let isClosed = false;
    const closed = service.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isClosed).toBe(false);
    finish();
    await closed;
    expect([tries, warned.length]).toEqual([2, 1]);
  });

  it("is collected only by the leading service", async () => {
    const { open, waiting } = prepare(0);
    const service = open(() => false);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(waiting.size).toBe(3);
    await service.close();
  });
});
