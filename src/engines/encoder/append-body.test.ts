import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { StoredBody, TenantLoad } from "../contract/query-engine.ts";
import { PendingWork } from "../schema/source/pending-work.ts";
import { createSourceState } from "../schema/source/source-state.ts";
import { defaultStoreLimits } from "../schema/source/store-limits.ts";
import { appendBody } from "./append-body.ts";
import type { ThreadEvents } from "./encoder-thread.ts";

const { signal } = new AbortController();
const body: StoredBody = {
  ...{ bytes: Buffer.alloc(10), contentType: undefined, contentEncoding: undefined },
  ...{ id: randomUUID(), nowUs: 0n, maxBytes: 100, wantsKeys: true },
};
const state = createSourceState({ name: "edge", table: "t", entries: [], tenants: [] }, defaultStoreLimits.schema);
const pending = new PendingWork(defaultStoreLimits, 1);
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
  const append = (admit?: (loads: readonly TenantLoad[]) => void, storing: typeof store = store) =>
    appendBody({ read: async () => events }, pending, state, ["edge", body, signal, admit], storing);
  return { steps, append };
}

describe("appendBody", () => {
  it("admits a body by its loads, stores it, returns the keys as last encoded, and releases it", async () => {
    const { steps, append } = eventsOf({ loads });
    expect(await append((told) => steps.push(told))).toEqual({
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
    const { steps, append } = eventsOf();
    await append((told) => steps.push(told));
    expect(steps).toEqual([[], "stored", "released"]);
    expect(await append()).toMatchObject({ stored: 5 });
  });

  it("releases the body without storing it if it is not admitted or if storing fails", async () => {
    const { steps, append } = eventsOf();
    const refuse = () => {
      throw new Error("not now");
    };
    await expect(append(refuse)).rejects.toThrow("not now");
    expect(steps).toEqual(["released"]);
    await expect(append(undefined, async () => refuse())).rejects.toThrow("not now");
    expect(steps).toEqual(["released", "released"]);
  });
});
