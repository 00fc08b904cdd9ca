import { describe, expect, it } from "vitest";
import { ByteBudget } from "./byte-budget.ts";

const signal = new AbortController().signal;

/** Takes from the budget, and notes it in the list. */
function ask(budget: ByteBudget, bytes: number, order: number[], own = signal) {
  return budget.take(bytes, own).then((lease) => {
    order.push(bytes);
    return lease;
  });
}

describe("a budget of bytes", () => {
  it("grants in the order of asking, also to who asks for much, as bytes are given back", async () => {
    const budget = new ByteBudget(10);
    const order: number[] = [];
    const first = await ask(budget, 9, order);
    const second = ask(budget, 8, order);
    const third = ask(budget, 1, order);
    await Promise.resolve();
    expect(order).toEqual([9]);
    first.shrinkTo(3);
    first.shrinkTo(5);
    await Promise.resolve();
    expect(order).toEqual([9]);
    first.release();
    first.release();
    await Promise.all([second, third]);
    expect(order).toEqual([9, 8, 1]);
    const fourth = ask(budget, 2, order);
    (await third).release();
    await fourth;
    expect(order).toEqual([9, 8, 1, 2]);
  });

  it("forgets who does not wait any longer", async () => {
    const budget = new ByteBudget(10);
    const order: number[] = [];
    const held = await ask(budget, 10, order);
    const leaving = new AbortController();
    const gone = ask(budget, 10, order, leaving.signal);
    const small = ask(budget, 4, order);
    leaving.abort(new Error("over"));
    await expect(gone).rejects.toThrow("over");
    await expect(ask(budget, 1, order, leaving.signal)).rejects.toThrow("over");
    held.shrinkTo(6);
    await small;
    expect(order).toEqual([10, 4]);
  });
});
