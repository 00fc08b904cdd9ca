import { describe, expect, it } from "vitest";
import { createFakeEngine } from "../../test/support/fake-engine.ts";
import { createManagedSources } from "./managed-sources.ts";
import { openSources } from "./source-registry.ts";

/** Managed sources over a store and documents of which each step is told, and may fail. */
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
    findBroken: () => [],
  });
  await managed.create({ name: "shop" });
  steps.length = 0;
  return { registry, managed, steps };
}

describe("deleting a source", () => {
  it("hides it, drops its events, and forgets its document last", async () => {
    const { registry, managed, steps } = await open();
    await managed.remove("shop");
    expect(steps).toEqual(["dropSource", "document"]);
    expect(registry.find("shop")).toBeUndefined();
  });

  it.each(["dropSource", "document"] as const)("leaves a source that can be used where %s fails", async (failing) => {
    const { registry, managed, steps } = await open(failing);
    await expect(managed.remove("shop")).rejects.toThrow(`${failing} failed`);
    expect(registry.find("shop")?.name).toBe("shop");
    expect(steps.at(-1)).toBe("ensure shop");
  });
});
