import { expect, it } from "vitest";
import type { Planner } from "../call/plan/plan.ts";
import type { EndpointRunner } from "../call/run/runner.ts";
import { createEventMatcher } from "./match-events.ts";

/** By what the plan of each question is cached. */
function open() {
  const asked: unknown[] = [];
  const plan: Planner["plan"] = (_, consumer) => {
    asked.push([consumer?.language, consumer?.text, consumer?.shape?.key]);
    throw new Error("planned");
  };
  const engine = { store: { describe: () => ({ tenantField: "project" }) } };
  const clock = { nowMs: 1_790_000_000_000 };
  const runner = { planner: { plan, tenantParameters: () => [] }, engine } as unknown as EndpointRunner;
  const matcher = createEventMatcher(runner, { timeoutMs: 1_000, maxResultBytes: 1_000 }, () => clock.nowMs);
  const ask = async (...lqls: string[]) => {
    const event = { id: String(clock.nowMs), timestampUs: BigInt(clock.nowMs), tenant: "a" };
    await expect(matcher.match("edge", lqls, [event], new AbortController().signal)).rejects.toThrow("planned");
    clock.nowMs += 60_000;
    return asked.at(-1);
  };
  return ask;
}

it("the same questions about later events have the same plan, unless they depend on the clock", async () => {
  const ask = open();
  const [first, again, other] = [await ask("m.a:1", "x"), await ask("m.a:1", "x"), await ask("m.a:2", "x")];
  expect(again).toEqual(first);
  expect(first).toEqual(["sql", "SELECT * FROM `edge`", expect.stringContaining('"match"')]);
  expect(other).not.toEqual(first);
  expect(await ask("t:last@5m")).not.toEqual(await ask("t:last@5m"));
});
