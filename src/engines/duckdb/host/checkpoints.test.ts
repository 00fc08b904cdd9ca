import { describe, expect, it } from "vitest";
import { createCheckpointPolicy } from "./checkpoints.ts";

describe("checkpoint policy", () => {
  it("waits until the log is large enough", () => {
    const policy = createCheckpointPolicy(100);
    policy.note("t", 25_000);
    expect(policy.isDue(99)).toBe(false);
    expect(policy.isDue(100)).toBe(true);
  });

  it("waits until the last row group of the busiest table is nearly full", () => {
    const policy = createCheckpointPolicy(100);
    policy.note("quiet", 24_000);
    policy.note("busy", 20_000);
    policy.note("busy", 20_000);
    expect(policy.isDue(150)).toBe(false);
    policy.note("busy", 15_000);
    expect(policy.isDue(150)).toBe(true);
  });

  it("waits no longer than three times the log", () => {
    const policy = createCheckpointPolicy(100);
    policy.note("t", 5000);
    expect(policy.isDue(299)).toBe(false);
    expect(policy.isDue(300)).toBe(true);
  });

  it("begins to count anew after a checkpoint", () => {
    const policy = createCheckpointPolicy(100);
    policy.note("t", 25_000);
    policy.reset();
    policy.note("t", 5000);
    expect(policy.isDue(100)).toBe(false);
  });
});
