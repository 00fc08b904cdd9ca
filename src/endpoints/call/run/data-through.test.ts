import { describe, expect, it } from "vitest";
import type { TenantOfSource } from "../../tenants/newest-of-tenant.ts";
import { createDataThrough } from "./data-through.ts";

const never = new AbortController().signal;
const statistics = async () => [
  { name: "edge", rowCount: 3, oldestTimestampUs: 1n, newestTimestampUs: 30n },
  { name: "db", rowCount: 0, oldestTimestampUs: null, newestTimestampUs: null },
];
const stored = new Map([["aaa", 10n]]);
const readStored = async ({ tenant }: TenantOfSource) => stored.get(tenant);
const read = (source: string, tenant?: string | null) => [
  { source, tenant: tenant === undefined ? undefined : tenant },
];

describe("the newest event that a call reads", () => {
  it("is the source's, or the tenant's when only that tenant is read", async () => {
    const asked: TenantOfSource[] = [];
    const readTenant = (of: TenantOfSource) => {
      asked.push(of);
      return readStored(of);
    };
    const through = await createDataThrough({ statistics }, readTenant, never);
    expect(await through.of(read("edge"))).toBe(30n);
    expect(asked).toEqual([]);
    for (let call = 0; call < 3; call++) {
      expect(await through.of(read("edge", "aaa"))).toBe(10n);
      expect(await through.of(read("edge", "bbb"))).toBeUndefined();
      expect(await through.of(read("edge", null))).toBeUndefined();
      expect(await through.of([...read("edge", "aaa"), ...read("db", "aaa")])).toBe(10n);
    }
    expect(through.newestOf("db")).toBeUndefined();
    expect(asked).toEqual(["aaa", "bbb"].map((tenant) => ({ source: "edge", tenant, sourceNewestUs: 30n })));
  });

  it("advances with stored events, per tenant, before and after it was asked", async () => {
    const through = await createDataThrough({ statistics }, readStored, never);
    through.note("edge", 5n, new Map([["aaa", 5n]]));
    expect(await through.of(read("edge", "aaa"))).toBe(10n);
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
    through.note("db", 3n, new Map([["zzz", 3n]]));
    expect(await through.of(read("db", "zzz"))).toBe(3n);
  });

  it("is none that was deleted, or of a source that is gone, and each that is stored meanwhile", async () => {
    let held = await statistics();
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    const asking = [Promise.resolve(), isAnswered];
    const changing = async () => {
      await asking.shift();
      return held;
    };
    const through = await createDataThrough({ statistics: changing }, async () => 3n, never);
    through.note("edge", 90n, new Map([["aaa", 90n]]));
    held = [{ name: "edge", rowCount: 1, oldestTimestampUs: 7n, newestTimestampUs: 7n }];
    const noted = through.noteDeletion();
    through.note("db", 8n);
    answer();
    await noted;
    expect([through.newestOf("edge"), through.newestOf("db")]).toEqual([7n, 8n]);
    expect(await through.of(read("edge", "aaa"))).toBe(3n);
    through.noteSources(["db"]);
    expect([through.newestOf("edge"), through.newestOf("db")]).toEqual([undefined, 8n]);
    held = [];
    asking.push(Promise.reject(new Error("away")));
    await through.noteDeletion();
    expect(through.newestOf("db")).toBe(8n);
  });

  it("tells names apart that are one text together", async () => {
    const through = await createDataThrough({ statistics }, async () => undefined, never);
    through.note("a", 1n, new Map([["bc", 1n]]));
    through.note("ab", 2n, new Map([["c", 2n]]));
    expect([await through.of(read("a", "bc")), await through.of(read("ab", "c"))]).toEqual([1n, 2n]);
  });

  it("asks for a tenant again after a failure, after a change of sources, and after ten thousand others", async () => {
    let calls = 0;
    const readTenant = async ({ tenant }: TenantOfSource) => {
      if (tenant !== "aaa") return undefined;
      calls++;
      if (calls === 1) throw new Error("the engine is not there yet");
      return BigInt(calls);
    };
    const through = await createDataThrough({ statistics }, readTenant, never);
    const ask = () => through.of(read("edge", "aaa"));
    expect([await ask(), await ask(), await ask()]).toEqual([undefined, 2n, 2n]);
    through.noteSources(["edge"]);
    expect([await ask(), await ask()]).toEqual([3n, 3n]);
    for (let other = 0; other < 10_000; other++) await through.of(read("edge", `other ${other}`));
    expect(await ask()).toBe(4n);
  });
});
