import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WorkUnderWay } from "../../shared/concurrency/work-under-way.ts";
import { ServiceError } from "../../shared/errors.ts";
import { Arrivals } from "./arrivals.ts";
import type { TailRow } from "./ask-tail.ts";
import { placeBefore, startOf, type TailStart } from "./resume-place.ts";
import { type Follower, SharedTail } from "./shared-tail.ts";
import type { TailAsk } from "./tail-query.ts";

const startMs = 1_000_000_000;

/** A store of rows with times in seconds after the start, and a tail that asks it. */
function openTail(isOfEvents = false, maxRows = 5_000, isAlone = false) {
  const state = {
    nowMs: startMs,
    /** By how much the clock was set. */
    setMs: 0,
    stored: [] as TailRow[],
    askCount: 0,
    isFull: false,
    error: undefined as Error | undefined,
    ask: (_: Parameters<TailAsk>[0]): ReturnType<TailAsk> => Promise.reject(new Error("nothing is asked yet")),
  };
  const arrivals = new Arrivals();
  const appends = new WorkUnderWay();
  const keep = (rows: readonly (readonly [id: string, second: number])[], arrive = true) => {
    const added = rows.map(([id, second]): TailRow => {
      const timeUs = BigInt(startMs + second * 1000) * 1000n;
      return { key: id, timeUs, json: `"${id}"`, place: [String(timeUs), id] };
    });
    state.stored.push(...added);
    if (!arrive) return;
    arrivals.note(
      "t",
      added.map(({ key, timeUs }) => ({ id: key, timestampUs: timeUs })),
    );
  };
  const store = (id: string, second: number) => keep([[id, second]]);
  state.ask = async ({ fromUs, toUs, ids }) => {
    state.askCount++;
    if (state.error !== undefined) throw state.error;
    const wanted = ids === undefined ? undefined : new Set(ids);
    const all = state.stored.filter(({ key, timeUs }) => {
      return timeUs >= fromUs && timeUs <= toUs && (wanted?.has(key) ?? true);
    });
    const rows = all.sort((a, b) => Number(b.timeUs - a.timeUs) || (a.key < b.key ? 1 : -1)).slice(0, maxRows);
    const isFull = state.isFull || rows.length >= maxRows;
    return { rows, isFull, maxRows, isOfEvents, cursorScope: "", tables: ["t"] };
  };
  const open = () =>
    new SharedTail({
      ...{
        maxSeen: () => 100_000,
        nowMs: () => state.nowMs + state.setMs,
        steadyMs: () => state.nowMs,
        arrivals,
        appends,
        isAlone,
      },
      ask: (period) => state.ask(period),
    });
  const joinTail = async (tail: SharedTail, start?: TailStart) => {
    const told: string[] = [];
    const places: (readonly (string | null)[])[] = [];
    const follower: Follower = {
      deliver: (rows) => {
        told.push(...rows.map(({ key }) => key));
        places.push(...rows.map(({ place }) => place));
      },
      skip: (count) => told.push(`skipped ${count}`),
      end: ({ code }) => told.push(`end ${code}`),
    };
    const joined = tail.join(follower, start);
    await tail.poll();
    await joined;
    return { told, places, follower };
  };
  const tail = open();
  const join = (start?: TailStart) => joinTail(tail, start);
  return { state, store, keep, tail, join, open, joinTail, arrivals, appends };
}

/** Steps that others wait for by their number. */
function openSteps() {
  const waiting: (readonly [number, () => void])[] = [];
  let reached = -1;
  return {
    until: (step: number) =>
      new Promise<void>((resolve) => {
        if (step <= reached) resolve();
        else waiting.push([step, resolve]);
      }),
    /** Takes the next step, and lets those that waited for it go on. */
    async next() {
      reached++;
      for (const [step, resolve] of waiting) if (step === reached) resolve();
      await new Promise(setImmediate);
    },
  };
}

const future = Date.parse("2099-01-01") / 1000 - startMs / 1000;

describe("a tail of events", () => {
  it.each([
    ["in 2099", future],
    ["of long ago", -900_000],
    ["of one time", 1],
  ])("is not blinded by 5,000 events %s, and tells of each", async (_, second) => {
    const { keep, store, tail, join } = openTail(true);
    const { told } = await join();
    keep(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, second]));
    await tail.poll();
    store("later", 2);
    await tail.poll();
    store("last", second);
    await tail.poll();
    expect([told.length, new Set(told).size]).toEqual([5_002, 5_002]);
    expect(told.slice(-2)).toEqual(["later", "last"]);
  });

  it.each([
    ["in this service", 40, 40, []],
    ["in another", 0, 10, ["skipped undefined"]],
    ["in both", 39, 40, ["skipped undefined"]],
  ])(
    "that are on disk before they arrive, stored %s, may have been skipped only where some never arrive",
    async (_, own, count, skipped) => {
      const { state, keep, tail, join } = openTail(true, 10);
      const { told } = await join();
      const events = Array.from({ length: 40 }, (_, index) => [`x${String(index).padStart(2, "0")}`, 1] as const);
      keep(events, false);
      state.nowMs += 2_000;
      await tail.poll();
      expect(told).toHaveLength(10);
      state.stored.length = 0;
      keep(events.slice(0, own));
      for (let look = 0; look < 2; look++) {
        await tail.poll();
        state.nowMs += 2_000;
      }
      const rows = told.filter((each) => !each.startsWith("skipped"));
      expect([rows.length, new Set(rows).size]).toEqual([count, count]);
      expect(told.filter((each) => each.startsWith("skipped"))).toEqual(skipped);
    },
  );

  it("delivers every event once to everybody, whatever its time, the pieces it arrives in, and the limits", async () => {
    const second = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constantFrom(future, -1e6, 5, 3_600, 1e7));
    const body = fc.array(second, { minLength: 1, maxLength: 60 });
    const limits = fc.constantFrom(1, 7, 5_000);
    const step = fc.record({ body, waitMs: fc.constantFrom(0, 350, 2_500, 60_000), joins: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), limits, fc.boolean(), async (steps, maxRows, isAlone) => {
        const { state, keep, tail, join } = openTail(true, maxRows, isAlone);
        const followers = [{ ...(await join()), from: 0 }];
        let count = 0;
        for (const { body: seconds, waitMs, joins } of steps) {
          if (joins) followers.push({ ...(await join()), from: count });
          keep(seconds.map((each) => [`e${count++}`, each]));
          state.nowMs += waitMs;
          await tail.poll();
        }
        for (const { told, from } of followers) {
          const ids = told.filter((each) => !each.startsWith("skipped"));
          const expected = Array.from({ length: count - from }, (_, index) => `e${from + index}`);
          expect([...ids].sort()).toEqual(expected.sort());
        }
      }),
    );
  });

  it("delivers the events of an append in the order in which it resumes, whatever the limits", async () => {
    const second = fc.integer({ min: 0, max: 3 });
    const limits = fc.constantFrom(1, 2, 3, 7, 5_000);
    await fc.assert(
      fc.asyncProperty(fc.array(second, { maxLength: 30 }), limits, async (seconds, maxRows) => {
        const { keep, tail, join } = openTail(true, maxRows);
        const { places } = await join();
        keep(seconds.map((each, index) => [`e${index}`, each]));
        await tail.poll();
        expect(places).toHaveLength(seconds.length);
        for (const [index, place] of places.entries()) {
          const { isMissed } = startOf({ behind: place });
          const missed = places.filter((each) => isMissed({ timeUs: BigInt(each[0] ?? 0), place: each.slice(0, -1) }));
          expect(missed).toEqual(places.slice(index + 1));
        }
      }),
    );
  });

  it("delivers to one who resumes what is stored while it is let in, once, wherever its steps fall", async () => {
    const event = fc.record({
      second: fc.constantFrom(-900, -5, 0, 30, future),
      // Numbers of looks: an append begins, its event is on disk, and has arrived.
      steps: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 3, maxLength: 3 }),
      isWatched: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        async (events, isBeside, isPlaced) => {
          const { state, keep, tail, join, arrivals, appends } = openTail(true, 5_000, isPlaced);
          const before = placeBefore(undefined, 0n, arrivals.span(["t"], new Map(), new Map()));
          if (isBeside) await join();
          const pass = openSteps();
          const rows = events.map(({ second, steps, isWatched }, index) => ({
            ...{ id: `e${index}`, second, isWatched },
            steps: [...steps].sort((a, b) => a - b),
          }));
          for (const { id, second, isWatched, steps } of rows) {
            const [begun = 0, onDisk = 0, arrived = 0] = steps;
            const append = async () => {
              await pass.until(onDisk);
              keep([[id, second]], false);
              await pass.until(arrived);
              // An append that began before anybody followed notes nothing.
              if (!isWatched && !isBeside && begun === 0) arrivals.forget("t");
              else arrivals.note("t", [{ id, timestampUs: BigInt(startMs + second * 1000) * 1000n }]);
            };
            void pass.until(begun).then(() => appends.run(append));
          }
          const { ask } = state;
          state.ask = async (period) => {
            await pass.next();
            return ask(period);
          };
          await pass.next();
          const joining = join(isPlaced ? { behind: before } : { fromUs: 0n });
          for (let turn = 0; turn < 20; turn++) await pass.next();
          const { told } = await joining;
          for (let look = 0; look < 3; look++) await tail.poll();
          expect([...told].sort()).toEqual(rows.map(({ id }) => id));
        },
      ),
    );
  });

  it("sends one who comes back each event once, whatever its time, and wherever its connections break off", async () => {
    const second = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constantFrom(future, -1e6, 3_600));
    const body = fc.array(second, { maxLength: 4 });
    const step = fc.record({
      ...{ body, away: body, waitMs: fc.constantFrom(0, 350, 2_500, 60_000) },
      taken: fc.nat(30),
      ...{ isNewTail: fc.boolean(), again: fc.array(fc.nat(40), { maxLength: 1 }), polls: fc.nat(2) },
    });
    const limits = fc.constantFrom(3, 7, 5_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), limits, fc.boolean(), async (steps, maxRows, isAlone) => {
        const { state, keep, open, joinTail, arrivals } = openTail(true, maxRows, isAlone);
        const seconds: number[] = [];
        const add = (times: readonly number[]) => {
          keep(times.map((each, index) => [`e${seconds.length + index}`, each]));
          seconds.push(...times);
        };
        const repeat = (index: number) => {
          if (seconds[index] === undefined) return;
          const timestampUs = BigInt(startMs + seconds[index] * 1000) * 1000n;
          arrivals.note("t", [{ id: `e${index}`, timestampUs }]);
        };
        const taken: string[] = [];
        let place = placeBefore(undefined, BigInt(startMs) * 1000n, arrivals.span(["t"], new Map(), new Map()));
        let tail = open();
        for (const each of [...steps, undefined]) {
          const { told, places, follower } = await joinTail(tail, { behind: place });
          add(each?.body ?? []);
          for (let poll = 0; poll < (each?.polls ?? 2); poll++) await tail.poll();
          const rows = told.filter((row) => !row.startsWith("skipped")).slice(0, each?.taken);
          taken.push(...rows);
          place = places[rows.length - 1] ?? place;
          tail.leave(follower);
          if (each?.isNewTail === true) tail = open();
          add(each?.away ?? []);
          each?.again.forEach(repeat);
          state.nowMs += each?.waitMs ?? 0;
        }
        const expected = seconds.map((_, index) => `e${index}`).sort();
        // Rows of other services are looked for by their times, so that some come twice.
        expect((isAlone ? taken : [...new Set(taken)]).sort()).toEqual(expected);
      }),
    );
  });

  it("resumes within the rows of its start in the past by their times, and behind the last of them by arrival", async () => {
    const { store, join } = openTail(true, 5_000, true);
    for (const id of ["a", "b", "c"]) store(id, -5);
    const { told, places } = await join({ fromUs: 0n });
    store("late", -900_000);
    const within = await join({ behind: places[0] ?? [] });
    const behind = await join({ behind: places[2] ?? [] });
    expect([told.slice(0, 3), within.told, behind.told]).toEqual([["a", "b", "c"], ["b", "c"], ["late"]]);
  });

  it.each([-3_600_000, 3_600_000])("goes on where the clock is set by %i ms", async (setMs) => {
    const { state, keep, tail, join } = openTail(true);
    const { told } = await join();
    state.error = new ServiceError("engine_unavailable", "The engine restarts");
    await tail.poll();
    state.setMs = setMs;
    await tail.poll();
    state.error = undefined;
    for (const id of ["x", "y"]) {
      keep([[id, 1]], false);
      state.nowMs += 2_000;
      await tail.poll();
    }
    expect(told).toEqual(["x", "y"]);
  });

  it.each([true, false])(
    "shows nothing of before where the clock is set back; rows are events: %s",
    async (isOfEvents) => {
      const { state, keep, tail, join } = openTail(isOfEvents);
      keep([["before", -1_800]]);
      const { told } = await join();
      for (const [id, second] of [
        ["a", 1],
        ["b", 3_600],
      ] as const) {
        state.nowMs = startMs + second * 1_000;
        keep([[id, second]], isOfEvents);
        state.nowMs += 2_000;
        await tail.poll();
      }
      state.setMs = -5_400_000;
      for (const row of [[], [["c", -1_795]]] as const) {
        keep(row, false);
        state.nowMs += 2_000;
        await tail.poll();
      }
      expect(told).toEqual(["a", "b", "c"]);
    },
  );

  it("resumes behind a row of 2099, or of long ago, with what has arrived since", async () => {
    for (const second of [future, -900_000]) {
      const { state, store, tail, join } = openTail(true);
      const first = await join();
      store("before", 1);
      await tail.poll();
      state.nowMs += 20_000;
      store("odd", second);
      await tail.poll();
      tail.leave(first.follower);
      const [, odd] = first.places;
      expect(first.told).toEqual(["before", "odd"]);
      state.nowMs += 20_000;
      store("missed", 30);
      const again = await join({ behind: odd ?? [] });
      store("new", 41);
      await tail.poll();
      expect(again.told).toEqual(["missed", "new"]);
    }
  });
});

describe("a tail with many followers", () => {
  it("queries once for all of them, and not at all while no events arrive", async () => {
    const { state, store, tail, join } = openTail();
    const followers = [];
    for (let index = 0; index < 500; index++) followers.push(await join());
    const before = state.askCount;
    store("a", 1);
    await tail.poll();
    expect(state.askCount).toBe(before + 1);
    await tail.poll();
    await tail.poll();
    expect(state.askCount).toBe(before + 1);
    expect(followers.every(({ told }) => told.join() === "a")).toBe(true);
    state.nowMs += 2_000;
    await tail.poll();
    expect(state.askCount).toBe(before + 2);
  });

  it.each([
    ["of events, where no other service stores any: once a minute", true, true, 1],
    ["of events: every two seconds", true, false, 30],
    ["of what a query makes of them: every two seconds", false, true, 30],
  ])("queries without notice of events %s", async (_, isOfEvents, isAlone, count) => {
    const { state, tail, join } = openTail(isOfEvents, 5_000, isAlone);
    await join();
    const before = state.askCount;
    for (let second = 0; second < 60; second++) {
      state.nowMs += 1_000;
      await tail.poll();
    }
    expect(state.askCount - before).toBe(count);
  });

  it("delivers rows once and in order, including late and future ones", async () => {
    const { state, store, tail, join } = openTail();
    store("old", -5);
    const { told } = await join();
    store("future", 3_600);
    store("b", 2);
    store("a", 1);
    await tail.poll();
    store("late", -3);
    store("c", 3);
    state.nowMs += 3_000;
    await tail.poll();
    expect(told).toEqual(["a", "b", "future", "late", "c"]);
  });

  it("lets a follower that joins later catch up without gaps or repeats", async () => {
    const { store, tail, join } = openTail();
    await join();
    store("a", 1);
    store("b", 2);
    await tail.poll();
    const behind = await join({ behind: [String(BigInt(startMs + 1000) * 1000n), "a"] });
    const since = await join({ fromUs: 0n });
    store("c", 3);
    await tail.poll();
    expect([behind.told, since.told]).toEqual([
      ["b", "c"],
      ["a", "b", "c"],
    ]);
  });

  it.each([true, false])(
    "tells nothing that was there before its start, wherever the newest row is (events: %s)",
    async (isOfEvents) => {
      const rows = fc.uniqueArray(fc.integer({ min: -40, max: 0 }), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(rows, fc.integer({ min: -45, max: 0 }), async (seconds, from) => {
          const { state, store, tail, join } = openTail(isOfEvents);
          for (const second of seconds) store(`x${second}`, second);
          const fresh = await join();
          const back = await join({ fromUs: BigInt(startMs + from * 1_000) * 1_000n });
          for (let look = 0; look < 3; look++) {
            state.nowMs += 2_000;
            await tail.poll();
          }
          const since = [...seconds].sort((a, b) => a - b).filter((second) => second >= from);
          expect([fresh.told, back.told]).toEqual([[], since.map((second) => `x${second}`)]);
        }),
      );
    },
  );

  it("reports skipped rows when more arrived than one query returns", async () => {
    const { state, store, tail, join } = openTail();
    const { told } = await join();
    store("a", 1);
    state.isFull = true;
    await tail.poll();
    expect(told).toEqual(["skipped undefined", "a"]);
  });

  it("counts a follower that joins during a query", async () => {
    const { state, tail } = openTail();
    const counts: number[] = [];
    const { ask } = state;
    state.ask = (period) => {
      counts.push(tail.followerCount);
      return ask(period);
    };
    const follower: Follower = { deliver: () => undefined, skip: () => undefined, end: () => undefined };
    const joined = tail.join(follower, undefined);
    await tail.poll();
    await joined;
    counts.push(tail.followerCount);
    expect(counts).toEqual([1, 1]);
  });

  it("survives an engine restart, and ends on other errors", async () => {
    const { state, store, tail, join } = openTail();
    const { told } = await join();
    state.error = new ServiceError("engine_unavailable", "gone");
    store("a", 1);
    await tail.poll();
    state.error = undefined;
    await tail.poll();
    expect(told).toEqual(["a"]);
    state.error = new ServiceError("query_failed", "bad");
    store("b", 2);
    await tail.poll();
    expect(told).toEqual(["a", "end query_failed"]);
    expect(tail.followerCount).toBe(0);
  });
});

describe("an append that does not end", () => {
  it("holds up nobody who follows already, and its event is delivered once to each", async () => {
    const { keep, store, tail, join, arrivals, appends } = openTail(true);
    const before = await join();
    let end: () => void = () => undefined;
    const append = () => {
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      return appends.run(async () => {
        await ended;
        arrivals.note("t", [{ id: "slow", timestampUs: BigInt(startMs - 900_000) * 1000n }]);
      });
    };
    const slow = append();
    const joining = join({ fromUs: 0n });
    await new Promise(setImmediate);
    store("a", 1);
    await tail.poll();
    expect(before.told).toEqual(["a"]);
    keep([["slow", -900]], false);
    end();
    await slow;
    const third = await joining;
    await tail.poll();
    expect([before.told, third.told]).toEqual([
      ["a", "slow"],
      ["slow", "a"],
    ]);
  });
});

describe("many who begin to follow at once", () => {
  const away = new ServiceError("engine_unavailable", "away");
  const fromUs = BigInt(startMs) * 1000n;
  const inTheSame = () => ({ fromUs });
  const inAnother = (index: number) => ({ fromUs: fromUs - BigInt(index) });
  const enter = async (tail: SharedTail, count: number, startOf?: (index: number) => TailStart) => {
    const ended: string[] = [];
    const follower = (): Follower => ({
      deliver: () => undefined,
      skip: () => undefined,
      end: ({ code }) => ended.push(code),
    });
    const joins = Array.from({ length: count }, (_, index) => tail.join(follower(), startOf?.(index)));
    const settled = Promise.allSettled(joins);
    await tail.poll();
    const outcomes = await settled;
    return { ended, statuses: [...new Set(outcomes.map(({ status }) => status))] };
  };

  it("are let in by one look, and those who missed the same by one more", async () => {
    const { state, tail } = openTail(true);
    expect((await enter(tail, 100)).statuses).toEqual(["fulfilled"]);
    expect([state.askCount, tail.followerCount]).toEqual([1, 100]);
    expect((await enter(tail, 100, inTheSame)).statuses).toEqual(["fulfilled"]);
    expect([state.askCount, tail.followerCount]).toEqual([2, 200]);
    expect((await enter(tail, 10, inAnother)).statuses).toEqual(["fulfilled"]);
    expect([state.askCount, tail.followerCount]).toEqual([12, 210]);
  });

  it("keep those who follow from new events for one query at most", async () => {
    const { state, store, tail, join } = openTail(true);
    const { told } = await join();
    const { ask } = state;
    const toldBefore: string[][] = [];
    state.ask = async (period) => {
      if (period.fromUs <= fromUs && period.fromUs > fromUs - 10n) {
        toldBefore.push([...told]);
        store(`e${toldBefore.length}`, 1);
      }
      return ask(period);
    };
    await enter(tail, 4, inAnother);
    expect(toldBefore).toEqual([[], ["e1"], ["e1", "e2"], ["e1", "e2", "e3"]]);
  });

  it.each([0, 3])("are all told of an engine that is away once it was asked, beside %i who follow", async (others) => {
    const { state, tail } = openTail(true);
    await enter(tail, others);
    state.nowMs += 5_000;
    state.error = away;
    state.askCount = 0;
    const refused = await enter(tail, 100);
    expect(refused).toEqual({ ended: Array(100).fill("engine_unavailable"), statuses: ["rejected"] });
    expect([state.askCount, tail.followerCount]).toEqual([1, others]);
    state.error = undefined;
    expect((await enter(tail, 1)).statuses).toEqual(["fulfilled"]);
  });

  it("do not each wait for an engine that goes away while one is told what it missed", async () => {
    const { state, tail } = openTail(true);
    await enter(tail, 1);
    state.askCount = 0;
    const { ask } = state;
    state.ask = async (period) => {
      if (state.askCount === 3) state.error = away;
      return ask(period);
    };
    const { ended, statuses } = await enter(tail, 50, inAnother);
    expect([ended.length, statuses, state.askCount, tail.followerCount]).toEqual([
      ...[47, ["fulfilled", "rejected"], 4, 4],
    ]);
  });
});
