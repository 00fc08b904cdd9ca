import { expect, it } from "vitest";
import { WorkUnderWay } from "./work-under-way.ts";

it("waits for what is under way, whether it fails or not, and for nothing that begins later", async () => {
  const works = new WorkUnderWay();
  await works.settled();
  const events = new EventTarget();
  const when = (name: string) => new Promise<string>((resolve) => events.addEventListener(name, () => resolve(name)));
  const first = works.run(() => when("first"));
  const second = works.run(async () => {
    throw new Error(await when("second"));
  });
  let isSettled = false;
  const settled = works.settled().then(() => {
    isSettled = true;
  });
  void works.run(() => when("never"));
  events.dispatchEvent(new Event("first"));
  expect(await first).toBe("first");
  expect(isSettled).toBe(false);
  events.dispatchEvent(new Event("second"));
  await expect(second).rejects.toThrow("second");
  await settled;
});
