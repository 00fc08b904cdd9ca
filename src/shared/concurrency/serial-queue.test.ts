import { expect, it } from "vitest";
import { createSerialQueue } from "./serial-queue.ts";

it("a serial queue starts work when what was given before it has ended, in order", async () => {
  const queue = createSerialQueue();
  const log: string[] = [];
  const releases: (() => void)[] = [];
  const gates = [0, 1].map((index) => new Promise<void>((resolve) => (releases[index] = resolve)));
  const runs = gates.map((gate, index) =>
    queue(async () => {
      log.push(`start ${index}`);
      await gate;
      log.push(`end ${index}`);
      return index;
    }),
  );
  releases[1]?.();
  releases[0]?.();
  expect(await Promise.all(runs)).toEqual([0, 1]);
  expect(log).toEqual(["start 0", "end 0", "start 1", "end 1"]);
});

it("work that fails, or throws at once, rejects its own promise only", async () => {
  const queue = createSerialQueue();
  const rejected = queue(() => Promise.reject(new Error("rejected")));
  const thrown = queue(() => {
    throw new Error("thrown");
  });
  const fine = queue(async () => "fine");
  await expect(rejected).rejects.toThrow("rejected");
  await expect(thrown).rejects.toThrow("thrown");
  expect(await fine).toBe("fine");
});
