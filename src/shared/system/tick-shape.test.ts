import { nextTick } from "node:process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { holdTickShape } from "./tick-shape.ts";

const tick = () => promisify(nextTick)();

describe("the shape of ticks", () => {
  it("is held from the next tick until it is released", async () => {
    const shape = holdTickShape();
    expect(shape.isHeld).toBe(false);
    await tick();
    expect(shape.isHeld).toBe(true);
    shape.release();
    expect(shape.isHeld).toBe(false);
  });

  it("is not held when it was released before the next tick", async () => {
    const shape = holdTickShape();
    shape.release();
    await tick();
    expect(shape.isHeld).toBe(false);
  });
});
