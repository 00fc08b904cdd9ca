import { expect, it } from "vitest";
import { PendingWork } from "./pending-work.ts";
import { defaultStoreLimits } from "./store-limits.ts";

const { signal } = new AbortController();

it("pending work of one sender never takes the room of others", async () => {
  const pending = new PendingWork({ ...defaultStoreLimits, maxPendingRows: 20, maxPendingBytes: 200 }, 10);
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => void ends.push(resolve));
  const held = [pending.holdRows(9, work, "a"), pending.holdRows(10, work, "a")];
  expect(() => pending.admit(signal, "a")).toThrow(
    expect.objectContaining({
      code: "overloaded",
      message: expect.stringContaining("of this token"),
      retryAfterSeconds: 2,
    }),
  );
  expect(() => pending.admit(signal, "b")).not.toThrow();
  expect(() => pending.admit(signal)).not.toThrow();
  held.push(pending.holdBytes(100, work, "b"));
  expect(() => pending.admit(signal, "b")).toThrow("of this token");
  held.push(pending.holdBytes(100, work));
  expect(() => pending.admit(signal, "c")).toThrow("Too many events are waiting to be stored");
  for (const end of ends) end();
  await Promise.all(held);
  for (const sender of ["a", "b", "c"]) expect(() => pending.admit(signal, sender)).not.toThrow();
});
