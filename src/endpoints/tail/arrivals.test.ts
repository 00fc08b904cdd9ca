import { expect, it } from "vitest";
import { Arrivals } from "./arrivals.ts";

const keys = (...ids: string[]) => ids.map((id) => ({ id, timestampUs: 1n }));
const idsOf = (found: ReturnType<Arrivals["find"]>) =>
  found && [found.before, found.within, found.behind].map((each) => each.map(({ id }) => id).join(""));

it("finds the arrivals around a span, as long as all behind its start are remembered", () => {
  const arrivals = new Arrivals(3);
  arrivals.note("edge", keys("a", "b"));
  const start = arrivals.mark();
  arrivals.note("edge", keys("c"));
  const span = arrivals.span(["edge", "auth"], start, arrivals.mark());
  arrivals.note("edge", keys("d"));
  arrivals.note("auth", keys("x"));
  const find = (sources = ["edge", "auth"]) => idsOf(arrivals.find(span, sources, arrivals.mark()));
  expect(find()).toEqual(["ab", "c", "dx"]);
  expect(find(["edge"])).toEqual(["ab", "c", "d"]);
  expect(find(["edge", "other"])).toBeUndefined();
  expect(new Arrivals().find(span, ["edge"], new Map())).toBeUndefined();
  arrivals.note("edge", keys("e", "f"));
  expect(find(["edge"])).toBeUndefined();
});

it("finds none behind what arrived unnoted", () => {
  const arrivals = new Arrivals();
  const before = arrivals.span(["edge"], arrivals.mark(), arrivals.mark());
  arrivals.forget("edge");
  arrivals.note("edge", keys("a"));
  expect(arrivals.find(before, ["edge"], arrivals.mark())).toBeUndefined();
  const after = arrivals.span(["edge"], arrivals.mark(), arrivals.mark());
  arrivals.note("edge", keys("b"));
  expect(idsOf(arrivals.find(after, ["edge"], arrivals.mark()))).toEqual(["a", "", "b"]);
});
