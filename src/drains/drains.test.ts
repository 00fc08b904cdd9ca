import { describe, expect, it } from "vitest";
import { createDisk, createMemoryLog } from "../../test/support/drains/memory-log.ts";
import {
  backendOf,
  FakeDestination,
  findsAll,
  flushPromises,
  keysOf,
  ruleOf,
  StoppedClock,
} from "../../test/support/drains/rules.ts";
import type { Source } from "../sources/source.ts";
import type { DrainRule } from "./backend.ts";
import { Drains } from "./drains.ts";
import { createRemovals } from "./removals.ts";
import { RunningRules } from "./running-rules.ts";

function open(findAddressProblem: (url: string) => Promise<string | undefined> = async () => undefined) {
  const disk = createDisk();
  const destination = new FakeDestination();
  const clock = new StoppedClock();
  const written: string[] = [];
  const running = new RunningRules({
    log: createMemoryLog({ disk, segmentKeys: 1, maxBytes: 1_000_000, enter: async () => undefined }),
    ...{ clock, send: destination.send, serviceId: "0123456789abcdef", graceMs: 1_000, warn: () => undefined },
    removals: createRemovals({ findSource: () => undefined, nowMs: () => 0 }),
  });
  const note = (what: string) => async (of: { readonly id: string } | string) => {
    written.push(`${what} ${typeof of === "string" ? of : of.id}`);
  };
  const drains = new Drains({
    ...{ running, nowMs: () => 7, findAddressProblem },
    documents: {
      putBackend: note("backend"),
      removeBackend: note("no backend"),
      putRule: note("rule"),
      removeRule: note("no rule"),
    },
    findSource: (name) => (["edge", "auth"].includes(name) ? ({ name } as Source) : undefined),
  });
  running.start(findsAll);
  const store = async (source: string, ...ids: string[]) => {
    if (drains.isWatched(source)) await drains.note(source, keysOf(...ids));
    await flushPromises();
  };
  return { drains, running, destination, disk, clock, store, written };
}

const [one, two] = [ruleOf("one"), ruleOf("two")];
const other = (url: string) => ({ ...backendOf("b"), config: { url, headers: {}, gzip: false } });

describe("changes of another service", () => {
  it("begin rules that are new, in any order, and end those that are gone", async () => {
    const { drains, destination, store, running, written } = open();
    await store("edge", "before");
    await drains.replaceAll([backendOf("b")], [one]);
    await store("edge", "a");
    await drains.replaceAll([backendOf("b")], [two, one]);
    await store("edge", "b");
    expect(destination.ids()).toEqual(["a", "b", "b"]);
    await drains.replaceAll([backendOf("b")], [two]);
    await store("edge", "c");
    expect(destination.ids()).toEqual(["a", "b", "b", "c"]);
    expect(drains.rules).toEqual([two]);
    expect(drains.status().map(({ rule, delivered }) => [rule.id, delivered])).toEqual([["two", 2]]);
    await drains.replaceAll([], []);
    expect([drains.isWatched("edge"), drains.backends, written]).toEqual([false, [], []]);
    await running.close();
  });

  it("change where a rule sends, and what, from the event where it was", async () => {
    const { drains, destination, store, running, disk } = open();
    await drains.replaceAll([other("http://old/")], [one]);
    await store("edge", "a");
    destination.answer = () => ({ kind: "failed", reason: "down" });
    await store("edge", "b", "c");
    destination.answer = () => ({ kind: "taken" });
    await drains.replaceAll([other("http://new/")], [one]);
    await flushPromises();
    expect(destination.taken.map(({ url, ids }) => [url, ...ids])).toEqual([
      ["http://old/", "a"],
      ["http://new/", "b", "c"],
    ]);
    await drains.replaceAll([other("http://new/")], [{ ...one, lql: "d" }]);
    await store("edge", "d", "e");
    expect(destination.ids()).toEqual(["a", "b", "c", "e"]);
    expect(drains.status()[0]).toMatchObject({ delivered: 4, excluded: 1, waiting: 0 });
    expect(disk.positions.get("one")?.start).toBe(0);
    await running.close();
  });

  it("watch a source throughout whose only rule gives way to another, whatever is noted meanwhile", async () => {
    const { drains, destination, store, running, disk } = open();
    await drains.replaceAll([backendOf("b")], [one]);
    await store("edge", "a");
    const seen: boolean[] = [];
    let isOver = false;
    const changing = drains.replaceAll([backendOf("b")], [two]).finally(() => (isOver = true));
    for (; !isOver; await Promise.resolve()) seen.push(drains.isWatched("edge") && disk.journals.has("edge"));
    await changing;
    expect(seen.every((isWatched) => isWatched)).toBe(true);
    await store("edge", "b");
    expect(destination.ids()).toEqual(["a", "b"]);
    await running.close();
  });

  it("move a rule to another backend or another source", async () => {
    const { drains, destination, store, running } = open();
    const backends = [backendOf("b"), backendOf("c")];
    await drains.replaceAll(backends, [one]);
    await drains.replaceAll(backends, [{ ...one, backendId: "c" }]);
    await store("edge", "a");
    expect(destination.taken[0]?.url).toBe("http://c.example/");
    await drains.replaceAll(backends, [{ ...one, source: "auth" }]);
    expect([drains.isWatched("edge"), drains.isWatched("auth")]).toEqual([false, true]);
    await store("edge", "b");
    await store("auth", "c");
    expect(destination.ids()).toEqual(["a", "c"]);
    await running.close();
  });

  it("leave a rule alone that is as it was, and its request that is under way", async () => {
    const { drains, destination, store, running } = open();
    await drains.replaceAll([backendOf("b")], [one]);
    let aborted = 0;
    destination.answer = (_request, signal) => {
      signal.addEventListener("abort", () => aborted++);
      return new Promise(() => undefined);
    };
    await store("edge", "a");
    // Fields in another order are the same.
    const same = Object.fromEntries(Object.entries(one).reverse()) as unknown as typeof one;
    await drains.replaceAll([backendOf("x"), { ...backendOf("b") }], [two, same]);
    expect(aborted).toBe(0);
    expect(drains.backends.map(({ id }) => id)).toEqual(["x", "b"]);
    void running;
  });
});

describe("changes", () => {
  it("refuse an address where nothing may be sent, and then change nothing", async () => {
    const { drains, written } = open(async (url) => (url.includes("10.") ? "is private" : undefined));
    const document = (url: string) => ({ name: "n", type: "webhook", config: { url } });
    await expect(drains.saveBackend(document("http://10.0.0.1/"))).rejects.toMatchObject({
      code: "validation_failed",
      details: { fields: { "config.url": ["is private"] } },
    });
    const { id } = await drains.saveBackend(document("http://8.8.8.8/"));
    await expect(drains.saveBackend(document("http://10.0.0.1/"), id)).rejects.toThrow("is private");
    expect([written, drains.findBackend(id).config.url]).toEqual([[`backend ${id}`], "http://8.8.8.8/"]);
  });

  it("wait for no look-up of another's address", async () => {
    let answer = () => {};
    const answered = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    const { drains } = open(async (url) => (url.includes("silent.test") ? answered : undefined));
    const document = (url: string) => ({ name: url, type: "webhook", config: { url } });
    const { id } = await drains.saveBackend(document("http://8.8.8.8/"));
    const waiting = drains.saveBackend(document("http://silent.test/"), id);
    await drains.saveBackend({ description: "changed meanwhile" }, id);
    await drains.saveRule({ backend_id: id, source: "edge" });
    expect(drains.findBackend(id).config.url).toBe("http://8.8.8.8/");
    answer();
    await waiting;
    expect(drains.findBackend(id)).toMatchObject({
      ...{ name: "http://silent.test/", description: "changed meanwhile" },
      config: { url: "http://silent.test/" },
    });
  });

  it("show the status of one backend's rules, or of all", async () => {
    const { drains, running } = open();
    await drains.replaceAll([backendOf("b"), backendOf("c")], [one, { ...two, backendId: "c" }]);
    expect(drains.status("c").map(({ rule }) => rule.id)).toEqual(["two"]);
    expect(drains.status().map(({ rule }) => rule.id)).toEqual(["one", "two"]);
    expect(drains.status("none")).toEqual([]);
    await running.close();
  });
});

describe("a change whose rules cannot be restarted", () => {
  const backend = { name: "n", type: "webhook", config: { url: "http://8.8.8.8/" } };

  /** Drains whose documents are in memory, and whose rules fail on a full disk. */
  async function openFull() {
    const { running } = open();
    const disk = { isFull: false };
    const fill = async () => {
      if (disk.isFull) throw new Error("no space left on device");
    };
    const full: RunningRules = Object.assign(Object.create(running) as RunningRules, {
      restart: (...call: Parameters<RunningRules["restart"]>) => fill().then(() => running.restart(...call)),
      replaceAll: (...call: Parameters<RunningRules["replaceAll"]>) => fill().then(() => running.replaceAll(...call)),
      remove: (...rules: readonly DrainRule[]) => running.remove(...rules).then(fill),
    });
    const documents = new Map<string, object>();
    const drains = new Drains({
      ...{ running: full, nowMs: () => 7, findAddressProblem: async () => undefined },
      documents: {
        putBackend: async (each) => void documents.set(each.id, each),
        // With its rules, as the metadata does.
        removeBackend: async () => documents.clear(),
        putRule: async (each) => void documents.set(each.id, each),
        removeRule: async (id) => void documents.delete(id),
      },
      findSource: (name) => (["edge", "auth"].includes(name) ? ({ name } as Source) : undefined),
    });
    const { id } = await drains.saveBackend(backend);
    const rule = await drains.saveRule({ backend_id: id, source: "edge", lql_string: "a" });
    disk.isFull = true;
    const state = () => [...drains.backends, ...drains.rules, drains.isWatched("edge"), drains.isWatched("auth")];
    return { drains, documents, id, rule, state, before: state() };
  }

  it("leaves no new rule, and a changed one as it was", async () => {
    const { drains, documents, id, rule, state, before } = await openFull();
    const stored = [...documents.values()];
    for (const change of [{ lql_string: "b" }, { source: "auth" }]) {
      const sent = { backend_id: id, source: "edge", lql_string: "a", ...change };
      await expect(drains.saveRule(sent, rule.id)).rejects.toThrow("no space");
      await expect(drains.saveRule(sent)).rejects.toThrow("no space");
      expect([drains.rules, [...documents.values()]]).toEqual([[rule], stored]);
    }
    await expect(drains.saveBackend({ ...backend, name: "m" }, id)).rejects.toThrow("no space");
    expect([...documents.values()]).toEqual(stored);
    expect(state().slice(0, 2)).toEqual(before.slice(0, 2));
  });

  it("leaves neither a removed backend nor its rules, also where one of them cannot be cleared away", async () => {
    const { drains, documents, id, state } = await openFull();
    await expect(drains.removeBackend(id)).rejects.toThrow("no space");
    expect([documents.size, state()]).toEqual([0, [false, false]]);
  });
});

it("a rule is saved once the appends are over that began before it, whose events nobody noted", async () => {
  const { drains, running } = open();
  await drains.replaceAll([backendOf("b")], []);
  let goOn = () => {};
  const append = drains.appends.run(() => new Promise<void>((resolve) => (goOn = resolve)));
  let isSaved = false;
  const saved = drains.saveRule({ backend_id: "b", source_id: "edge", lql_string: "" }).then(() => (isSaved = true));
  await flushPromises();
  expect([drains.isWatched("edge"), isSaved]).toEqual([true, false]);
  goOn();
  await Promise.all([append, saved]);
  await running.close();
});
