import { describe, expect, it } from "vitest";
import { createDataThrough } from "./data-through.ts";

const never = new AbortController().signal;
const statistics = async () => [
  { name: "edge", rowCount: 3, oldestTimestampUs: 1n, newestTimestampUs: 30n },
  { name: "db", rowCount: 0, oldestTimestampUs: null, newestTimestampUs: null },
];
const stored = new Map([["edge", new Map([["aaa", 10n]])]]);
const read = (source: string, tenant?: string | null) => [
  { source, tenant: tenant === undefined ? undefined : tenant },
];

describe("the newest event that a call reads", () => {
  it("is the source's, or the tenant's when only that tenant is read", async () => {
    const asked: (readonly string[])[] = [];
    const readTenants = async (names: readonly string[]) => {
      asked.push(names);
      return stored;
    };
    const through = await createDataThrough({ statistics }, readTenants, never);
    expect(await through.of(read("edge"))).toBe(30n);
    expect(await through.of(read("edge", "aaa"))).toBe(10n);
    expect(await through.of(read("edge", "bbb"))).toBeUndefined();
    expect(await through.of(read("edge", null))).toBeUndefined();
    expect(await through.of([...read("edge", "aaa"), ...read("db", "aaa")])).toBe(10n);
    expect(through.newestOf("db")).toBeUndefined();
    expect(asked).toEqual([["edge"]]);
  });

  it("advances with stored events, per tenant", async () => {
    const through = await createDataThrough({ statistics }, async () => stored, never);
    through.note(
      "edge",
      50n,
      new Map([
        ["aaa", 40n],
        ["bbb", 50n],
      ]),
    );
    through.note("edge", 20n, new Map([["aaa", 20n]]));
    expect([through.newestOf("edge"), await through.of(read("edge", "aaa"))]).toEqual([50n, 40n]);
    expect(await through.of(read("edge", "bbb"))).toBe(50n);
  });

  it("reads the tenants again after a failure and after forgetTenants", async () => {
    let calls = 0;
    const readTenants = async () => {
      calls++;
      if (calls === 1) throw new Error("the engine is not there yet");
      return calls === 2 ? stored : new Map([["edge", new Map([["zzz", 3n]])]]);
    };
    const through = await createDataThrough({ statistics }, readTenants, never);
    expect(await through.of(read("edge", "aaa"))).toBe(10n);
    through.forgetTenants();
    expect(await through.of(read("edge", "aaa"))).toBeUndefined();
    expect(await through.of(read("edge", "zzz"))).toBe(3n);
  });
});
