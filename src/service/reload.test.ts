import { describe, expect, it } from "vitest";
import { createFakeEngine } from "../../test/support/fake-engine.ts";
import { AlertFileError } from "../alerts/load-alerts.ts";
import { EndpointFileError } from "../endpoints/definition/load-endpoints.ts";
import { SourceFileError } from "../sources/load-sources.ts";
import type { Source } from "../sources/source.ts";
import { openSources } from "../sources/source-registry.ts";
import { createReload, type ReloadDependencies } from "./reload.ts";

const source = (name: string, description = ""): Source => ({
  name,
  aliases: [],
  kind: "log",
  description,
  retentionDays: undefined,
  knownFields: [],
});

/** A reload from the sources a, b and c, with what was done in order. */
async function open(some: Partial<ReloadDependencies> = {}) {
  const sources = await openSources(
    ["a", "b", "c"].map((name) => source(name)),
    createFakeEngine().store,
  );
  const steps: unknown[] = [];
  sources.onChange(() => void steps.push("sources replaced"));
  const reload = createReload({
    sources,
    managedSources: {
      exclusively: async (work) => {
        steps.push("begin");
        return work().finally(() => steps.push("end"));
      },
    },
    loadSources: async () => [source("a"), source("b", "new"), source("d"), source("e")],
    checkEndpoints: async (tables) => void steps.push(["check", tables.tableNames().join()]),
    reloadEndpoints: async (tables) => {
      steps.push(["endpoints", tables.tableNames().join()]);
      return { added: ["x"], changed: ["y", "z"], removed: [] };
    },
    findBroken: async () => [],
    loadAlerts: async () => [{ path: "v.yaml", form: { name: "v" } }],
    takeAlerts: async (files) => {
      steps.push(["alerts", ...files.map(({ path }) => path)]);
      return { added: ["v"], changed: [], removed: ["w"], written: [] };
    },
    audit: { record: (event) => void steps.push(event) },
    log: (level, message) => void steps.push(`${level} ${message}`),
    ...some,
  });
  return { reload, steps, names: () => sources.sources.map(({ name }) => name).join() };
}

const failing = (error: Error) => async () => {
  throw error;
};
const refusal = "Files have problems; what was there before stays in effect";

describe("reading the files again", () => {
  it("takes over the endpoints, the sources, and then the alerts, and says what changed", async () => {
    const { reload, steps, names } = await open();
    expect(await reload("me")).toEqual({
      sources: { added: ["d", "e"], changed: ["b"], removed: ["c"] },
      endpoints: { added: ["x"], changed: ["y", "z"], removed: [] },
      alerts: { added: ["v"], changed: [], removed: ["w"] },
    });
    const details = {
      ...{ sources_added: 2, sources_changed: 1, sources_removed: 1 },
      ...{ endpoints_added: 1, endpoints_changed: 2, endpoints_removed: 0 },
      ...{ alerts_added: 1, alerts_changed: 0, alerts_removed: 1 },
    };
    expect(steps).toEqual([
      "begin",
      ["endpoints", "a,b,d,e"],
      "sources replaced",
      ["alerts", "v.yaml"],
      "end",
      `info the files were read again: ${JSON.stringify(details)}`,
      { action: "reload", actor: "me", details },
    ]);
    expect(names()).toBe("a,b,d,e");
  });

  it("changes nothing when sources have problems, and reports those of endpoints with the present tables too", async () => {
    const { reload, steps, names } = await open({ loadSources: failing(new SourceFileError("bad source")) });
    await expect(reload("me")).rejects.toMatchObject({
      code: "validation_failed",
      message: refusal,
      details: { fields: { sources: ["bad source"] } },
    });
    expect(steps).toEqual([
      "begin",
      ["check", "a,b,c"],
      "end",
      "error the files were not taken over: bad source",
      { action: "reload", actor: "me", error: "validation_failed", details: { problems: 1 } },
    ]);
    expect(names()).toBe("a,b,c");
    const both = await open({
      loadSources: failing(new SourceFileError("bad source")),
      checkEndpoints: failing(new EndpointFileError("bad endpoint")),
    });
    await expect(both.reload("me")).rejects.toMatchObject({
      details: { fields: { sources: ["bad source"], endpoints: ["bad endpoint"] } },
    });
    expect(both.steps).toContain("error the files were not taken over: bad source\nbad endpoint");
    expect(both.steps.at(-1)).toMatchObject({ details: { problems: 2 } });
  });

  it("changes nothing when endpoints of the API would no longer run", async () => {
    const { reload, steps, names } = await open({
      findBroken: async (tables) => (tables.tableNames().includes("c") ? [] : ["one", "two"]),
    });
    await expect(reload("me")).rejects.toMatchObject({
      message: refusal,
      details: { fields: { sources: ["These endpoints would no longer run: one, two"] } },
    });
    expect(steps).toContainEqual(["check", "a,b,d,e"]);
    expect(names()).toBe("a,b,c");
    const both = await open({
      findBroken: async () => ["one"],
      checkEndpoints: failing(new EndpointFileError("bad endpoint")),
    });
    await expect(both.reload("me")).rejects.toMatchObject({
      details: { fields: { endpoints: ["bad endpoint"] } },
    });
  });

  it("changes nothing when endpoints have problems", async () => {
    const { reload, names } = await open({ reloadEndpoints: failing(new EndpointFileError("bad endpoint")) });
    await expect(reload("me")).rejects.toMatchObject({ details: { fields: { endpoints: ["bad endpoint"] } } });
    expect(names()).toBe("a,b,c");
  });

  it("changes nothing when alerts have problems, and reports those of all other files too", async () => {
    const loadAlerts = failing(new AlertFileError("bad alert"));
    const alone = await open({ loadAlerts });
    await expect(alone.reload("me")).rejects.toMatchObject({ details: { fields: { alerts: ["bad alert"] } } });
    expect(alone.steps).toContainEqual(["check", "a,b,d,e"]);
    expect(alone.names()).toBe("a,b,c");
    const checkEndpoints = failing(new EndpointFileError("bad endpoint"));
    const rest = { endpoints: ["bad endpoint"], alerts: ["bad alert"] };
    for (const [more, fields] of [
      [{}, rest],
      [{ loadSources: failing(new SourceFileError("bad source")) }, { sources: ["bad source"], ...rest }],
      [{ findBroken: async () => ["one"] }, { sources: ["These endpoints would no longer run: one"], ...rest }],
    ] as const) {
      const { reload } = await open({ loadAlerts, checkEndpoints, ...more });
      await expect(reload("me")).rejects.toMatchObject({ details: { fields } });
    }
  });

  it("fails with what is no problem of a file, and records it as internal", async () => {
    const steps: readonly Partial<ReloadDependencies>[] = [
      { loadSources: failing(new Error("disk")) },
      { reloadEndpoints: failing(new Error("disk")) },
      { loadSources: failing(new SourceFileError("bad")), checkEndpoints: failing(new Error("disk")) },
    ];
    for (const some of steps) {
      const { reload, steps: done, names } = await open(some);
      await expect(reload("me")).rejects.toThrow("disk");
      expect(done.slice(-2)).toEqual([
        "error the files were not taken over: Error: disk",
        { action: "reload", actor: "me", error: "internal", details: { problems: 0 } },
      ]);
      expect(names()).toBe("a,b,c");
    }
  });
});
