import { describe, expect, it } from "vitest";
import { createDisk, createMemoryLog } from "../../test/support/drains/memory-log.ts";
import { findsAll, foundOf, keysOf } from "../../test/support/drains/rules.ts";
import { EngineError } from "../engines/contract/query-engine.ts";
import { ServiceError } from "../shared/errors.ts";
import type { EventReader } from "./read-events.ts";
import { type NextEvents, SharedReads } from "./shared-reads.ts";

const serviceId = "0123456789abcdef";
const { signal } = new AbortController();

async function open(reader: Partial<EventReader> = {}) {
  const log = createMemoryLog({ disk: createDisk(), segmentKeys: 1_000, maxBytes: 1e9, enter: async () => undefined });
  const journal = await log.journals.open("edge");
  const counts = { find: 0, match: 0 };
  const clock = { nowMs: 1_000 };
  const all = { ...findsAll, ...reader };
  const counting: EventReader = {
    ...all,
    find: (...asked) => {
      counts.find++;
      return all.find(...asked);
    },
    match: (...asked) => {
      counts.match++;
      return all.match(...asked);
    },
  };
  const reads = new SharedReads(counting, serviceId, () => clock.nowMs);
  const read = (from: number, lql = "", maxCount = 500) =>
    reads.read({ source: "edge", journal, lql, from, maxCount }, signal);
  return { journal, counts, clock, reads, read };
}

const idsOf = (next: NextEvents) =>
  next.kind === "found"
    ? next.findings.map(({ number, kind, events: [event] }) => [number, kind, event?.id])
    : next.kind === "failed"
      ? next.error
      : next.tally;

describe("shared reads", () => {
  it("read once for all rules that are there, and ask their queries together", async () => {
    const { journal, counts, read } = await open();
    await journal.note(keysOf("a", "b", "c"));
    const lqls = Array.from({ length: 250 }, (_, index) => `a,x${index}`);
    const all = await Promise.all([...lqls, ...lqls, ""].map((lql) => read(0, lql)));
    expect(counts).toEqual({ find: 1, match: 3 });
    const selected = [
      [1, "selected", "b"],
      [2, "selected", "c"],
    ];
    for (const next of all.slice(0, -1)) expect(idsOf(next)).toEqual([[0, "excluded", undefined], ...selected]);
    expect(idsOf(all.at(-1) as NextEvents)).toEqual([[0, "selected", "a"], ...selected]);
    // Who comes later, or goes on from the middle, gets what was read.
    expect(idsOf(await read(1, "a,x7"))).toEqual(selected);
    expect(idsOf(await read(1, "", 1))).toEqual([selected[0]]);
    expect(idsOf(await read(0, "a,b,c"))).toEqual({ excluded: 3, looped: 0 });
    expect(counts).toEqual({ find: 1, match: 4 });
  });

  it("read for itself who is elsewhere, and again what is old or was forgotten", async () => {
    const { journal, counts, clock, reads, read } = await open();
    await journal.note(keysOf("a", "b"));
    await Promise.all([read(0), read(1)]);
    expect(counts.find).toBe(2);
    clock.nowMs += 9_999;
    await read(0);
    expect(counts.find).toBe(2);
    clock.nowMs += 1;
    await read(0);
    expect(counts.find).toBe(3);
    reads.forget(journal);
    await read(0);
    expect(counts.find).toBe(4);
  });

  it("keep nothing that was forgotten while it was read", async () => {
    const waiting: (() => void)[] = [];
    const { journal, counts, reads, read } = await open({
      find: async (_source, { keys }) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return new Map(keys.map((key) => [key, [foundOf(key)]]));
      },
    });
    await journal.note(keysOf("a"));
    const reading = read(0);
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    reads.forget(journal);
    waiting.shift()?.();
    const again = reading.then(() => read(0));
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    waiting.shift()?.();
    expect([await reading, await again].map((next) => next.kind === "found" && next.isCurrent())).toEqual([
      false,
      true,
    ]);
    expect(counts.find).toBe(2);
  });

  it("look again for what is not shown, by the store or to a query", async () => {
    let isShown = false;
    const { journal, read } = await open({
      find: async (_source, { keys }) =>
        new Map(keys.map((key) => [key, isShown || key.id === "a" ? [foundOf(key)] : []])),
    });
    await journal.note(keysOf("a", "b"));
    expect(idsOf(await read(0))).toEqual([
      [0, "selected", "a"],
      [1, "absent", undefined],
    ]);
    isShown = true;
    expect(idsOf(await read(0))).toMatchObject([{}, [1, "selected", "b"]]);

    let seen = 1;
    const replica = await open({
      match: async (_source, lqls, events) =>
        new Map(events.slice(0, seen).map((event) => [event, lqls.map(() => "1").join("")])),
    });
    await replica.journal.note(keysOf("a", "b"));
    expect(idsOf(await replica.read(0, "x"))).toMatchObject([{}, [1, "absent", undefined]]);
    seen = 2;
    expect(idsOf(await replica.read(0, "x"))).toMatchObject([{}, [1, "selected", "b"]]);
  });

  it("fail none for the query of another, nor ask each of them while the engine is away", async () => {
    let error: Error = new ServiceError("invalid_query", "no such function");
    const { journal, counts, read } = await open({
      match: async (source, lqls, events, ending) => {
        if (lqls.includes("bad")) throw error;
        return findsAll.match(source, lqls, events, ending);
      },
    });
    await journal.note(keysOf("a"));
    const lqls = Array.from({ length: 60 }, (_, index) => (index === 40 ? "bad" : `x${index}`));
    const all = await Promise.all(lqls.map((lql) => read(0, lql)));
    expect(all.map(({ kind }, index) => [index, kind]).filter(([, kind]) => kind !== "found")).toEqual([
      [40, "failed"],
    ]);
    expect(idsOf(all[40] as NextEvents)).toBe(error);
    expect(counts.match).toBeLessThan(15);
    error = new EngineError("unavailable", "away");
    counts.match = 0;
    const away = await Promise.all(lqls.map((lql) => read(0, lql)));
    expect([new Set(away.map(({ kind }) => kind)), counts.match]).toEqual([new Set(["failed"]), 1]);
  });

  it("say how much could not be read, to those too who asked for less", async () => {
    const error = new EngineError("result_too_large", "too many bytes");
    const { journal, read } = await open({ find: async () => Promise.reject(error) });
    await journal.note(keysOf("a", "b"));
    const failed = await Promise.all([read(0), read(0, "", 1)]);
    for (const next of failed) expect(next).toMatchObject({ kind: "failed", error, keys: [{ id: "a" }, { id: "b" }] });
    expect(await read(0, "", 1)).toMatchObject({ kind: "failed", keys: [{ id: "a" }] });
  });

  it("look for no event that came round, or whose key is damaged", async () => {
    const wanted: string[] = [];
    const { journal, read } = await open({
      find: async (source, { keys, ...more }, ending) => {
        wanted.push(...keys.map(({ id }) => id));
        return findsAll.find(source, { keys, ...more }, ending);
      },
    });
    const [first, ...others] = keysOf("a", "b", "c");
    await journal.note([{ ...(first as (typeof others)[0]), hops: [serviceId] }, ...others]);
    expect(idsOf(await read(0))).toEqual([
      [0, "looped", undefined],
      [1, "selected", "b"],
      [2, "selected", "c"],
    ]);
    expect(wanted).toEqual(["b", "c"]);
  });
});
