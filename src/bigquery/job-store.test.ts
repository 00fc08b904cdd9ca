import { expect, it } from "vitest";
import { createJobStore, type Job, type NewJob } from "./job-store.ts";

const make = (id: string, text = "", sql = ""): NewJob => {
  const query = { placed: { sql }, parameters: new Map() } as unknown as NewJob["query"];
  return { id, project: "p", text, query, usesCache: true, columns: [] };
};

function open() {
  const clock = { nowMs: 1_000 };
  const store = createJobStore(() => clock.nowMs, { jobs: 2, characters: 10, lifeMs: 100 });
  const held = (id: string) => store.find("a", id).held?.chunk.rows;
  const hold = (job: Job, row: string) =>
    store.hold(job, {
      chunk: { columns: [], rows: [row], cursor: undefined, isCached: false },
      cursor: undefined,
      stamp: "",
    });
  return { clock, store, held, hold };
}

it("a token's oldest job goes where it has too many, and no job of another token", () => {
  const { store } = open();
  store.add("b", make("1"));
  for (const id of ["1", "2", "3"]) store.add("a", make(id));
  expect(store.list("a").map(({ id }) => id)).toEqual(["3", "2"]);
  expect(store.list("b").map(({ id }) => id)).toEqual(["1"]);
  expect(() => store.find("a", "1")).toThrow("Not found: Job 1");
  expect(() => store.add("a", make("2"))).toThrow("Already Exists: Job 2");
});

it("jobs end with their time", () => {
  const { clock, store } = open();
  store.add("a", make("1"));
  clock.nowMs += 99;
  expect(store.find("a", "1").id).toBe("1");
  clock.nowMs += 1;
  expect(() => store.find("a", "1")).toThrow("Not found");
  expect(store.list("a")).toEqual([]);
});

it("older rows are let go where all are too many, and their jobs stay", () => {
  const { store, held, hold } = open();
  const [first, second] = [store.add("a", make("1")), store.add("a", make("2"))];
  hold(first, "12345");
  hold(second, "12345");
  expect([held("1"), held("2")]).toEqual([["12345"], ["12345"]]);
  hold(second, "123456");
  expect([held("1"), held("2")]).toEqual([undefined, ["123456"]]);
});

it("the oldest jobs go of the token whose queries are longest, where those of all are too long", () => {
  const { store } = open();
  const ids = (tokenId: string) => store.list(tokenId).map(({ id }) => id);
  store.add("b", make("1", "123", "1"));
  store.add("a", make("1", "12", "123"));
  store.add("a", make("2", "1"));
  expect([ids("a"), ids("b")]).toEqual([["2", "1"], ["1"]]);
  store.add("c", make("1", "1"));
  expect([ids("a"), ids("b"), ids("c")]).toEqual([["2"], ["1"], ["1"]]);
  store.add("c", make("2", "12345678901"));
  expect([ids("a"), ids("b"), ids("c")]).toEqual([["2"], ["1"], []]);
});
