import { describe, expect, it } from "vitest";
import { createDisk, createMemoryLog, type MemoryLogOptions } from "../../test/support/drains/memory-log.ts";
import {
  backendOf,
  FakeDestination,
  findsAll,
  flushPromises,
  foundOf,
  keysOf,
  ruleOf,
  StoppedClock,
} from "../../test/support/drains/rules.ts";
import { ServiceError } from "../shared/errors.ts";
import type { DrainLog } from "./drain-log.ts";
import type { Position } from "./position.ts";
import { createRemovals } from "./removals.ts";
import { RunningRules } from "./running-rules.ts";

function open(options: Partial<MemoryLogOptions> & { readonly log?: (log: DrainLog) => DrainLog } = {}) {
  const disk = options.disk ?? createDisk();
  const plain = createMemoryLog({
    disk,
    segmentKeys: 2,
    maxBytes: 1_000_000,
    enter: async () => undefined,
    ...options,
  });
  const log = options.log?.(plain) ?? plain;
  const clock = new StoppedClock();
  const destination = new FakeDestination();
  const warnings: string[] = [];
  const running = new RunningRules({
    ...{ log, clock, send: destination.send, serviceId: "0123456789abcdef", graceMs: 1_000 },
    removals: createRemovals({ findSource: () => undefined, nowMs: () => clock.nowNumber }),
    warn: (message) => warnings.push(message),
  });
  return { disk, log, clock, destination, warnings, running };
}

const rule = ruleOf("r");
const backend = backendOf("b");
const failed = { kind: "failed", reason: "down" } as const;

describe("running rules", () => {
  it("send from the start on what was noted before it, and what comes later", async () => {
    const { running, destination } = open();
    await running.restart(rule, backend);
    await running.note("edge", keysOf("a", "b"));
    await flushPromises();
    expect([destination.ids(), running.stateOf(rule).waiting]).toEqual([[], 2]);
    running.start(findsAll);
    await running.note("edge", keysOf("c"));
    await flushPromises();
    expect([destination.ids(), running.stateOf(rule)]).toMatchObject([["a", "b", "c"], { waiting: 0, delivered: 3 }]);
    await running.close();
  });

  it("begin a new rule with later events only, and one without its position with all that wait", async () => {
    const disk = createDisk();
    const first = open({ disk });
    first.running.start(findsAll);
    first.destination.answer = () => failed;
    await first.running.restart(rule, backend);
    await first.running.note("edge", keysOf("a"));
    await first.running.restart(ruleOf("late"), backendOf("late"));
    await first.running.note("edge", keysOf("b"));
    await flushPromises();
    await first.running.close();
    disk.positions.delete("late");
    const second = open({ disk });
    await second.running.restart(rule, backend);
    await second.running.restart(ruleOf("late"), backendOf("late"));
    second.running.start(findsAll);
    await flushPromises();
    expect(second.destination.ids("http://b.example/")).toEqual(["a", "b"]);
    expect(second.destination.ids("http://late.example/")).toEqual(["a", "b"]);
    expect(first.running.stateOf(ruleOf("late")).waiting).toBe(1);
    await second.running.close();
  });

  it("continue where they were, with the counts, when the rule or its backend changes", async () => {
    const { running, destination, clock } = open();
    running.start(findsAll);
    await running.restart(rule, backend);
    await running.note("edge", keysOf("a", "b"));
    await flushPromises();
    destination.answer = () => failed;
    await running.note("edge", keysOf("c", "d", "e"));
    await flushPromises();
    expect(running.stateOf(rule)).toMatchObject({ waiting: 3, failures: 1, lastError: "down" });
    destination.answer = () => ({ kind: "taken" });
    await running.restart({ ...rule, lql: "d" }, backendOf("b", { config: { ...backend.config, url: "http://new/" } }));
    expect(running.stateOf(rule).lastError).toBeUndefined();
    await flushPromises();
    expect(destination.taken.map(({ url, ids }) => [url, ...ids])).toEqual([
      ["http://b.example/", "a", "b"],
      ["http://new/", "c", "e"],
    ]);
    expect(running.stateOf(rule)).toMatchObject({ delivered: 4, excluded: 1, failures: 1, waiting: 0 });
    expect(clock.pauses).toHaveLength(1);
    await running.close();
  });

  it("warn and show the reason again after failing, recovering and failing", async () => {
    const { running, destination, clock, warnings } = open();
    running.start(findsAll);
    await running.restart(rule, backend);
    for (const reason of ["first", "second"]) {
      destination.answer = () => ({ kind: "failed", reason });
      await running.note("edge", keysOf("a"));
      await flushPromises();
      clock.wake();
      await flushPromises();
      expect(running.stateOf(rule)).toMatchObject({ lastError: reason, waiting: 1, refused: 0, dropped: 0 });
      destination.answer = () => ({ kind: "taken" });
      clock.wake();
      await flushPromises();
      expect(running.stateOf(rule)).toMatchObject({ lastError: undefined, waiting: 0, refused: 0 });
    }
    expect(warnings).toEqual([
      ...["events for b wait: first", "events for b are delivered again"],
      ...["events for b wait: second", "events for b are delivered again"],
    ]);
    // The pause begins anew after each recovery.
    expect(clock.pauses).toEqual([1_000, 2_000, 1_000, 2_000]);
    expect(running.stateOf(rule)).toMatchObject({ failures: 4, delivered: 2 });
    await running.close();
  });

  it("count events that cannot be noted as dropped for each rule, warn once, and let them be stored", async () => {
    let isFull = true;
    const enter = async (what: string) => {
      if (what === "note" && isFull) throw new Error("no space");
    };
    const { running, warnings, destination } = open({ enter });
    running.start(findsAll);
    const other = ruleOf("other", { source: "auth" });
    for (const each of [rule, ruleOf("s"), other]) await running.restart(each, backend);
    await running.note("edge", keysOf("a", "b"));
    await running.note("edge", keysOf("c"));
    expect([rule, ruleOf("s"), other].map((each) => running.stateOf(each).dropped)).toEqual([3, 3, 0]);
    expect(warnings).toEqual(["events of edge cannot be noted for draining, and are dropped there: Error: no space"]);
    isFull = false;
    await running.note("edge", keysOf("d"));
    isFull = true;
    await running.note("edge", keysOf("e"));
    await flushPromises();
    expect(warnings).toHaveLength(2);
    expect([destination.ids(), running.stateOf(rule)]).toMatchObject([["d", "d"], { delivered: 1, dropped: 4 }]);
    await running.close();
  });

  it("retain keys until every rule of the source has sent them, and release them then", async () => {
    const { running, destination, log, clock } = open();
    running.start(findsAll);
    const slow = ruleOf("slow");
    await running.restart(rule, backend);
    await running.restart(slow, backendOf("slow"));
    destination.answer = ({ url }) => (url.includes("slow") ? failed : { kind: "taken" });
    await running.note("edge", keysOf("a", "b", "c", "d", "e"));
    await flushPromises();
    expect(log.journals.find("edge")?.first).toBe(0);
    expect(running.stateOf(rule).waiting).toBe(0);
    destination.answer = () => ({ kind: "taken" });
    clock.wake();
    await flushPromises();
    expect(log.journals.find("edge")?.first).toBe(4);
    await running.close();
  });

  it("keep keys while positions cannot be saved, and do not go back when a rule changes then", async () => {
    const enter = async (what: string) => {
      if (what === "save") throw new Error("no space");
    };
    const { running, destination, log } = open({ enter });
    running.start(findsAll);
    await running.restart(rule, backend);
    await running.note("edge", keysOf("a", "b", "c", "d", "e"));
    await flushPromises();
    await running.restart({ ...rule, lql: "none" }, backend);
    await flushPromises();
    expect([destination.ids(), running.stateOf(rule).delivered]).toEqual([["a", "b", "c", "d", "e"], 5]);
    expect(log.journals.find("edge")?.first).toBe(0);
    await running.close();
  });

  it("forget a source's keys with its last rule, and watch it no longer", async () => {
    const { running, disk } = open();
    await running.restart(rule, backend);
    await running.restart(ruleOf("s"), backend);
    await running.note("edge", keysOf("a"));
    expect([running.isWatched("edge"), running.isWatched("auth")]).toEqual([true, false]);
    await running.remove(rule);
    expect([running.isWatched("edge"), disk.journals.has("edge"), disk.positions.has("r")]).toEqual([
      true,
      true,
      false,
    ]);
    await running.remove(ruleOf("s"));
    expect([running.isWatched("edge"), disk.journals.has("edge"), disk.positions.size]).toEqual([false, false, 0]);
    expect(running.stateOf(rule)).toMatchObject({ waiting: 0, delivered: 0 });
    await running.close();
  });

  it("begin at the end of another source that a rule moves to, and at that of the first when it moves back", async () => {
    const disk = createDisk();
    const { running, destination } = open({ disk });
    running.start(findsAll);
    const keeps = ruleOf("keeps");
    for (const each of [rule, keeps, ruleOf("auth", { source: "auth" })]) await running.restart(each, backend);
    await running.note("auth", keysOf("x", "y", "z"));
    await flushPromises();
    const moved = { ...rule, source: "auth" };
    await running.restart(moved, backend);
    await running.note("auth", keysOf("u"));
    await flushPromises();
    expect(running.stateOf(moved)).toMatchObject({ delivered: 1, waiting: 0 });
    await running.note("edge", keysOf("a"));
    await flushPromises();
    await running.restart(rule, backend);
    await running.note("edge", keysOf("b"));
    await flushPromises();
    expect([running.stateOf(rule).delivered, running.stateOf(keeps).delivered]).toEqual([1, 2]);
    expect(destination.ids().filter((id) => id === "a")).toHaveLength(1);
    await running.close();
  });

  it("take the position of another source for none when the process ended while the rule moved", async () => {
    const disk = createDisk();
    const first = open({ disk });
    first.running.start(findsAll);
    await first.running.restart(rule, backend);
    await first.running.restart(ruleOf("auth", { source: "auth" }), backendOf("away"));
    first.destination.answer = ({ url }) => (url.includes("away") ? failed : { kind: "taken" });
    await first.running.note("edge", keysOf("a", "b"));
    await first.running.note("auth", keysOf("x", "y", "z"));
    await flushPromises();
    await first.running.close();
    const second = open({ disk });
    const moved = { ...rule, source: "auth" };
    await second.running.replaceAll([
      { rule: moved, backend },
      { rule: ruleOf("auth", { source: "auth" }), backend: backendOf("away") },
    ]);
    second.running.start(findsAll);
    await flushPromises();
    // More than asked for, and nothing that is not: its first key is not known.
    expect(second.destination.ids("http://b.example/")).toEqual(["x", "y", "z"]);
    expect(second.running.stateOf(moved)).toMatchObject({ delivered: 3, waiting: 0 });
    await second.running.close();
  });

  it("run what they are told to, also where a first attempt failed in the middle", async () => {
    const { running, destination, log } = open({
      log: (plain) => {
        let isFull = true;
        const openPosition: DrainLog["openPosition"] = async (...of) => {
          if (of[0].id !== "new" || !isFull) return plain.openPosition(...of);
          isFull = false;
          throw new Error("the database is away");
        };
        return { ...plain, openPosition };
      },
    });
    running.start(findsAll);
    const rules = [ruleOf("new"), ruleOf("old")];
    await running.replaceAll([{ rule: ruleOf("old"), backend: backendOf("before") }]);
    const wanted = rules.map((each) => ({ rule: each, backend }));
    await expect(running.replaceAll(wanted)).rejects.toThrow("away");
    await running.replaceAll(wanted);
    await running.note("edge", keysOf("a"));
    await flushPromises();
    expect(destination.taken.map(({ url, ids }) => [url, ...ids])).toEqual([
      ["http://b.example/", "a"],
      ["http://b.example/", "a"],
    ]);
    void log;
    await running.close();
  });

  it("send nothing of what was read before another service took over", async () => {
    let isSender = true;
    const { running, destination, clock } = open({ log: (plain) => ({ ...plain, isSender: () => isSender }) });
    running.start({
      ...findsAll,
      // Not noticed by any look yet, as after a machine stood still.
      find: async (...wanted) => {
        isSender = false;
        return findsAll.find(...wanted);
      },
    });
    await running.restart(rule, backend);
    await running.note("edge", keysOf("a"));
    await flushPromises();
    expect([destination.ids(), running.stateOf(rule).failures]).toEqual([[], 0]);
    isSender = true;
    clock.wake();
    await flushPromises();
    expect(destination.ids()).toEqual(["a"]);
    await running.close();
  });

  it("send only while it is this service's turn, and from where the other has come", async () => {
    const turns: (() => Promise<void>)[] = [];
    let isSender = false;
    const positions: Position[] = [];
    const shared = (log: DrainLog): DrainLog => ({
      ...log,
      isSender: () => isSender,
      onTurn: (listener) => turns.push(listener),
      openPosition: async (...of) => {
        const position = await log.openPosition(...of);
        positions.push(position as Position);
        return position;
      },
    });
    const { running, destination, clock, disk } = open({ log: shared });
    running.start(findsAll);
    await running.restart(rule, backend);
    await running.note("edge", keysOf("a", "b", "c"));
    await flushPromises();
    expect(destination.ids()).toEqual([]);
    // The other service has sent the first.
    disk.positions.set("r", { start: 0, tally: { ...(positions[0] as Position).tally, delivered: 1 } });
    isSender = true;
    await turns[0]?.();
    await flushPromises();
    expect(destination.ids()).toEqual(["b", "c"]);
    expect(running.stateOf(rule)).toMatchObject({ delivered: 3, waiting: 0 });
    destination.answer = () => failed;
    await running.note("edge", keysOf("d"));
    await flushPromises();
    isSender = false;
    await turns[0]?.();
    clock.wake();
    destination.answer = () => ({ kind: "taken" });
    await flushPromises();
    expect([destination.ids(), running.stateOf(rule).lastError]).toEqual([["b", "c"], undefined]);
    await running.close();
  });

  it("stop a request at the end, and send its events again at the next start", async () => {
    const disk = createDisk();
    const first = open({ disk });
    first.running.start(findsAll);
    await first.running.restart(rule, backend);
    let asked = 0;
    first.destination.answer = (_request, signal) => {
      asked++;
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    await first.running.note("edge", keysOf("a"));
    await flushPromises();
    await first.running.close();
    expect(asked).toBe(1);
    const second = open({ disk });
    await second.running.restart(rule, backend);
    second.running.start(findsAll);
    await flushPromises();
    expect(second.destination.ids()).toEqual(["a"]);
    await second.running.close();
  });

  it("count what was removed from a source as that, and what is missing without a reason as dropped", async () => {
    const { running, clock, warnings } = open();
    running.start({ ...findsAll, find: async () => new Map() });
    await running.restart(rule, backend);
    await running.note("edge", keysOf("a", "b"));
    running.noteRemoval("edge", { toUs: 1n });
    await flushPromises();
    expect(running.stateOf(rule)).toMatchObject({ removed: 1, dropped: 0, waiting: 1 });
    expect(running.stateOf(rule).lastError).toBe('event "b" is not in the store yet');
    running.noteRemoval("edge", {});
    clock.wake();
    await flushPromises();
    expect(running.stateOf(rule)).toMatchObject({ removed: 2, dropped: 0, waiting: 0 });
    await running.note("edge", [{ id: "c", timestampUs: 9n, tenant: null }]);
    await flushPromises();
    for (const nowMs of [500, 1_000, 1_999, 2_500]) {
      clock.nowNumber = nowMs;
      clock.wake();
      await flushPromises();
    }
    expect(running.stateOf(rule)).toMatchObject({ removed: 2, dropped: 1, waiting: 0 });
    expect(warnings).toContain('event "c" of edge for b are dropped: they are not in the store');
    await running.close();
  });

  it("tell why a query cannot run, once they have a reader", async () => {
    const { running } = open();
    expect(await running.findProblem("edge", "x")).toBeUndefined();
    const failWith = (code: "invalid_parameter" | "engine_unavailable" | "too_many_queries") => {
      const check = () => Promise.reject(new ServiceError(code, "no such field"));
      running.start({ ...findsAll, check });
      return running.findProblem("edge", "x");
    };
    expect(await failWith("invalid_parameter")).toBe("no such field");
    for (const code of ["engine_unavailable", "too_many_queries"] as const) {
      await expect(failWith(code)).rejects.toMatchObject({ code });
    }
    await running.close();
  });

  it("send for others at once while many destinations hang with all that they may hold", async () => {
    const { running, destination } = open({ segmentKeys: 1_000, maxBytes: 100_000_000 });
    destination.answer = ({ url }, signal) => {
      if (!url.includes("hangs")) return { kind: "taken" };
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    // Events of 16 KB, as many as may be read.
    const bytesOfOne = 16_000;
    running.start({
      ...findsAll,
      find: async (_source, { keys, maxBytes }) => {
        if (keys.length * bytesOfOne > Math.max(bytesOfOne, maxBytes)) {
          throw new ServiceError("result_too_large", "too many bytes");
        }
        return new Map(keys.map((key) => [key, [{ ...foundOf(key), byteCount: bytesOfOne }]]));
      },
    });
    for (let index = 0; index < 60; index++) {
      // One of them has many rules.
      await running.restart(ruleOf(`hangs${index}`), backendOf(`hangs${Math.max(0, index - 25)}`));
    }
    const ids = Array.from({ length: 500 }, (_, index) => `e${index}`);
    await running.note("edge", keysOf(...ids));
    await flushPromises(100);
    await running.restart(ruleOf("late", { source: "other" }), backendOf("late"));
    await running.note("other", keysOf(...ids));
    await flushPromises(500);
    expect(destination.ids("http://late.example/")).toEqual(ids);
    await running.close();
  });
});
