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
      return steps.includes("stored") ? [{ id: "last", timestampUs: 1n }] : [{ id: "first", timestampUs: 1n }];
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

describe("a body that was read", () => {
  it("is admitted by its loads, stored, told with the keys as they were encoded last, and let go", async () => {
    const { events, steps, store } = eventsOf({ loads });
    expect(await appendRead(events, (told) => steps.push(told), store)).toEqual({
      stored: 5,
      repeated: 6,
      rejected: [{ index: 0, reason: "odd" }],
      untimed: 3,
      loads,
      newestTimestampUs: 9n,
      keys: [{ id: "last", timestampUs: 1n }],
    });
    expect(steps).toEqual([loads, "stored", "released"]);
  });

  it("has no loads where none were asked for, and needs nobody who admits it", async () => {
    const { events, steps, store } = eventsOf();
    await appendRead(events, (told) => steps.push(told), store);
    expect(steps).toEqual([[], "stored", "released"]);
    expect(await appendRead(events, undefined, store)).toMatchObject({ stored: 5 });
  });

  it("is let go without being stored where it is not admitted, and where storing fails", async () => {
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
