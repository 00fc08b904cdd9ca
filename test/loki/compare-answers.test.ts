import { expect, it } from "vitest";
import { compareAnswers } from "./compare-answers.ts";

const answer = (body: unknown, status = 200) => ({ status, body });
const vector = (value: string, metric: object = { app: "a" }, time = 5) =>
  answer({ status: "success", data: { resultType: "vector", result: [{ metric, value: [time, value] }], stats: {} } });
const list = (...data: readonly unknown[]) => answer({ status: "success", data });

it.each([
  ["labels that only one service has", vector("1"), vector("1", { app: "a", source: "loki" })],
  ["sums in another order", vector("816.9999999999999"), vector("817")],
  ["labels in another order", list("a", "b"), list("b", "a")],
  ["nothing and an empty list", answer({ status: "success" }), list()],
  ["both refuse", answer("wrong", 500), answer("wrong", 400)],
])("%s are the same", (_, theirs, ours) => {
  expect(compareAnswers(theirs, ours)).toBeUndefined();
});

it.each([
  ["another value", vector("1"), vector("2")],
  ["another time", vector("1.5"), vector("1.5", { app: "a" }, 6)],
  ["another label", vector("1"), vector("1", { app: "b" })],
  ["one more label", vector("1"), vector("1", { app: "a", env: "b" })],
  ["a label fewer", list("a", "b"), list("a")],
  ["other nanoseconds", list(["1787221200000000001", "x"]), list(["1787221200000000002", "x"])],
  ["one refuses", answer("wrong", 400), vector("1")],
  ["one fails", answer("wrong", 400), answer("failed", 500)],
])("%s differs", (_, theirs, ours) => {
  expect(compareAnswers(theirs, ours)).toEqual(expect.any(String));
});
