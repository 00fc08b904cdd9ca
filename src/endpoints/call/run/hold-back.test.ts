import { describe, expect, it } from "vitest";
import { ServiceError } from "../../../shared/errors.ts";
import { createHoldBack } from "./hold-back.ts";

describe("the hold-back after a query that ended the engine", () => {
  /** Seconds until the caller may call again; 0 when it may call now. */
  function waitOf(check: () => void): number {
    try {
      check();
      return 0;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      expect([error.code, error.status]).toEqual(["held_back", 429]);
      return error.details.retryAfterSeconds ?? Number.NaN;
    }
  }

  it("doubles for its caller each time up to ten minutes, and does not affect other callers", () => {
    let now = 0;
    const { check, note } = createHoldBack(() => now);
    const waits: number[] = [];
    for (let time = 0; time < 9; time++) {
      note("token");
      const seconds = waitOf(() => check("token"));
      waits.push(seconds);
      expect(waitOf(() => check("another"))).toBe(0);
      now += seconds * 1000;
      expect(waitOf(() => check("token"))).toBe(0);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
  });

  it("starts again at five seconds after an hour without incident", () => {
    let now = 0;
    const { check, note } = createHoldBack(() => now);
    note("token");
    note("token");
    now += 10_000 + 3_600_001;
    note("token");
    expect(waitOf(() => check("token"))).toBe(5);
  });
});
