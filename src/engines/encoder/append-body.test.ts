import { describe, expect, it } from "vitest";
import { appendRead } from "./append-body.ts";
import type { ThreadEvents } from "./encoder-thread.ts";

const loads = [{ tenant: "a", eventCount: 1, byteCount: 2 }];

function eventsOf(some: Partial<ThreadEvents<string>["remarks"]> = {}) {
  const steps: unknown[] = [];
  const events: ThreadEvents<string> = {
    count: 1,
    remarks: { rejected: [{ index: 0, reason: "odd" }], untimed: 3, ...some },
    newestTimestampUs: 9n,
    get keys() {
      return steps.includes("stored")
        ? [{ id: "last", timestampUs: 1n, tenant: null }]
        : [{ id: "first", timestampUs: 1n, tenant: null }];
    },
    encode: () => expect.unreachable(),
    release: () => steps.push("released"),
  };
  const store = async (given: unknown) => {
    expect(given).toBe(events);
    steps.push("stored");
    return { stored: 5, repeated: 6 };
  };
  return { events, steps, store };
}

describe("appendRead", () => {
  it("admits a body by its loads, stores it, returns the keys as last encoded, and releases it", async () => {
    const { events, steps, store } = eventsOf({ loads });
    expect(await appendRead(events, (told) => steps.push(told), store)).toEqual({
      stored: 5,
      repeated: 6,
      rejected: [{ index: 0, reason: "odd" }],
      untimed: 3,
      loads,
      newestTimestampUs: 9n,
      keys: [{ id: "last", timestampUs: 1n, tenant: null }],
    });
    expect(steps).toEqual([loads, "stored", "released"]);
  });

  it("passes no loads if none were measured, and works without an admission check", async () => {
    const { events, steps, store } = eventsOf();
    await appendRead(events, (told) => steps.push(told), store);
    expect(steps).toEqual([[], "stored", "released"]);
    expect(await appendRead(events, undefined, store)).toMatchObject({ stored: 5 });
  });

  it("releases the body without storing it if it is not admitted or if storing fails", async () => {
    const { events, steps, store } = eventsOf();
    const refuse = () => {
      throw new Error("not now");
    };
    await expect(appendRead(events, refuse, store)).rejects.toThrow("not now");
    expect(steps).toEqual(["released"]);
    await expect(appendRead(events, undefined, async () => refuse())).rejects.toThrow("not now");
    expect(steps).toEqual(["released", "released"]);
  });
});
