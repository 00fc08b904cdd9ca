import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError } from "../../../contract/query-engine.ts";
import type { Database } from "../../driver/connection.ts";
import { createMemoryWatch, type MemoryWatch } from "./memory-watch.ts";
import { createProcessWatch, type ProcessWatch } from "./process-watch.ts";
import { QueryStop } from "./query-stop.ts";

const MEBIBYTE = 1024 ** 2;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the watch over the process", () => {
  it("stops the query since whose beginning the process grew the most, once, and only while it is too large", () => {
    let bytes = 100 * MEBIBYTE;
    const watch = createProcessWatch(300 * MEBIBYTE, () => bytes);
    const stopped: string[] = [];
    const first = watch.watch(() => stopped.push("first"));
    vi.advanceTimersByTime(50);
    bytes = 200 * MEBIBYTE;
    vi.advanceTimersByTime(50);
    const second = watch.watch(() => stopped.push("second"));
    expect([first.isSmaller(), second.isSmaller()]).toEqual([false, true]);
    bytes = 300 * MEBIBYTE;
    vi.advanceTimersByTime(500);
    expect(stopped).toEqual([]);
    bytes += 1;
    vi.advanceTimersByTime(50);
    expect(stopped).toEqual(["first"]);
    // It has some time to give its memory back.
    vi.advanceTimersByTime(250);
    expect(stopped).toEqual(["first"]);
    vi.advanceTimersByTime(50);
    expect(stopped).toEqual(["first", "second"]);
    vi.advanceTimersByTime(1000);
    expect(stopped).toEqual(["first", "second"]);
    first.end();
    second.end();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("blames no query since whose beginning the process hardly grew", () => {
    let bytes = 400 * MEBIBYTE;
    const stopped: string[] = [];
    const watched = createProcessWatch(300 * MEBIBYTE, () => bytes).watch(() => stopped.push("query"));
    bytes += 64 * MEBIBYTE - 1;
    vi.advanceTimersByTime(500);
    expect(stopped).toEqual([]);
    bytes += 1;
    vi.advanceTimersByTime(50);
    expect(stopped).toEqual(["query"]);
    watched.end();
  });

  it("reads the memory at most once in 50 ms for queries that begin, and looks only while one runs", () => {
    const read = vi.fn(() => 0);
    const watch = createProcessWatch(1, read);
    expect(vi.getTimerCount()).toBe(0);
    const [one, other] = [watch.watch(() => undefined), watch.watch(() => undefined)];
    expect(read).toHaveBeenCalledTimes(1);
    expect([one.isSmaller(), other.isSmaller()]).toEqual([true, true]);
    vi.advanceTimersByTime(49);
    watch.watch(() => undefined).end();
    expect(read).toHaveBeenCalledTimes(1);
    one.end();
    expect(other.isSmaller()).toBe(false);
    expect(vi.getTimerCount()).toBe(1);
    other.end();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(100);
    expect(read).toHaveBeenCalledTimes(1);
    watch.watch(() => undefined).end();
    expect(read).toHaveBeenCalledTimes(2);
  });
});

describe("the watch over the memory of queries", () => {
  /** A database whose queries hold so many bytes; it is closing where that is undefined. */
  function databaseOf(bytes: () => number | undefined) {
    const open = { count: 0, statements: new Set<string>() };
    const database = {
      async connect() {
        open.count++;
        return {
          async all(sql: string) {
            open.statements.add(sql);
            const held = bytes();
            if (held === undefined) throw new Error("closing");
            return [[held]];
          },
          close: () => open.count--,
        };
      },
    };
    return { watch: createMemoryWatch(database as unknown as Database), open };
  }

  it("tells once of growth beyond the bound, shared out among those that run", async () => {
    let bytes: number | undefined = 1000;
    const { watch, open } = databaseOf(() => bytes);
    const leave = [watch.enter(), watch.enter()];
    const exceeded = vi.fn();
    const end = watch.watch(100, exceeded);
    await vi.advanceTimersByTimeAsync(100);
    bytes = 1200;
    await vi.advanceTimersByTimeAsync(100);
    expect(exceeded).not.toHaveBeenCalled();
    bytes = undefined;
    await vi.advanceTimersByTimeAsync(100);
    bytes = 1201;
    await vi.advanceTimersByTimeAsync(50);
    expect(exceeded).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(exceeded).toHaveBeenCalledTimes(1);
    end();
    expect(vi.getTimerCount()).toBe(0);
    expect(open.count).toBe(0);
    for (const one of leave) one();
  });

  it("counts all growth as a query's own where the others are over, and nothing once it is over itself", async () => {
    let bytes = 0;
    const { watch } = databaseOf(() => bytes);
    const leave = watch.enter();
    watch.enter();
    const [exceeded, ended] = [vi.fn(), vi.fn()];
    const end = watch.watch(100, exceeded);
    const endOther = watch.watch(1, ended);
    await vi.advanceTimersByTimeAsync(10);
    bytes = 150;
    endOther();
    await vi.advanceTimersByTimeAsync(50);
    expect(exceeded).not.toHaveBeenCalled();
    leave();
    await vi.advanceTimersByTimeAsync(50);
    expect(exceeded).toHaveBeenCalledTimes(1);
    expect(ended).not.toHaveBeenCalled();
    end();
  });
});

describe("what stops a query", () => {
  const limits = { timeoutMs: 200, maxRows: 1, maxResultBytes: 1 };

  /** A query with watches in the test's hands, which note what was begun and ended. */
  function begin(maxMemoryBytes?: number) {
    const noted: string[] = [];
    const told: { [of: string]: () => void } = {};
    let isSmaller = false;
    const ofQueries: MemoryWatch = {
      enter() {
        noted.push("enter");
        return () => noted.push("leave");
      },
      watch(maxBytes, onExceeded) {
        noted.push(`watch ${maxBytes}`);
        told.query = onExceeded;
        return () => noted.push("end query");
      },
    };
    const ofProcess: ProcessWatch = {
      watch(onExceeded) {
        told.process = onExceeded;
        return { isSmaller: () => isSmaller, end: () => noted.push("end process") };
      },
    };
    const caller = new AbortController();
    const bounds = maxMemoryBytes === undefined ? limits : { ...limits, maxMemoryBytes };
    const stop = new QueryStop(bounds, caller.signal, { ofQueries, ofProcess });
    const shrink = () => {
      isSmaller = true;
    };
    return { stop, caller, told, noted, shrink };
  }

  it.each([
    ["its time", () => vi.advanceTimersByTime(200), { code: "timeout", message: "The query ran longer than 200 ms" }],
    ["its caller", ({ caller }) => caller.abort(), { code: "aborted", message: "The query was stopped" }],
    [
      "its own bound",
      ({ told }) => told.query?.(),
      { code: "memory_exceeded", message: "The query took more memory than it may", limit: "maxMemoryBytes" },
    ],
    [
      "the process",
      ({ told }) => told.process?.(),
      { code: "memory_exceeded", message: "The query needs more memory than it may use", limit: undefined },
    ],
  ] as const satisfies readonly (readonly [string, (query: ReturnType<typeof begin>) => void, object])[])(
    "is %s, whatever the engine says then",
    (_, act, error) => {
      const query = begin(5);
      const { stop } = query;
      expect(stop.signal.aborted).toBe(false);
      act(query);
      expect(stop.signal.reason).toMatchObject(error);
      expect(stop.explain(new Error("INTERRUPT Error: Interrupted!"))).toBe(stop.signal.reason);
      stop.end();
    },
  );

  it("watches the memory of a query only if it has a bound, and ends all it has begun", () => {
    const [free, bound] = [begin(), begin(7)];
    for (const { stop } of [free, bound]) stop.end();
    expect(free.noted).toEqual(["enter", "end process", "leave"]);
    expect(bound.noted).toEqual(["enter", "watch 7", "end query", "end process", "leave"]);
    expect(vi.getTimerCount()).toBe(0);
    free.caller.abort();
    expect(free.stop.signal.aborted).toBe(false);
  });

  it("says that a query which ran out of memory may be tried again, if another one took it", () => {
    const failure = new EngineError("memory_exceeded", "no memory", { cause: new Error("driver") });
    const { stop, shrink } = begin();
    expect(stop.explain(failure)).toBe(failure);
    shrink();
    const { code, message, cause } = failure;
    expect(stop.explain(failure)).toMatchObject({ code, message, cause, isLost: true });
    const other = new EngineError("query_failed", "no");
    expect(stop.explain(other)).toBe(other);
    stop.end();
  });
});
