import { describe, expect, it } from "vitest";
import { createRemovals } from "./removals.ts";

const day = 86_400_000_000n;
const nowMs = 100 * 86_400_000;
const key = (tenant: string | null, timestampUs = 99n * day) => ({ id: "x", tenant, timestampUs });

describe("removals", () => {
  const create = () =>
    createRemovals({
      findSource: (name) => (name === "aged" ? { retentionDays: { default: 30, tenants: { a: 7 } } } : undefined),
      nowMs: () => nowMs,
    });

  it("holds for events of a deletion's filter that waited when it ended", () => {
    const removals = create();
    removals.note("edge", { tenants: { of: ["a"] }, fromUs: 5n }, { first: 0, end: 10 });
    removals.note("edge", { id: "y" }, { first: 0, end: 20 });
    expect(removals.isRemoved("edge", key("a"), 9)).toBe(true);
    expect(removals.isRemoved("edge", key("a"), 10)).toBe(false);
    expect(removals.isRemoved("edge", key("a", 4n), 9)).toBe(false);
    expect(removals.isRemoved("edge", key("b"), 9)).toBe(false);
    expect(removals.isRemoved("edge", key(null), 9)).toBe(false);
    expect(removals.isRemoved("other", key("a"), 9)).toBe(false);
    expect(removals.isRemoved("edge", { ...key("b"), id: "y" }, 19)).toBe(true);
    // A dropped source.
    removals.note("edge", {}, { first: 0, end: 30 });
    expect(removals.isRemoved("edge", key(null), 29)).toBe(true);
    // What waited then is passed.
    removals.note("edge", { id: "z" }, { first: 30, end: 31 });
    expect(removals.isRemoved("edge", key(null), 29)).toBe(false);
  });

  it("holds for events before a time, and for those beyond their tenant's retention", () => {
    const removals = create();
    removals.note("edge", { toUs: 50n }, { first: 0, end: 0 });
    removals.note("edge", { toUs: 40n }, { first: 0, end: 0 });
    expect(removals.isRemoved("edge", key("a", 49n), 99)).toBe(true);
    expect(removals.isRemoved("edge", key("a", 50n), 99)).toBe(false);
    expect(removals.isRemoved("aged", key("a", 92n * day), 0)).toBe(true);
    expect(removals.isRemoved("aged", key("b", 92n * day), 0)).toBe(false);
    expect(removals.isRemoved("aged", { ...key("a", 92n * day), tenant: undefined }, 0)).toBe(false);
    expect(removals.isRemoved("aged", { ...key("a", 69n * day), tenant: undefined }, 0)).toBe(true);
  });
});
