import { describe, expect, it } from "vitest";
import { createFakeEngine } from "../../test/support/fake-engine.ts";
import type { SourceDefinition } from "../engines/contract/query-engine.ts";
import { createManagedSources } from "./managed-sources.ts";
import { toSource } from "./source-document.ts";
import { openSources } from "./source-registry.ts";

/** Managed sources over a store and documents whose steps are recorded and may fail. */
async function open(failing: "dropSource" | "document" | undefined = undefined) {
  const steps: string[] = [];
  const step = async (name: string) => {
    steps.push(name);
    if (name === failing) throw new Error(`${name} failed`);
  };
  const { store } = createFakeEngine();
  const registry = await openSources([], {
    ...store,
    ensureSources: async (sources) => void steps.push(...sources.map(({ name }) => `ensure ${name}`)),
  });
  const managed = createManagedSources({
    registry,
    events: {
      dropSource: async () => {
        expect(registry.find("shop")).toBeUndefined();
        await step("dropSource");
      },
    },
    documents: { put: async () => undefined, remove: () => step("document") },
    isEndpoint: () => false,
    findBroken: async () => [],
  });
  await managed.create({ name: "shop" });
  steps.length = 0;
  return { registry, managed, steps };
}

describe("deleting a source", () => {
  it("hides it, drops its events, and removes its document last", async () => {
    const { registry, managed, steps } = await open();
    await managed.remove("shop");
    expect(steps).toEqual(["dropSource", "document"]);
    expect(registry.find("shop")).toBeUndefined();
  });

  it.each(["dropSource", "document"] as const)("leaves a usable source when %s fails", async (failing) => {
    const { registry, managed, steps } = await open(failing);
    await expect(managed.remove("shop")).rejects.toThrow(`${failing} failed`);
    expect(registry.find("shop")?.name).toBe("shop");
    expect(steps.at(-1)).toBe("ensure shop");
  });
});

describe("saving a source that fails in its last step", () => {
  const before = { name: "shop", fields: { project: "STRING" } };

  /** A store that lists its tables by what they declare, and documents on a full disk once `isFull`. */
  async function openFull() {
    const tables = new Map<string, SourceDefinition & { events: number }>();
    const disk = { isFull: false };
    const { store } = createFakeEngine();
    const registry = await openSources([], {
      ...store,
      describe: (name) => (tables.has(name) ? { name, columns: [] } : undefined),
      ensureSources: async (sources) => {
        for (const source of sources)
          tables.set(source.name, { ...source, events: tables.get(source.name)?.events ?? 0 });
      },
      countEvents: async (name) => tables.get(name)?.events ?? 0,
      dropSource: async (name) => void tables.delete(name),
    });
    const managed = createManagedSources({
      registry,
      events: { dropSource: async () => undefined },
      documents: {
        put: async () => {
          if (disk.isFull) throw new Error("database or disk is full");
        },
        remove: async () => undefined,
      },
      isEndpoint: () => false,
      findBroken: async () => [],
    });
    await managed.create(before);
    return { tables, disk, registry, managed };
  }

  it("leaves no table of a new one", async () => {
    const { tables, disk, registry, managed } = await openFull();
    disk.isFull = true;
    await expect(managed.create({ name: "cart" })).rejects.toThrow("disk is full");
    expect([[...tables.keys()], registry.sources.map(({ name }) => name)]).toEqual([["shop"], ["shop"]]);
    disk.isFull = false;
    expect(await managed.create({ name: "cart" })).toMatchObject({ name: "cart" });
    expect([...tables.keys()]).toEqual(["shop", "cart"]);
  });

  it("leaves a table that was there before, or has events meanwhile", async () => {
    const { tables, disk, managed } = await openFull();
    tables.set("old", { ...toSource({ name: "old", kind: "log" }, { kind: "api" }, ""), events: 0 });
    disk.isFull = true;
    await expect(managed.create({ name: "old" })).rejects.toThrow("disk is full");
    expect([...tables.keys()]).toEqual(["shop", "old"]);
  });

  it("leaves what a changed one declared", async () => {
    const { tables, disk, managed } = await openFull();
    disk.isFull = true;
    const change = { tenant: "project", fields: { project: "STRING", n: "INT64" } };
    await expect(managed.change("shop", change, true)).rejects.toThrow("disk is full");
    const { knownFields, tenantField } = tables.get("shop") ?? {};
    expect([knownFields?.map(({ path }) => path), tenantField]).toEqual([["project"], undefined]);
  });
});

describe("a change to the managed sources", () => {
  const file = { kind: "log", aliases: [], description: "", retentionDays: undefined, knownFields: [] };

  async function openWith(findBroken: (names: readonly string[]) => readonly string[] = () => []) {
    const log: string[] = [];
    const kept = { ...file, name: "edge", origin: { kind: "file" as const, path: "edge.yaml" } };
    const own = { ...file, name: "logweir.audit", origin: { kind: "service" as const } };
    const registry = await openSources([kept, own, { ...file, name: "old" }], createFakeEngine().store);
    registry.onChange(() => void log.push("changed"));
    const managed = createManagedSources({
      registry,
      events: { dropSource: async (name) => void log.push(`drop ${name}`) },
      documents: {
        put: async ({ name, document }) => void log.push(`put ${name} ${document}`),
        remove: async (name) => void log.push(`remove ${name}`),
      },
      isEndpoint: (name) => name === "taken",
      findBroken: async (tables) => findBroken(tables.tableNames()),
      amongServices: async (work) => {
        log.push("begin");
        return work().finally(() => log.push("end"));
      },
    });
    return { registry, managed, log };
  }

  it("is saved before it is applied, and replaces the source", async () => {
    const { registry, managed, log } = await openWith();
    expect(await managed.create({ name: "shop", retention_days: 3 })).toMatchObject({ name: "shop", kind: "log" });
    const document = { name: "shop", aliases: [], kind: "log", description: "", retention_days: 3, fields: {} };
    expect(log).toEqual(["begin", `put shop ${JSON.stringify(document)}`, "changed", "end"]);
    expect(await managed.change("shop", { aliases: ["cart"] }, true)).toMatchObject({ retentionDays: 3 });
    expect(registry.sources.map(({ name }) => name)).toEqual(["edge", "logweir.audit", "old", "shop"]);
    expect(registry.findSource("cart")).toMatchObject({ name: "shop", aliases: ["cart"] });
    log.length = 0;
    expect(await managed.remove("cart")).toMatchObject({ name: "shop" });
    expect(log).toEqual(["begin", "changed", "drop shop", "remove shop", "end"]);
    expect(registry.sources.map(({ name }) => name)).toEqual(["edge", "logweir.audit", "old"]);
  });

  it("is refused for a source outside the API and for an unknown source", async () => {
    const { managed } = await openWith();
    for (const work of [(name: string) => managed.remove(name), (name: string) => managed.change(name, {}, true)]) {
      const reject = (name: string, error: object) => expect(work(name)).rejects.toMatchObject(error);
      await reject("edge", { code: "source_read_only", message: "The source edge is kept in edge.yaml" });
      await reject("old", { code: "source_read_only", message: "The source old is kept in its file" });
      await reject("logweir.audit", {
        code: "source_read_only",
        message: "The source logweir.audit is the service's own",
        details: { hint: "The configuration says how long its events are kept." },
      });
      await reject("x".repeat(300), {
        code: "unknown_source",
        message: `There is no source ${"x".repeat(200)}`,
      });
    }
  });

  it("is refused with its problems or with the endpoints it would break, and changes nothing", async () => {
    const { registry, managed, log } = await openWith((names) => {
      return names.includes("cart") || !names.includes("shop") ? ["first", "second"] : [];
    });
    await managed.create({ name: "shop" });
    log.length = 0;
    const inUse = { code: "source_in_use", message: "These endpoints would no longer run: first, second" };
    await expect(managed.remove("shop")).rejects.toMatchObject(inUse);
    await expect(managed.create({ name: "cart" })).rejects.toMatchObject(inUse);
    await expect(managed.change("shop", { aliases: ["cart"] }, true)).rejects.toMatchObject(inUse);
    const invalid = (problem: string) => ({
      code: "validation_failed",
      message: `The source was not saved: name: ${problem}`,
      details: { fields: { name: [problem] } },
    });
    await expect(managed.create({ name: "taken" })).rejects.toMatchObject(invalid("taken: an endpoint has this name"));
    await expect(managed.change("shop", { name: "other" }, true)).rejects.toMatchObject(
      invalid("must stay shop: events are kept under it; an alias gives a source a further name"),
    );
    expect(new Set(log)).toEqual(new Set(["begin", "end"]));
    expect(registry.sources.map(({ name }) => name)).toEqual(["edge", "logweir.audit", "old", "shop"]);
  });

  it("waits for the previous one, even when that failed", async () => {
    const { managed } = await openWith();
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
      if (name === "a") throw new Error("a failed");
    };
    const outcomes = await Promise.allSettled(["a", "b"].map((name) => managed.exclusively(work(name))));
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });
});
