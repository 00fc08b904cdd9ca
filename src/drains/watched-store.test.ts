import { expect, it } from "vitest";
import { createFakeEngine } from "../../test/support/fake-engine.ts";
import type { LogLoss } from "../engines/contract/query-engine.ts";
import { watchStore } from "./watched-store.ts";

it("a watched store reports lost events as the underlying store does, whenever they are found", () => {
  const { store } = createFakeEngine();
  const loss: LogLoss = { foundAt: "2026-01-01T00:00:00.000Z", acknowledgedBytes: 500, foundBytes: 100 };
  const watched = watchStore(store, {
    isWatched: () => false,
    note: async () => undefined,
    noteRemoval: () => undefined,
  });
  expect(watched.logLoss).toBeUndefined();
  Object.assign(store, { logLoss: loss });
  expect(watched.logLoss).toBe(loss);
});
