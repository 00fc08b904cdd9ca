import { describe, expect, it } from "vitest";
import { createFakeEngine } from "../../test/support/fake-engine.ts";
import { plainSource as source } from "../../test/support/sources/plain-source.ts";
import { type Source, sourceId } from "./source.ts";
import { changedNames, openSources } from "./source-registry.ts";

async function open(sources: readonly Source[]) {
  const calls: unknown[] = [];
  const { store } = createFakeEngine();
  const registry = await openSources(sources, {
    ...store,
    ensureSources: async (all) => void calls.push(all.map(({ name }) => name)),
    describe: (name, tenant) => ({ name: `${name} of ${String(tenant)}`, columns: [] }),
  });
  return { registry, calls };
}

describe("the source registry", () => {
  it("finds a source by its exact name or alias, and by its id in any letter case", async () => {
    const { registry } = await open([source("edge", "cdn.logs"), source("Edge2")]);
    expect(["edge", "cdn.logs", "Edge", "CDN.logs", "none"].map((name) => registry.findSource(name)?.name)).toEqual([
      "edge",
      "edge",
      ...[undefined, undefined, undefined],
    ]);
    const id = sourceId("Edge2");
    expect([id, id.toUpperCase(), "cdn.logs", "edge2", id.slice(1)].map((each) => registry.find(each)?.name)).toEqual([
      "Edge2",
      "Edge2",
      "edge",
      ...[undefined, undefined],
    ]);
  });

  it("finds a source's table in any letter case, the exact one first, as its tenant sees it", async () => {
    const { registry } = await open([source("edge", "Cdn"), source("EDGE")]);
    const tableOf = (name: string, tenant?: string | null) => registry.findTable(name, tenant)?.name;
    expect(["edge", "EDGE", "eDGE", "cDN", "none"].map((name) => tableOf(name))).toEqual([
      "edge of undefined",
      "EDGE of undefined",
      "EDGE of undefined",
      "edge of undefined",
      undefined,
    ]);
    expect([tableOf("cdn", "t"), tableOf("cdn", null)]).toEqual(["edge of t", "edge of null"]);
    expect(registry.tableNames()).toEqual(["edge", "Cdn", "EDGE"]);
  });

  it("makes the tables of sources before they are there, and announces each replacement", async () => {
    const { registry, calls } = await open([source("edge")]);
    expect(calls).toEqual([["edge"]]);
    registry.onChange(() => calls.push(registry.sources.map(({ name }) => name).join()));
    const others = [source("shop", "carts")];
    const tables = await registry.prepare(others);
    expect([tables.tableNames(), registry.tableNames(), registry.find("shop")]).toEqual([
      ["shop", "carts"],
      ["edge"],
      undefined,
    ]);
    registry.replace(others);
    expect(calls).toEqual([["edge"], ["shop"], "shop"]);
    expect([registry.find("edge"), registry.findTable("edge"), registry.tableNames()]).toEqual([
      undefined,
      undefined,
      ["shop", "carts"],
    ]);
  });

  it("tells by which names sources have changed, and nothing of those that are as they were", () => {
    const before = [source("edge", "Cdn"), source("shop"), source("old")];
    const after = [source("edge", "Cdn"), { ...source("shop"), tenantField: "project" }, source("New", "N")];
    expect([...changedNames(before, after)].sort()).toEqual(["n", "new", "old", "shop"]);
    expect(changedNames(before, before)).toEqual(new Set());
    expect(changedNames([source("edge", "Cdn")], [source("edge")])).toEqual(new Set(["edge", "cdn"]));
  });
});
