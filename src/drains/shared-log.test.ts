import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryKeys } from "../../test/support/drains/memory-keys.ts";
import {
  backendOf,
  FakeDestination,
  findsAll,
  flushPromises,
  keysOf,
  ruleOf,
  StoppedClock,
} from "../../test/support/drains/rules.ts";
import { createRemovals } from "./removals.ts";
import { RunningRules } from "./running-rules.ts";
import { SharedLog } from "./shared-log.ts";

const rule = ruleOf("r");
const signal = new AbortController().signal;

/** A service on the keys, which looks at them when it is told to. */
async function open(keys: MemoryKeys, options: { folder?: string; maxBytes?: number; isSender?: boolean } = {}) {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "shared-log-")));
  const state = { isSender: options.isSender ?? true };
  const warnings: string[] = [];
  let look = async (): Promise<void> => undefined;
  const log = new SharedLog({
    ...{ keys, folder, maxBytes: options.maxBytes ?? 1_000_000, isSender: () => state.isSender },
    warn: (message) => warnings.push(message),
    repeat: (work) => {
      look = work;
      return () => undefined;
    },
  });
  const lookNow = async () => {
    await look();
    await flushPromises();
  };
  return { log, folder, state, warnings, lookNow };
}

/** The same with rules that deliver. */
async function serve(keys: MemoryKeys, options: Parameters<typeof open>[1] = {}) {
  const opened = await open(keys, options);
  const clock = new StoppedClock();
  const destination = new FakeDestination();
  const running = new RunningRules({
    ...{ log: opened.log, clock, send: destination.send, serviceId: "0123456789abcdef", graceMs: 1_000 },
    removals: createRemovals({ findSource: () => undefined, nowMs: () => 0 }),
    warn: (message) => opened.warnings.push(message),
  });
  running.start(findsAll);
  return { ...opened, running, clock, destination };
}

describe("a shared log", () => {
  it("wakes the sender for keys that another service has added", async () => {
    const keys = new MemoryKeys();
    const [one, other] = [await open(keys), await open(keys, { isSender: false })];
    const [mine, theirs] = [await one.log.journals.open("edge"), await other.log.journals.open("edge")];
    const waiting = mine.waitForKeys(0, signal);
    await theirs.note(keysOf("a", "b"));
    await one.lookNow();
    await waiting;
    expect((await mine.read(0, 10)).map(({ id }) => id)).toEqual(["a", "b"]);
    expect((await mine.read(1, 10)).map(({ id }) => id)).toEqual(["b"]);
    expect([mine.first, mine.end, theirs.end]).toEqual([0, 2, 2]);
    await one.log.close();
    await other.log.close();
  });

  it("keeps keys on the disk while the database is away, across the end of the process, and adds them in order", async () => {
    const keys = new MemoryKeys();
    const first = await open(keys);
    const journal = await first.log.journals.open("edge");
    await journal.note(keysOf("a"));
    keys.failing.add("add");
    await journal.note(keysOf("b"));
    await journal.note(keysOf("c"));
    await journal.note(keysOf("d"));
    expect([keys.next.get("edge"), (await readdir(first.folder)).length]).toEqual([1, 1]);
    keys.failing.clear();
    // The first process ends without closing anything.
    const second = await open(keys, { folder: first.folder });
    // Behind those that wait.
    await (await second.log.journals.open("edge")).note(keysOf("e"));
    const lines = (keys.batches.get("edge") ?? []).map(({ lines: text }) => text).join("");
    expect(lines.match(/"[a-e]"/g)?.join("")).toBe('"a""b""c""d""e"');
    await (await second.log.journals.open("edge")).note(keysOf("f"));
    expect(keys.next.get("edge")).toBe(6);
    await second.log.close();
  });

  it("adds keys again whose answer was lost: receivers may get events twice, and never lack one", async () => {
    const keys = new MemoryKeys();
    const { log, lookNow } = await open(keys);
    const journal = await log.journals.open("edge");
    keys.losing.add("add");
    await journal.note(keysOf("a"));
    keys.losing.clear();
    await lookNow();
    expect(keys.next.get("edge")).toBe(2);
    await log.close();
  });

  it("keeps keys in memory where it has no folder, up to a limit, and says how many end with it", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "shared-log-")), "file");
    await writeFile(file, "");
    const keys = new MemoryKeys();
    const { log, warnings, lookNow } = await open(keys, { folder: join(file, "none") });
    const journal = await log.journals.open("edge");
    keys.failing.add("add");
    await journal.note(keysOf("a", "b"));
    await expect(journal.note(keysOf("x".repeat(20_000_000)))).rejects.toThrow("too many wait");
    keys.failing.clear();
    await lookNow();
    expect(keys.next.get("edge")).toBe(2);
    keys.failing.add("add");
    await journal.note(keysOf("c"));
    await log.close();
    expect(warnings).toEqual(["1 events of edge are lost to drains"]);
  });

  it("refuses keys beyond the limit of the folder", async () => {
    const keys = new MemoryKeys();
    keys.failing.add("all");
    const { log } = await open(keys, { maxBytes: 10 });
    const journal = await log.journals.open("edge");
    await journal.note(keysOf("a"));
    await expect(journal.note(keysOf("b"))).rejects.toThrow("too many wait");
    await log.close();
  });

  it("drops the oldest keys of the longest journal beyond the limit, on the sender alone", async () => {
    const keys = new MemoryKeys();
    const other = await open(keys, { isSender: false, maxBytes: 200 });
    const journal = await other.log.journals.open("edge");
    for (let index = 0; index < 20; index++) await journal.note(keysOf(`event ${index}`));
    await (await other.log.journals.open("auth")).note(keysOf("short"));
    await other.lookNow();
    expect(journal.first).toBe(0);
    other.state.isSender = true;
    await other.lookNow();
    expect(journal.first).toBeGreaterThan(0);
    expect(other.log.journals.byteCount).toBeLessThanOrEqual(200);
    expect(other.log.journals.find("auth")?.first).toBe(0);
    await other.log.close();
  });

  it("hands the turn over with the counts, and nothing is lost between a sender that ends and the next", async () => {
    const keys = new MemoryKeys();
    const [one, other] = [await serve(keys), await serve(keys, { isSender: false })];
    for (const each of [one, other]) await each.running.restart(rule, backendOf("b"));
    await other.running.note("edge", keysOf("a", "b", "c"));
    await one.lookNow();
    expect(one.destination.ids()).toEqual(["a", "b", "c"]);
    await other.lookNow();
    expect(other.running.stateOf(rule)).toMatchObject({ delivered: 3, waiting: 0 });
    one.destination.answer = () => ({ kind: "failed", reason: "down" });
    await other.running.note("edge", keysOf("d", "e"));
    await one.lookNow();
    one.state.isSender = false;
    other.state.isSender = true;
    await one.lookNow();
    await other.lookNow();
    expect(other.destination.ids()).toEqual(["d", "e"]);
    await one.lookNow();
    for (const { running } of [one, other]) expect(running.stateOf(rule)).toMatchObject({ delivered: 5, waiting: 0 });
    for (const { running } of [one, other]) await running.close();
  });

  it("counts and sends events once whose keys come while the answer of a look at them is under way", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("look", "answer", "mine", "theirs"), { maxLength: 12 }),
        async (steps) => {
          const keys = new MemoryKeys();
          const found = keys.waiting.bind(keys);
          const held: (() => void)[] = [];
          let isHeld = false;
          keys.waiting = async () => {
            const answer = await found();
            if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
            return answer;
          };
          const [one, other] = [await serve(keys), await serve(keys, { isSender: false })];
          for (const each of [one, other]) await each.running.restart(rule, backendOf("b"));
          isHeld = true;
          const ids: string[] = [];
          for (const step of steps) {
            if (step === "look") void one.lookNow();
            else if (step === "answer") held.shift()?.();
            else {
              ids.push(`${ids.length}`);
              await (step === "mine" ? one : other).running.note("edge", keysOf(`${ids.length - 1}`));
            }
            await flushPromises(3);
          }
          isHeld = false;
          for (const answer of held) answer();
          await flushPromises(3);
          for (let look = 0; look < 3; look++) await one.lookNow();
          expect(one.destination.ids()).toEqual(ids);
          expect(one.running.stateOf(rule)).toMatchObject({ delivered: ids.length, dropped: 0, waiting: 0 });
          for (const { running } of [one, other]) await running.close();
        },
      ),
      { numRuns: 100 },
    );
  });

  it("takes the turn at a later look when the database fails at the first", async () => {
    const keys = new MemoryKeys();
    const { running, state, destination, lookNow } = await serve(keys, { isSender: false });
    await running.restart(rule, backendOf("b"));
    await running.note("edge", keysOf("a"));
    state.isSender = true;
    keys.failing.add("openPositions");
    await lookNow();
    expect(destination.ids()).toEqual([]);
    keys.failing.clear();
    await lookNow();
    expect(destination.ids()).toEqual(["a"]);
    await running.close();
  });

  it("does not take back what another sender has sent since, nor release what a rule needs that it does not know", async () => {
    const keys = new MemoryKeys();
    const { running, destination, lookNow } = await serve(keys);
    await running.restart(rule, backendOf("b"));
    await running.note("edge", keysOf("a"));
    await lookNow();
    // A rule of another service, which begins here.
    await keys.openPositions([{ id: "elsewhere", source: "edge", otherwise: "end" }]);
    await running.note("edge", keysOf("b", "c"));
    await lookNow();
    expect(destination.ids()).toEqual(["a", "b", "c"]);
    expect(keys.batches.get("edge")?.map(({ first }) => first)).toEqual([1]);
    keys.kept.set("r", { number: 9, progress: null, source: "edge" });
    const behind = { number: 4, progress: "0 4 0 0 0 0 0", isNewJournal: false };
    await keys.savePositions([{ id: "r", source: "edge", ...behind }]);
    expect(keys.kept.get("r")?.number).toBe(9);
    await running.remove(rule);
    expect(keys.batches.get("edge")).toHaveLength(1);
    await running.close();
  });

  it("continues from the position of an earlier release, and counts from there", async () => {
    const keys = new MemoryKeys();
    const { log } = await open(keys);
    const journal = await log.journals.open("edge");
    await journal.note(keysOf("a", "b", "c"));
    keys.kept.set("r", { number: 2, progress: null, source: "edge" });
    keys.kept.set("s", { number: 3, progress: "0 1 0 0 0 0 0", source: "edge" });
    const position = await log.openPosition(rule, "first");
    await position?.advance({ refused: 1 });
    expect([position?.number, keys.kept.get("r")?.progress]).toEqual([3, "2 0 1 0 0 0 0"]);
    const moved = await log.openPosition(ruleOf("s"), "first");
    expect([moved?.number, moved?.tally.delivered]).toEqual([3, 1]);
    await log.close();
  });

  it("makes no position of a rule that another service has removed, and goes on with the others at its turn", async () => {
    const keys = new MemoryKeys();
    const { running, state, destination, lookNow } = await serve(keys, { isSender: false });
    const wanted = [rule, ruleOf("s")].map((each) => ({ rule: each, backend: backendOf("b") }));
    await running.replaceAll(wanted);
    keys.removeRule("r");
    await running.note("edge", keysOf("a"));
    state.isSender = true;
    await lookNow();
    expect([[...keys.kept.keys()], destination.ids()]).toEqual([["s"], ["a"]]);
    await running.replaceAll(wanted.slice(1));
    expect(running.isWatched("edge")).toBe(true);
    await running.close();
  });

  it("saves nothing for a rule that has another source by now", async () => {
    const keys = new MemoryKeys();
    const { running, destination, lookNow } = await serve(keys);
    await running.restart(rule, backendOf("b"));
    await lookNow();
    // Moved by another service, which this one does not know yet.
    keys.kept.set("r", { number: 1, progress: null, source: "auth" });
    await running.note("edge", keysOf("a", "b"));
    await flushPromises();
    expect(destination.ids()).toEqual(["a", "b"]);
    expect(keys.kept.get("r")).toEqual({ number: 1, progress: null, source: "auth" });
    await running.close();
  });

  it("opens and saves the positions of many rules in few calls", async () => {
    const keys = new MemoryKeys();
    const { running, destination, lookNow } = await serve(keys);
    const rules = Array.from({ length: 200 }, (_, index) => ruleOf(`r${index}`));
    await running.replaceAll(rules.map((each) => ({ rule: each, backend: backendOf("b") })));
    await running.note("edge", keysOf("a", "b"));
    await lookNow();
    expect(destination.ids()).toHaveLength(400);
    expect(rules.map((each) => running.stateOf(each).delivered)).toEqual(rules.map(() => 2));
    const calls = (name: string) => keys.calls.filter((each) => each === name).length;
    // As they begin, and as it is this service's turn.
    expect([calls("openPositions"), calls("savePositions")]).toEqual([2, 1]);
    await running.close();
  });
});
