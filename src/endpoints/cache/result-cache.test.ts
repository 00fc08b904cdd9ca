import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { CachePolicy, ComputedAnswer } from "./cached-answer.ts";
import { ResultCache } from "./result-cache.ts";

/** A cache with a clock that the test sets, and queries that the test ends. */
function setUp(maxBytes = 1_000_000) {
  let now = 1_000_000;
  let setMs = 0;
  const cache = new ResultCache({ maxBytes, nowMs: () => now + setMs, steadyMs: () => now, random: () => 1 });
  const runs: { signal: AbortSignal; succeed(text: string): void; fail(error: Error): void }[] = [];
  const compute = (signal: AbortSignal) =>
    new Promise<ComputedAnswer>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      runs.push({
        signal,
        succeed: (text) => resolve({ body: Buffer.from(text), columns: [], dataThroughUs: undefined, next: undefined }),
        fail: reject,
      });
    });
  /** For each answered call, whether it was collapsed with another. */
  const collapsed: boolean[] = [];
  const policy: CachePolicy = { cacheSeconds: 900, warmEverySeconds: 300 };
  const get = async (key: string, signal = new AbortController().signal, own = policy) => {
    const { answer, isHit, isCollapsed } = await cache.get({
      key,
      group: key,
      heldBytes: 0,
      policy: own,
      compute,
      refresh: compute,
      openSignal: () => signal,
    });
    collapsed.push(isCollapsed);
    return { text: answer.body.toString(), isHit, ageMs: now - answer.computedAtMs };
  };
  const answer = async (key: string, text: string, own = policy) => {
    const pending = get(key, undefined, own);
    await flushPromises();
    runs.at(-1)?.succeed(text);
    return await pending;
  };
  const wait = async (seconds: number) => {
    now += seconds * 1000;
    cache.tick();
    await flushPromises();
  };
  const setClock = (seconds: number) => {
    setMs = seconds * 1000;
  };
  return { cache, runs, get, answer, wait, setClock, collapsed };
}

/** Lets all pending promises make progress. */
async function flushPromises(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function finish(cache: ResultCache): Promise<void> {
  await cache.close();
  expect(cache.size.entries).toBe(0);
}

describe("a cached answer", () => {
  it("is served until cache_seconds after its run, then recomputed", async () => {
    const { runs, get, answer, wait } = setUp();
    const policy = { cacheSeconds: 900, warmEverySeconds: undefined };
    expect(await answer("k", "one", policy)).toEqual({ text: "one", isHit: false, ageMs: 0 });
    await wait(899);
    expect(await get("k", undefined, policy)).toEqual({ text: "one", isHit: true, ageMs: 899_000 });
    await wait(1);
    expect(await answer("k", "two", policy)).toEqual({ text: "two", isHit: false, ageMs: 0 });
    expect(runs).toHaveLength(2);
  });

  it.each([-3_600, 3_600])("is as old as it is where the clock is set by %i s", async (seconds) => {
    const { runs, get, answer, wait, setClock } = setUp();
    const policy = { cacheSeconds: 60, warmEverySeconds: undefined };
    await answer("k", "one", policy);
    setClock(seconds);
    await wait(59);
    expect((await get("k", undefined, policy)).isHit).toBe(true);
    await wait(1);
    expect((await answer("k", "two", policy)).text).toBe("two");
    expect(runs).toHaveLength(2);
  });

  it("is not shared with other keys", async () => {
    const { answer, get } = setUp();
    await answer("a", "for a");
    await answer("b", "for b");
    expect((await get("a")).text).toBe("for a");
  });

  it("is removed by clear", async () => {
    const { cache, runs, answer } = setUp();
    await answer("k", "one");
    cache.clear();
    expect(await answer("k", "two")).toMatchObject({ text: "two", isHit: false });
    expect(runs).toHaveLength(2);
  });

  it("is evicted in least recently used order when the cache is full", async () => {
    const { cache, answer, get } = setUp(15_000);
    await answer("a", "x".repeat(3_000));
    await answer("b", "x".repeat(3_000));
    await get("a");
    await answer("c", "x".repeat(3_000));
    expect(cache.size.bytes).toBeLessThanOrEqual(15_000);
    expect((await get("a")).isHit).toBe(true);
    expect((await get("c")).isHit).toBe(true);
    expect(await answer("b", "again")).toMatchObject({ isHit: false });
  });
});

describe("a cached answer that was not read for a while", () => {
  const waitFor = async (isSo: () => boolean) => {
    while (!isSo()) await flushPromises();
  };

  it("is compressed when that saves enough, and decompressed for its next reader", async () => {
    const { cache, runs, answer, get, wait } = setUp();
    const rows = "a row much like the others, ".repeat(1_000);
    await answer("k", rows);
    const before = cache.size.bytes;
    await wait(9);
    await flushPromises();
    expect(cache.size.bytes).toBe(before);
    await wait(1);
    await waitFor(() => cache.size.bytes < before / 3);
    expect(cache.recall("k")).toBeUndefined();
    expect(await get("k")).toEqual({ text: rows, isHit: true, ageMs: 10_000 });
    expect(cache.size.bytes).toBe(before);
    expect(cache.recall("k")?.body.toString()).toBe(rows);
    expect(runs).toHaveLength(1);
  });

  it("stays uncompressed when compression saves too little", async () => {
    const { cache, answer, get, wait } = setUp();
    const noise = randomBytes(6_000).toString("base64");
    await answer("k", noise);
    const before = cache.size.bytes;
    await wait(10);
    // Closing waits for a running compression.
    await answer("other", noise);
    await wait(10);
    expect(cache.size.bytes).toBe(before * 2);
    expect((await get("k")).text).toBe(noise);
    await finish(cache);
  });
});

describe("an encoded form of a cached answer", () => {
  it("is made once, counts towards the cache's size, and is removed with the answer", async () => {
    const { cache, answer } = setUp();
    await answer("k", "one");
    const kept = cache.recall("k");
    if (kept === undefined) throw new Error("Nothing is cached");
    const before = cache.size.bytes;
    let made = 0;
    const make = async () => {
      made++;
      return Buffer.from("x".repeat(500));
    };
    const asked = [cache.formOf("k", kept, "gzip", make), cache.formOf("k", kept, "gzip", make)];
    expect(new Set(await Promise.all(asked)).size).toBe(1);
    expect(made).toBe(1);
    expect(cache.size.bytes).toBe(before + 500);
    cache.clear();
    expect(cache.size.bytes).toBe(0);
  });

  it("is made again after a failure", async () => {
    const { cache, answer } = setUp();
    await answer("k", "one");
    const kept = cache.recall("k");
    if (kept === undefined) throw new Error("Nothing is cached");
    await expect(cache.formOf("k", kept, "br", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect((await cache.formOf("k", kept, "br", async () => Buffer.from("yes"))).toString()).toBe("yes");
  });
});

describe("identical concurrent misses", () => {
  it("run one query and share its answer", async () => {
    const { runs, get, collapsed } = setUp();
    const callers = Array.from({ length: 64 }, () => get("k"));
    await flushPromises();
    expect(runs).toHaveLength(1);
    runs[0]?.succeed("shared");
    const answers = await Promise.all(callers);
    expect(answers.every(({ text }) => text === "shared")).toBe(true);
    expect(collapsed.filter((isCollapsed) => !isCollapsed)).toHaveLength(1);
  });

  it("share its error, which is not cached", async () => {
    const { runs, get, answer } = setUp();
    const callers = [get("k"), get("k")];
    await flushPromises();
    runs[0]?.fail(new Error("engine gone"));
    for (const caller of callers) await expect(caller).rejects.toThrow("engine gone");
    expect(await answer("k", "fine")).toMatchObject({ text: "fine" });
  });

  it("continue when one caller leaves, and are interrupted when the last caller leaves", async () => {
    const { runs, get } = setUp();
    const [first, second] = [new AbortController(), new AbortController()];
    const callers = [get("k", first.signal), get("k", second.signal)];
    await flushPromises();
    first.abort(new Error("left"));
    await expect(callers[0]).rejects.toThrow("left");
    expect(runs[0]?.signal.aborted).toBe(false);
    second.abort(new Error("left too"));
    await expect(callers[1]).rejects.toThrow("left too");
    expect(runs[0]?.signal.aborted).toBe(true);
  });
});

describe("an answer whose computation spans a clear", () => {
  it("is returned to its waiting callers but not cached", async () => {
    const { cache, runs, get, answer } = setUp();
    const callers = [get("k"), get("k")];
    await flushPromises();
    cache.clear();
    runs[0]?.succeed("of before");
    for (const caller of callers) expect(await caller).toEqual({ text: "of before", isHit: false, ageMs: 0 });
    expect(cache.size.entries).toBe(0);
    expect(cache.recall("k")).toBeUndefined();
    expect(await answer("k", "of after")).toMatchObject({ text: "of after", isHit: false });
    expect(await get("k")).toMatchObject({ text: "of after", isHit: true });
  });

  it("is not shared with callers that arrive after the clear", async () => {
    const { cache, runs, get } = setUp();
    const before = get("k");
    await flushPromises();
    cache.clear("k");
    const after = get("k");
    await flushPromises();
    expect(runs).toHaveLength(2);
    runs[1]?.succeed("of after");
    expect(await after).toMatchObject({ text: "of after" });
    runs[0]?.succeed("of before");
    expect(await before).toMatchObject({ text: "of before" });
    expect(await get("k")).toMatchObject({ text: "of after", isHit: true });
  });

  it("does not affect cached answers of other groups", async () => {
    const { cache, get, answer } = setUp();
    await answer("a", "one");
    await answer("b", "one");
    expect(cache.clear("a")).toBe(1);
    expect((await get("b")).isHit).toBe(true);
    expect(cache.recall("a")).toBeUndefined();
  });

  it("is not restored by a compression or decompression that was in progress", async () => {
    const { cache, answer, get, wait } = setUp();
    await answer("k", "a row much like the others, ".repeat(1_000));
    await wait(10);
    cache.clear();
    await flushPromises();
    expect(cache.size).toEqual({ entries: 0, bytes: 0 });
    await answer("k", "a row much like the others, ".repeat(1_000));
    await wait(10);
    // One compression at a time: this one starts only after that of the removed answer has ended.
    while (cache.size.bytes > 10_000) await wait(0);
    const reading = get("k");
    cache.clear();
    await reading;
    expect(cache.size).toEqual({ entries: 0, bytes: 0 });
  });
});

describe("cache warming", () => {
  it("refreshes every warm_every_seconds without making a caller wait", async () => {
    const { runs, get, answer, wait } = setUp();
    await answer("k", "one");
    await wait(299);
    expect(runs).toHaveLength(1);
    await wait(1);
    expect(runs).toHaveLength(2);
    expect(await get("k")).toEqual({ text: "one", isHit: true, ageMs: 300_000 });
    runs[1]?.succeed("two");
    await flushPromises();
    expect(await get("k")).toEqual({ text: "two", isHit: true, ageMs: 0 });
  });

  it("retains the last good answer when a refresh fails, and retries with growing delays", async () => {
    const { runs, get, answer, wait } = setUp();
    await answer("k", "one");
    await wait(300);
    runs[1]?.fail(new Error("no"));
    await flushPromises();
    await wait(4);
    expect(runs).toHaveLength(2);
    await wait(1);
    expect(runs).toHaveLength(3);
    runs[2]?.fail(new Error("no"));
    await flushPromises();
    await wait(9);
    expect(runs).toHaveLength(3);
    await wait(1);
    expect(runs).toHaveLength(4);
    expect(await get("k")).toMatchObject({ text: "one", isHit: true });
    runs[3]?.succeed("two");
    await flushPromises();
    expect(await get("k")).toMatchObject({ text: "two", ageMs: 0 });
  });

  it("resets the retry delay after a successful refresh", async () => {
    const { runs, answer, wait } = setUp();
    await answer("k", "one");
    await wait(300);
    for (const pause of [5, 10]) {
      runs.at(-1)?.fail(new Error("no"));
      await flushPromises();
      await wait(pause);
    }
    runs.at(-1)?.succeed("two");
    await flushPromises();
    await wait(300);
    expect(runs).toHaveLength(5);
    runs.at(-1)?.fail(new Error("no"));
    await flushPromises();
    await wait(4);
    expect(runs).toHaveLength(5);
    await wait(1);
    expect(runs).toHaveLength(6);
  });

  it("stops for an answer that was not read within cache_seconds", async () => {
    const { cache, runs, answer, wait } = setUp();
    await answer("k", "one");
    for (let i = 0; i < 2; i++) {
      await wait(300);
      runs.at(-1)?.succeed("again");
      await flushPromises();
    }
    expect(runs).toHaveLength(3);
    await wait(300);
    expect(cache.size.entries).toBe(0);
    await wait(300);
    expect(runs).toHaveLength(3);
  });

  it("runs one refresh at a time", async () => {
    const { cache, runs, answer, wait } = setUp();
    await answer("a", "one");
    await answer("b", "one");
    await wait(300);
    expect(runs).toHaveLength(3);
    runs[2]?.succeed("two");
    await flushPromises();
    cache.tick();
    expect(runs).toHaveLength(4);
    await finish(cache);
  });

  it("does not restore an answer that was cleared during the refresh", async () => {
    const { cache, runs, answer, wait } = setUp();
    await answer("k", "one");
    await wait(300);
    cache.clear();
    runs[1]?.succeed("stale");
    await flushPromises();
    expect(cache.size.entries).toBe(0);
  });
});

it("ResultCache aborts running refreshes when it is closed", async () => {
  const { cache, runs, answer, wait } = setUp();
  await answer("k", "one");
  await wait(300);
  await finish(cache);
  expect(runs[1]?.signal.aborted).toBe(true);
});
