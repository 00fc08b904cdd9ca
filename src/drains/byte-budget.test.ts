import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteBudget, type ByteLease, type ByteWish } from "./byte-budget.ts";

const signal = new AbortController().signal;
const most = Number.POSITIVE_INFINITY;

/** Takes from the budget, and notes it in the list. */
async function ask(budget: ByteBudget, wish: ByteWish, granted: string[], own = signal): Promise<ByteLease> {
  const lease = await budget.take(wish, own);
  granted.push(`${wish.owner} ${lease.byteCount}`);
  return lease;
}

describe("a budget of bytes", () => {
  it("gives an owner an eighth of what is free, in the order of asking, and to others although one waits", async () => {
    const budget = new ByteBudget(800);
    const granted: string[] = [];
    const first = await ask(budget, { owner: "a", most, least: 10 }, granted);
    const second = ask(budget, { owner: "a", most, least: 10 }, granted);
    const third = ask(budget, { owner: "a", most, least: 10 }, granted);
    await ask(budget, { owner: "b", most: 20, least: 10 }, granted);
    await ask(budget, { owner: "b", most, least: 10 }, granted);
    expect(granted).toEqual(["a 100", "b 20", "b 65"]);
    first.shrinkTo(50);
    first.shrinkTo(70);
    await second;
    expect(granted).toEqual(["a 100", "b 20", "b 65", "a 33"]);
    first.release();
    first.release();
    expect((await third).byteCount).toBe(52);
  });

  it("gives what is of no use below a size where half of the rest is left, and never more than a quarter", async () => {
    const budget = new ByteBudget(800);
    const granted: string[] = [];
    const large = await ask(budget, { owner: "a", most: 100, least: 900 }, granted);
    await ask(budget, { owner: "b", most: 100, least: 200 }, granted);
    await ask(budget, { owner: "c", most: 100, least: 200 }, granted);
    const waiting = ask(budget, { owner: "d", most: 100, least: 200 }, granted);
    const small = await ask(budget, { owner: "e", most: 100, least: 10 }, granted);
    expect(granted).toEqual(["a 200", "b 200", "c 200", "e 10"]);
    small.release();
    large.release();
    expect((await waiting).byteCount).toBe(200);
  });

  it("forgets who does not wait any longer", async () => {
    const budget = new ByteBudget(80);
    const granted: string[] = [];
    const held = await ask(budget, { owner: "a", most, least: 1 }, granted);
    const leaving = new AbortController();
    const gone = ask(budget, { owner: "a", most, least: 10 }, granted, leaving.signal);
    const next = ask(budget, { owner: "a", most, least: 5 }, granted);
    leaving.abort(new Error("over"));
    await expect(gone).rejects.toThrow("over");
    await expect(ask(budget, { owner: "b", most, least: 1 }, granted, leaving.signal)).rejects.toThrow("over");
    held.shrinkTo(4);
    await next;
    expect(granted).toEqual(["a 10", "a 5"]);
  });

  it("grants every wish in the end, and never more than there is", async () => {
    const wish = fc.record({
      owner: fc.constantFrom("a", "b", "c"),
      most: fc.integer({ min: 1, max: 500 }),
      least: fc.integer({ min: 1, max: 500 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { maxLength: 30 }), fc.array(fc.nat()), async (wishes, picks) => {
        const budget = new ByteBudget(400);
        const held: ByteLease[] = [];
        let grantedCount = 0;
        for (const each of wishes) {
          void budget.take(each, signal).then((lease) => {
            held.push(lease);
            grantedCount++;
          });
        }
        for (let turn = 0; grantedCount < wishes.length || held.length > 0; turn++) {
          await new Promise((resolve) => setImmediate(resolve));
          expect(held.reduce((sum, { byteCount }) => sum + byteCount, 0)).toBeLessThanOrEqual(400);
          const [lease] = held.splice((picks[turn] ?? 0) % Math.max(1, held.length), 1);
          expect(lease).toBeDefined();
          lease?.release();
        }
      }),
    );
  });

  /** Owners that each hold what they got for some turns, and ask again as soon as they gave it back. */
  async function run(
    budget: ByteBudget,
    wishes: readonly (ByteWish & { readonly turns: number })[],
    turnCount: number,
  ) {
    const grants = wishes.map((): number[] => []);
    const due: (() => void)[][] = Array.from({ length: turnCount }, () => []);
    let turn = 0;
    const ask = async (index: number): Promise<void> => {
      const wish = wishes[index];
      if (wish === undefined) return;
      const lease = await budget.take(wish, new AbortController().signal);
      grants[index]?.push(turn);
      due[turn + wish.turns]?.push(() => {
        lease.release();
        void ask(index);
      });
    };
    for (const index of wishes.keys()) void ask(index);
    for (; turn < turnCount; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const release of due[turn] ?? []) release();
    }
    return grants;
  }

  it("starves neither who asks for much beside thousands who ask for little, nor these beside many of those", async () => {
    const small = { most: 4_000_000, least: 64_000, turns: 1 };
    const large = { most: 4_000_000, least: 20_000_000, turns: 3 };
    for (const [smallCount, largeCount] of [
      [60, 1],
      [2_000, 1],
      [60, 20],
    ] as const) {
      const smalls = Array.from({ length: smallCount }, (_, index) => ({ ...small, owner: `small ${index}` }));
      const larges = Array.from({ length: largeCount }, (_, index) => ({ ...large, owner: `large ${index}` }));
      const grants = await run(new ByteBudget(64_000_000), [...smalls, ...larges], 80);
      for (const turns of grants) expect(turns.length).toBeGreaterThan(0);
    }
  });

  it("lets nobody wait for longer than a few rounds of the others, whoever asks for how much", async () => {
    const wish = fc.record({
      owner: fc.constantFrom(..."abcdefghijkl"),
      most: fc.integer({ min: 1, max: 500 }),
      least: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 500 })),
      turns: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 40 }), async (wishes) => {
        const turnCount = 4 * 5 * wishes.length;
        const grants = await run(new ByteBudget(400), wishes, turnCount);
        for (const turns of grants) {
          const all = [0, ...turns, turnCount];
          const longest = Math.max(...all.slice(1).map((turn, index) => turn - (all[index] ?? 0)));
          expect(longest).toBeLessThanOrEqual(5 * (wishes.length + 1));
        }
      }),
    );
  });

  it("grants in time that grows with the number of owners that wait, and not with its square", async () => {
    const stepsOf = async (count: number) => {
      const budget = new ByteBudget(64_000_000);
      let steps = 0;
      const wishes = Array.from({ length: count }, (_, index) => ({
        owner: String(index),
        get least() {
          steps++;
          return 64_000;
        },
        most: 4_000_000,
      }));
      await Promise.all(
        wishes.map(async (wish) => {
          const lease = await budget.take(wish, new AbortController().signal);
          await new Promise((resolve) => setImmediate(resolve));
          lease.release();
        }),
      );
      return steps;
    };
    expect((await stepsOf(4_000)) / (await stepsOf(1_000))).toBeLessThan(6);
  });
});
