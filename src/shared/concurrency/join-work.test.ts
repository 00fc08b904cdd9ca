import { expect, it } from "vitest";
import { joinWork } from "./join-work.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("work is done together for all who ask in the same moment, and then for those who ask meanwhile", async () => {
  const works: (readonly number[])[] = [];
  let end = () => {};
  const double = joinWork(async (all: readonly number[]) => {
    works.push(all);
    await new Promise<void>((resolve) => (end = resolve));
    return all.map((each) => each * 2);
  });
  const first = [double(1), double(2)];
  await turn();
  await turn();
  const second = [double(3), double(4)];
  end();
  expect(await Promise.all(first)).toEqual([2, 4]);
  await turn();
  await turn();
  end();
  expect(await Promise.all(second)).toEqual([6, 8]);
  expect(works).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

it("work that fails has failed for those who asked for it, and for no others", async () => {
  let fails = true;
  const work = joinWork<string, void>(async () => {
    if (fails) throw new Error("away");
    return [];
  });
  const failed = await Promise.allSettled([work("a"), work("b")]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  fails = false;
  await expect(work("c")).resolves.toBeUndefined();
});
