import { describe, expect, it } from "vitest";
import { FakeStore } from "../../test/support/drains/fake-store.ts";
import { EngineError, type EventSearch, type FindEvents, type LogEvent } from "../engines/contract/query-engine.ts";
import { ServiceError } from "../shared/errors.ts";
import type { WaitingKey } from "./journal.ts";
import { createEventReader, isTooLarge, type ReaderOptions } from "./read-events.ts";

const { signal } = new AbortController();

function eventOf(id: string, tenant: string | null, us: number, kind = "x"): LogEvent {
  const fields = { kind, ...(tenant === null ? {} : { project: tenant }) };
  return { id, hasGeneratedId: false, timestampUs: BigInt(us), eventMessage: null, fields };
}

function keyOf(id: string, tenant: string | null | undefined, us: number): WaitingKey {
  return { id, tenant, timestampUs: BigInt(us) };
}

function open(events: readonly LogEvent[], more: Partial<ReaderOptions> = {}) {
  const store = new FakeStore();
  store.append(events);
  const searches: EventSearch[] = [];
  const findEvents: FindEvents = (source, search, ending) => {
    searches.push(search);
    return store.find(source, search, ending);
  };
  const { matcher } = store;
  const reader = createEventReader({ findEvents, matcher, findSource: () => ({ tenantField: "project" }), ...more });
  const read = async (keys: readonly WaitingKey[]) => {
    const found = await reader.find("edge", { keys, maxBytes: 5_000 }, signal);
    return keys.map((key) => (found.get(key) ?? []).map(({ event }) => `${String(event.fields.project)} ${event.id}`));
  };
  return { store, searches, read };
}

describe("the reader of events", () => {
  it("finds each key's own event among those of other tenants with its id, and says which are missing", async () => {
    const { read, searches } = open(["a", "b", null].map((tenant) => eventOf("1", tenant, 5)));
    expect(await read([keyOf("1", "b", 5), keyOf("2", "b", 5), keyOf("1", null, 5), keyOf("1", "b", 5)])).toEqual([
      ["b 1"],
      [],
      ["undefined 1"],
      ["b 1"],
    ]);
    // Nothing of tenants that are not asked for is read.
    expect(searches.map(({ tenants }) => tenants)).toEqual([["b", null], ["b"]]);
    expect(searches.map(({ range }) => range)).toEqual([{ fromUs: 5n, toUs: 6n }, undefined]);
  });

  it("lets sources take turns, however many rules of one wait", async () => {
    const store = new FakeStore();
    const reader = createEventReader({
      findEvents: (...asked) => store.find(...asked),
      matcher: store.matcher,
      findSource: () => undefined,
    });
    const ended: string[] = [];
    const read = async (source: string) => {
      await reader.find(source, { keys: [keyOf("1", "a", 5)], maxBytes: 5_000 }, signal);
      ended.push(source);
    };
    await Promise.all([...Array.from({ length: 20 }, () => read("busy")), read("quiet")]);
    expect(ended.indexOf("quiet")).toBeLessThan(5);
  });

  it("finds an event that came again with another time, which is stored with its first", async () => {
    const { read } = open([eventOf("1", "a", 5), eventOf("2", "a", 900)]);
    expect(await read([keyOf("1", "a", 700), keyOf("2", "a", 900)])).toEqual([["a 1"], ["a 2"]]);
  });

  it("sends the events of all tenants of the key's id and time where an earlier release wrote it", async () => {
    const { read, searches } = open([eventOf("1", "a", 5), eventOf("1", "b", 5), eventOf("1", "c", 6)]);
    expect(await read([keyOf("1", undefined, 5)])).toEqual([["a 1", "b 1"]]);
    expect(searches[0]?.tenants).toBeUndefined();
  });

  it("reads more of a single event than of several, and at most two batches at once", async () => {
    const { read, searches, store } = open([eventOf("1", "a", 5)]);
    await read([keyOf("1", "a", 5)]);
    await read([keyOf("1", "a", 5), keyOf("1", "a", 5)]);
    expect(searches.map(({ maxBytes }) => maxBytes)).toEqual([64_000_000, 5_000]);
    let running = 0;
    let most = 0;
    store.enter = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    await Promise.all(Array.from({ length: 6 }, () => read([keyOf("1", "a", 5)])));
    expect(most).toBe(2);
  });

  it("fails as a whole where something could not be read, and tells what smaller reads may mend", async () => {
    const { read, store } = open([eventOf("1", "a", 5)]);
    store.enter = async () => {
      throw new EngineError("memory_exceeded", "too much");
    };
    await expect(read([keyOf("1", "a", 5)])).rejects.toThrow("too much");
    for (const code of ["result_too_large", "memory_exceeded", "limit_exceeded", "timeout"] as const) {
      expect([code, isTooLarge(new EngineError(code, ""))]).toEqual([code, true]);
    }
    expect(isTooLarge(new ServiceError("memory_exceeded", ""))).toBe(true);
    for (const error of [
      new EngineError("unavailable", ""),
      new ServiceError("engine_unavailable", ""),
      new Error(""),
    ]) {
      expect(isTooLarge(error)).toBe(false);
    }
  });
});
