import { expect, it } from "vitest";
import { unlessAborted } from "./unless-aborted.ts";

const never = () => new Promise<never>(() => undefined);
const gone = { code: "aborted" };

it("unlessAborted rejects as soon as the caller is gone, or at once if it was gone before", async () => {
  const controller = new AbortController();
  const waiting = unlessAborted(never(), controller.signal);
  controller.abort();
  await expect(waiting).rejects.toMatchObject(gone);
  await expect(unlessAborted(never(), controller.signal)).rejects.toMatchObject(gone);
  await expect(unlessAborted(Promise.reject(new Error("no")), controller.signal)).rejects.toMatchObject(gone);
});

it("unlessAborted returns the outcome of work that ends first", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
});
