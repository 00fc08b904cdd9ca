import { expect, it } from "vitest";
import { createFakeEngine } from "../../test/support/fake-engine.ts";
import type { EventKey, LogLoss, PlainBody, StoredBody } from "../engines/contract/query-engine.ts";
import { WorkUnderWay } from "../shared/concurrency/work-under-way.ts";
import { watchStore } from "./watched-store.ts";

it("a watched store reports lost events as the underlying store does, whenever they are found", () => {
  const { store } = createFakeEngine();
  const loss: LogLoss = { foundAt: "2026-01-01T00:00:00.000Z", acknowledgedBytes: 500, foundBytes: 100 };
  const watched = watchStore(store, {
    isWatched: () => false,
    appends: new WorkUnderWay(),
    note: async () => undefined,
    noteRemoval: () => undefined,
  });
  expect(watched.logLoss).toBeUndefined();
  Object.assign(store, { logLoss: loss });
  expect(watched.logLoss).toBe(loss);
});

it("a watch that begins, and waits for the appends under way, is noted of all that is acknowledged later", async () => {
  const { store } = createFakeEngine();
  const noted: string[] = [];
  const acknowledged: string[] = [];
  let isWatched = false;
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const appends = new WorkUnderWay();
  const keyOf = (id: string): EventKey => ({ id, timestampUs: 0n, tenant: null });
  const watched = watchStore(
    Object.assign(store, {
      appendBody: async (_: string, { details, wantsKeys }: StoredBody) => {
        await held;
        const keys = wantsKeys ? [keyOf(details?.id ?? "")] : undefined;
        return { accepted: 1, rejected: [], duplicates: 0, loads: [], keys };
      },
    }),
    {
      isWatched: () => isWatched,
      appends,
      note: async (_, keys) => void noted.push(...keys.map(({ id }) => id)),
    },
  );
  const send = async (id: string) => {
    const body = { details: { id }, wantsKeys: false } as unknown as StoredBody;
    await watched.appendBody?.("edge", body, new AbortController().signal);
    acknowledged.push(id);
  };
  const before = send("before");
  isWatched = true;
  const behind = send("behind");
  const settled = appends.settled().then(() => [...acknowledged]);
  goOn();
  await Promise.all([before, behind]);
  expect(await settled).toContain("before");
  expect(noted).toEqual(["behind"]);
});

it("a short body of a watched source has to be parsed, so that the keys of its events are known", async () => {
  const { store } = createFakeEngine();
  const result = { stored: 1, repeated: 0, rejected: [], untimed: 0, keys: undefined, newestTimestampUs: 1n };
  const watched = watchStore(Object.assign(store, { appendPlain: async () => result }), {
    isWatched: (source) => source === "edge",
    appends: new WorkUnderWay(),
    note: () => expect.unreachable(),
  });
  const body: PlainBody = { bytes: new Uint8Array(), startReading: () => expect.unreachable() };
  const send = (source: string) => watched.appendPlain?.(source, body, new AbortController().signal);
  expect(await send("edge")).toBeUndefined();
  expect(await send("jobs")).toBe(result);
});
