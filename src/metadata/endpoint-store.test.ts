import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewVersion } from "../endpoints/management/endpoint-store.ts";
import { type MetadataDatabase, openMetadata } from "./database.ts";
import { createEndpointStore } from "./endpoint-store.ts";

let database: MetadataDatabase;

beforeEach(async () => {
  database = await openMetadata(":memory:");
});

afterEach(async () => {
  await database.close();
});

const version = (id: string, more: Partial<NewVersion> = {}): NewVersion => ({
  endpointId: id,
  name: id,
  author: "me",
  action: "create",
  rollbackTo: undefined,
  changed: [],
  document: "{}",
  contract: "{}",
  ...more,
});

describe("the store of endpoints", () => {
  it("keeps a version with each save, numbered by id", async () => {
    let now = 5;
    const store = createEndpointStore(database, () => now++);
    expect(await store.save(version("a"), undefined)).toBe(1);
    expect(await store.save(version("b"), undefined)).toBe(1);
    expect(
      await store.save(version("a", { document: "{2}", action: "rollback", rollbackTo: 1, changed: ["x"] }), 1),
    ).toBe(2);
    expect(await store.list()).toMatchObject([
      { id: "a", number: 2, document: "{2}" },
      { id: "b", number: 1 },
    ]);
    expect(await store.versions("a")).toMatchObject([
      { number: 2, createdAt: 7, action: "rollback", rollbackTo: 1, changed: ["x"] },
      { number: 1, createdAt: 5, rollbackTo: undefined },
    ]);
    expect(await store.version("a", 1)).toMatchObject({ number: 1, document: "{}" });
    expect([await store.version("a", 3), await store.latest("c")]).toEqual([undefined, undefined]);
  });

  it("saves nothing on another version than the current one, or for an id or name that is taken", async () => {
    const store = createEndpointStore(database, () => 0);
    await store.save(version("a"), undefined);
    expect(await store.save(version("a"), undefined)).toBeUndefined();
    expect(await store.save(version("b", { name: "a" }), undefined)).toBeUndefined();
    expect(await store.save(version("a"), 2)).toBeUndefined();
    expect(await store.versions("a")).toHaveLength(1);
    expect(await store.versions("b")).toEqual([]);
  });

  it("goes back as a whole where a part of a save fails", async () => {
    const store = createEndpointStore(database, () => 0);
    await store.save(version("a"), undefined);
    await store.save(version("b"), undefined);
    await expect(store.save(version("a", { name: "b", document: "{9}" }), 1)).rejects.toThrow();
    const broken = version("a", { document: "{9}", author: null as unknown as string });
    await expect(store.save(broken, 1)).rejects.toThrow();
    expect(await store.list()).toMatchObject([{ id: "a", number: 1, document: "{}" }, { id: "b" }]);
    expect(await store.save(version("a"), 1)).toBe(2);
  });

  it("lets one of many saves on the same version through", async () => {
    const store = createEndpointStore(database, () => 0);
    await store.save(version("a"), undefined);
    const numbers = await Promise.all(Array.from({ length: 8 }, () => store.save(version("a"), 1)));
    expect(numbers.filter((number) => number !== undefined)).toEqual([2]);
  });

  it("keeps the versions of what is removed, and goes on with their numbers", async () => {
    const store = createEndpointStore(database, () => 0);
    await store.save(version("a"), undefined);
    expect(await store.remove("a", 7)).toBe(false);
    expect(await store.remove("a", 1)).toBe(true);
    expect(await store.list()).toEqual([]);
    expect(await store.versions("a")).toHaveLength(1);
    expect(await store.record([version("a"), version("a")])).toEqual([2, 3]);
    expect(await store.save(version("a"), undefined)).toBe(4);
  });
});
