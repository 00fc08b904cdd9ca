import { describe, expect, it } from "vitest";
import { FreeCores } from "./free-cores.ts";

describe("the cores that are free", () => {
  it("are counted since they were asked for last", () => {
    const times = [
      { idle: 1000, all: 4000 },
      { idle: 1600, all: 4400 },
      { idle: 1600, all: 4400 },
      { idle: 1700, all: 5400 },
    ];
    const cores = new FreeCores(() => times.shift() ?? expect.unreachable());
    expect([cores.take(), cores.take(), cores.take()]).toEqual([1.5, 0, 0.1]);
  });

  it("are read from the machine", () => {
    expect(new FreeCores().take()).toBeGreaterThanOrEqual(0);
  });
});
