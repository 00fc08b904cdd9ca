import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ComputedAnswer } from "./cached-answer.ts";
import { type AnswerStore, createSharedRefresh, type MadeAnswer } from "./shared-refreshes.ts";

const answer = (length = 1): ComputedAnswer => ({
  body: Buffer.alloc(length),
  columns: [],
  dataThroughUs: undefined,
  next: undefined,
});

/** Services that share a store, with a clock that is set by hand. */
function createServices() {
  let nowMs = 0;
  let runs = 0;
  let isShared = true;
  const kept = new Map<string, MadeAnswer>();
  const held = new Set<string>();
  const store: AnswerStore = {
    async find(key, madeAfterMs) {
      const made = kept.get(key);
      return made !== undefined && made.computedAtMs > madeAfterMs ? made : undefined;
    },
    async put(key, made) {
      kept.set(key, made);
    },
  };
  const alone = async <T>(name: string, work: () => Promise<T>): Promise<T | undefined> => {
    if (held.has(name)) return undefined;
    held.add(name);
    return work().finally(() => held.delete(name));
  };
  const refresh = createSharedRefresh({ store, alone, isShared: () => isShared, nowMs: () => nowMs });
  return {
    kept,
    refresh: (computedAtMs: number, computed = answer(), runMs = 0) =>
      refresh({
        key: "k",
        computedAtMs,
        expiresAtMs: nowMs + 1_000,
        compute: async () => {
          runs++;
          nowMs += runMs;
          return computed;
        },
      }),
    at(ms: number) {
      nowMs = ms;
    },
    part() {
      isShared = false;
    },
    get runs() {
      return runs;
    },
  };
}

describe("a refresh shared between services", () => {
  it("runs a query once for all services that find their answer due", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 4 }), async (count, rounds) => {
        const services = createServices();
        let computedAtMs = Array.from({ length: count }, () => 0);
        for (let round = 1; round <= rounds; round++) {
          services.at(round * 100);
          const first = await Promise.all(computedAtMs.map((ms) => services.refresh(ms)));
          expect(first.filter((made) => made !== undefined).length).toBeGreaterThan(0);
          // Services that another was ahead of ask again.
          const all = await Promise.all(first.map(async (made, n) => made ?? services.refresh(computedAtMs[n] ?? 0)));
          computedAtMs = all.map((made) => made?.computedAtMs ?? -1);
          expect(new Set(computedAtMs)).toEqual(new Set([round * 100]));
          expect(services.runs).toBe(round);
        }
      }),
    );
  });

  it("replaces no answer that was made while it ran, after events were deleted that it has read", async () => {
    const services = createServices();
    services.at(100);
    const stale = await services.refresh(0, answer(), 100);
    const fresh = await services.refresh(150);
    expect(stale).toMatchObject({ computedAtMs: 200 });
    expect(fresh?.computed).not.toBe(stale?.computed);
    expect(services.runs).toBe(2);
  });

  it("runs on each service when the others are unreachable or the answer is too long to share", async () => {
    const services = createServices();
    services.at(100);
    await services.refresh(0, answer(1_000_001));
    expect(services.kept.size).toBe(0);
    await services.refresh(0);
    services.part();
    await services.refresh(0);
    expect(services.runs).toBe(3);
  });
});
