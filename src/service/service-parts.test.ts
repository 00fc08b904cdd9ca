import { describe, expect, it } from "vitest";
import { createFakeEngine } from "../../test/support/fake-engine.ts";
import type { Token } from "../access/token.ts";
import { readConfiguration } from "../config/config.ts";
import { createOnlyNode } from "../metadata/nodes.ts";
import type { Topic } from "../metadata/topics.ts";
import type { Source } from "../sources/source.ts";
import { openSources } from "../sources/source-registry.ts";
import { loadAllSources } from "./all-sources.ts";
import { drainDirectory, metadataPlace, spoolDirectory, storeDirectory } from "./data-folder.ts";
import { demotePinnedOwners } from "./demote-pinned-owners.ts";
import { followNodes } from "./follow-nodes.ts";
import { openQuotas, serviceBudget } from "./service-limits.ts";

const source = (name: string, more: Partial<Source> = {}): Source => ({
  name,
  aliases: [],
  kind: "log",
  description: "",
  retentionDays: undefined,
  knownFields: [],
  ...more,
});

describe("the data folder", () => {
  it("holds each kind of data at a place of its own, and metadata where no database is named", () => {
    const dataDir = "/data";
    const places = [storeDirectory, spoolDirectory, drainDirectory].map((placeOf) => placeOf({ dataDir }));
    expect(places).toEqual(["/data/store", "/data/spool", "/data/drains"]);
    expect(metadataPlace({ dataDir, metadataUrl: undefined })).toBe("/data/metadata.db");
    expect(metadataPlace({ dataDir, metadataUrl: "postgres://u@h/d" })).toBe("postgres://u@h/d");
  });
});

describe("all sources", () => {
  it("are those of files, of the API, and the audit's; a loss is reported", async () => {
    const warned: string[] = [];
    const stored = [
      { name: "shop", document: '{"name":"shop","kind":"x","retention_days":3}' },
      { name: "edge", document: '{"name":"edge","kind":"x"}' },
    ];
    const settings = { sourceFolders: ["nowhere"], auditRetentionDays: 90 };
    const files = [source("edge")];
    const all = await loadAllSources(settings, { list: async () => stored }, (text) => warned.push(text), files);
    expect(all.map(({ name, retentionDays, origin }) => [name, retentionDays, origin?.kind])).toEqual([
      ["edge", undefined, undefined],
      ["shop", 3, "api"],
      ["logweir.audit", 90, "service"],
    ]);
    expect(all[1]).toMatchObject({ description: "", kind: "x" });
    expect(warned).toEqual(["the source edge of the API gives way to edge, which has the name too"]);
    await expect(loadAllSources(settings, { list: async () => [] }, () => undefined)).rejects.toThrow("nowhere");
  });
});

describe("a pinned owner of an earlier release", () => {
  it("is reported in the log and in the audit with what it still may do", async () => {
    const tokens = [
      { id: "t1", scopes: ["query", "ingest"], pins: { project: "p", region: "r" } },
      { id: "t2", scopes: [], pins: { project: "p" } },
    ] as unknown as readonly Token[];
    const warned: string[] = [];
    const recorded: unknown[] = [];
    const audit = { record: (event: unknown) => void recorded.push(event) };
    await demotePinnedOwners({ demotePinnedOwners: async () => tokens }, audit, (text) => warned.push(text));
    const lost = "and lost the scope private, which pins do not bind";
    expect(warned).toEqual([
      `The token t1 is pinned (project region) ${lost}; it still has query ingest`,
      `The token t2 is pinned (project) ${lost}; no scope is left: make another token`,
    ]);
    const change = { action: "token.update", actor: "upgrade" };
    expect(recorded).toEqual([
      {
        ...change,
        target: "t1",
        details: { scopes: "query ingest", removed_scope: "private", pinned: "project region" },
      },
      { ...change, target: "t2", details: { scopes: "", removed_scope: "private", pinned: "project" } },
    ]);
  });
});

describe("a change of another node", () => {
  async function open() {
    const steps: string[] = [];
    const takeOvers = new Map<Topic, () => Promise<void>>();
    const { store } = createFakeEngine();
    const own = [
      source("plain"),
      source("filed", { origin: { kind: "file", path: "x" } }),
      source("shop", { origin: { kind: "api" } }),
      source("own", { origin: { kind: "service" } }),
    ];
    const sources = await openSources(own, {
      ...store,
      ensureSources: async (all) => void steps.push(`ensure ${all.map(({ name }) => name).join()}`),
    });
    sources.onChange(() => void steps.push("replaced"));
    steps.length = 0;
    let next: readonly Source[] = own;
    followNodes({
      nodes: { ...createOnlyNode(), onChange: (topic, takeOver) => void takeOvers.set(topic, takeOver) },
      sources,
      readSources: async (files) => {
        steps.push(`read beside ${files?.map(({ name }) => name).join()}`);
        return next;
      },
      draining: { takeOver: async () => void steps.push("drains") } as never,
      alerting: { takeOver: async () => void steps.push("alerts") },
      noteStore: async () => void steps.push("endpoints"),
      cache: { clear: () => void steps.push("cache") } as never,
      managedSources: {
        exclusively: async (work) => {
          steps.push("begin");
          return work().finally(() => steps.push("end"));
        },
      },
    });
    return {
      steps,
      changed: (topic: Topic) => takeOvers.get(topic)?.(),
      setSources: (all: readonly Source[]) => {
        next = all;
      },
    };
  }

  it("to endpoints, drains or the cache is applied", async () => {
    const { steps, changed } = await open();
    for (const topic of ["endpoints", "drains", "cache"] as const) await changed(topic);
    expect(steps).toEqual(["endpoints", "drains", "cache"]);
  });

  it("to sources makes their tables first; files are not read again, and nothing happens without a change", async () => {
    const { steps, changed, setSources } = await open();
    await changed("sources");
    expect(steps.splice(0)).toEqual(["begin", "read beside plain,filed", "end"]);
    setSources([source("plain"), source("new")]);
    await changed("sources");
    expect(steps).toEqual(["begin", "read beside plain,filed", "ensure plain,new", "replaced", "end"]);
  });
});

describe("the limits of the settings", () => {
  const settingsOf = (environment: Record<string, string>) =>
    readConfiguration({ workingDir: process.cwd(), packageDir: process.cwd() }, environment).settings;

  it("are a budget of every call and token", () => {
    const own = {
      ...{ LOGWEIR_MAX_ROWS: "11", LOGWEIR_MAX_QUERY_MEMORY_MB: "112", LOGWEIR_MAX_ARRAY_ELEMENTS: "13" },
      ...{ LOGWEIR_MAX_STRING_BYTES: "2014", LOGWEIR_MAX_QUERY_CHARACTERS: "1015", LOGWEIR_MAX_QUERY_DEPTH: "16" },
      ...{ LOGWEIR_MAX_INGEST_EVENTS_PER_MINUTE: "17", LOGWEIR_MAX_INGEST_BYTES_PER_MINUTE: "1018" },
    };
    expect(serviceBudget(settingsOf(own))).toEqual({
      max_rows: 11,
      max_query_memory_mb: 112,
      max_array_elements: 13,
      max_string_bytes: 2014,
      max_query_characters: 1015,
      max_query_depth: 16,
      max_ingest_events_per_minute: 17,
      max_ingest_bytes_per_minute: 1018,
    });
  });

  it("bound what tokens and tenants send", () => {
    const admit = (environment: Record<string, string>, events: number, byteCount: number) =>
      openQuotas({ settings: settingsOf(environment), steadyMs: () => 0 })
        .gateFor({ tokenId: "t", source: "edge", tenantField: "project" })
        ?.admit([{ tenant: "a", eventCount: events, byteCount }]);
    expect(() => admit({ LOGWEIR_MAX_INGEST_EVENTS_PER_MINUTE: "2" }, 3, 0)).toThrow("holds 3 events, and 2");
    expect(() => admit({ LOGWEIR_MAX_TENANT_EVENTS_PER_MINUTE: "2" }, 3, 0)).toThrow("The tenant a");
    expect(() => admit({ LOGWEIR_MAX_TENANT_BYTES_PER_MINUTE: "2000" }, 0, 2001)).toThrow("holds 2001 bytes, and 2000");
    expect(() => admit({ LOGWEIR_MAX_TENANT_BYTES_PER_MINUTE: "2000" }, 9, 2000)).not.toThrow();
  });
});
