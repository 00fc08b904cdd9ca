import { describe, expect, it } from "vitest";
import { createRestCollector } from "./collect-at-rest.ts";

/** A collector for a process whose utilization and heap size are set by the test. */
function open() {
  const state = { utilization: 0, heapBytes: 100, collected: 0 };
  const look = createRestCollector({
    utilization: () => state.utilization,
    heapBytes: () => state.heapBytes,
    collect() {
      state.collected++;
      state.heapBytes = 60;
    },
  });
  return {
    state,
    looks(count: number) {
      for (let i = 0; i < count; i++) look();
      return state.collected;
    },
  };
}

describe("memory of an idle process", () => {
  it("is collected once, after ten seconds", () => {
    const { looks } = open();
    expect(looks(1)).toBe(0);
    expect(looks(1)).toBe(1);
    expect(looks(200)).toBe(1);
  });

  it("is not collected while the process is busy, or idle only briefly", () => {
    const { state, looks } = open();
    for (const utilization of [0.5, 0, 0.03, 0, 1, 0]) {
      state.utilization = utilization;
      expect(looks(1)).toBe(0);
    }
    expect(looks(1)).toBe(1);
  });

  it("is collected again when it has grown and some minutes have passed", () => {
    const { state, looks } = open();
    expect(looks(2)).toBe(1);
    state.heapBytes = 80;
    expect(looks(59)).toBe(1);
    expect(looks(1)).toBe(2);
    state.heapBytes = 70;
    expect(looks(200)).toBe(2);
  });
});
