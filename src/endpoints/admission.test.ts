import { describe, expect, it } from "vitest";
import { createAdmission } from "./admission.ts";

const never = new AbortController().signal;

describe("admission", () => {
  it("lets so many run, queues so many, and refuses the rest with 429", async () => {
    const admission = createAdmission({ maxRunning: 1, maxWaiting: 1 });
    const leave = await admission.enter(never);
    const second = admission.enter(never);
    await expect(admission.enter(never)).rejects.toMatchObject({ code: "too_many_queries", status: 429 });
    leave();
    (await second)();
    (await admission.enter(never))();
  });

  it("is in the order of arrival", async () => {
    const admission = createAdmission({ maxRunning: 1, maxWaiting: 9 });
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

  it("forgets who gives up while waiting", async () => {
    const admission = createAdmission({ maxRunning: 1, maxWaiting: 1 });
    const leave = await admission.enter(never);
    const caller = new AbortController();
    const gone = admission.enter(caller.signal);
    caller.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    const next = admission.enter(never);
    leave();
    expect(await next).toBeTypeOf("function");
  });

  it("counts a turn once, however often it is ended", async () => {
    const admission = createAdmission({ maxRunning: 1, maxWaiting: 0 });
    const leave = await admission.enter(never);
    leave();
    leave();
    await admission.enter(never);
    await expect(admission.enter(never)).rejects.toMatchObject({ code: "too_many_queries" });
  });
});
