import { describe, expect, it } from "vitest";
import { Admission } from "./admission.ts";

const never = new AbortController().signal;

describe("admission", () => {
  it("runs up to its limit, queues up to another, and refuses the rest with 429", async () => {
    const admission = new Admission({ maxRunning: 1, maxWaiting: 1 });
    const leave = await admission.enter(never);
    const second = admission.enter(never);
    await expect(admission.enter(never)).rejects.toMatchObject({ code: "too_many_queries", status: 429 });
    leave();
    (await second)();
    (await admission.enter(never))();
  });

  it("is immediate when a slot is free and no caller is waiting", async () => {
    const admission = new Admission({ maxRunning: 1, maxWaiting: 1 });
    const leave = admission.tryEnter();
    expect(admission.tryEnter()).toBeUndefined();
    expect(admission.load).toEqual({ running: 1, waiting: 0 });
    const second = admission.enter(never);
    leave?.();
    expect(admission.tryEnter()).toBeUndefined();
    (await second)();
    expect(admission.load).toEqual({ running: 0, waiting: 0 });
  });

  it("follows the order of arrival", async () => {
    const admission = new Admission({ maxRunning: 1, maxWaiting: 9 });
    const order: number[] = [];
    const leave = await admission.enter(never);
    const waiting = [1, 2, 3].map(async (number) => {
      const end = await admission.enter(never);
      order.push(number);
      end();
    });
    leave();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it("drops a caller that gives up while waiting", async () => {
    const admission = new Admission({ maxRunning: 1, maxWaiting: 1 });
    const leave = await admission.enter(never);
    const caller = new AbortController();
    const gone = admission.enter(caller.signal);
    caller.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    const next = admission.enter(never);
    leave();
    expect(await next).toBeTypeOf("function");
  });

  it("frees a slot once, however often its release is called", async () => {
    const admission = new Admission({ maxRunning: 1, maxWaiting: 0 });
    const leave = await admission.enter(never);
    leave();
    leave();
    await admission.enter(never);
    await expect(admission.enter(never)).rejects.toMatchObject({ code: "too_many_queries" });
  });
});

describe("admission among callers", () => {
  it("lets no caller run more than its share", async () => {
    const admission = new Admission({ maxRunning: 3, maxRunningPerCaller: 2, maxWaiting: 5 });
    await admission.enter(never, "a");
    const leave = await admission.enter(never, "a");
    const third = admission.enter(never, "a");
    await admission.enter(never, "b");
    expect(admission.load).toEqual({ running: 3, waiting: 1 });
    leave();
    await third;
    expect(admission.load).toEqual({ running: 3, waiting: 0 });
  });

  it("alternates between waiting callers", async () => {
    const admission = new Admission({ maxRunning: 1, maxWaiting: 9 });
    const order: string[] = [];
    const leave = await admission.enter(never, "a");
    const waiting = ["a1", "a2", "a3", "b1", "c1"].map(async (name) => {
      const end = await admission.enter(never, name.slice(0, 1));
      order.push(name);
      end();
    });
    leave();
    await Promise.all(waiting);
    expect(
      order
        .slice(0, 3)
        .map((name) => name[0])
        .sort(),
    ).toEqual(["a", "b", "c"]);
    expect(order.filter((name) => name.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
  });

  it("does not block other callers behind one that uses its full share", async () => {
    const admission = new Admission({ maxRunning: 2, maxRunningPerCaller: 1, maxWaiting: 9 });
    await admission.enter(never, "a");
    const second = admission.enter(never, "a");
    const leave = await admission.enter(never, "b");
    leave();
    await admission.enter(never, "c");
    expect(admission.load).toEqual({ running: 2, waiting: 1 });
    void second;
  });
});
