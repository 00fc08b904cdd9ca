import { expect, it, vi } from "vitest";
import { createAutoSource } from "./auto-source.ts";
import { type Source, sourceId } from "./source.ts";

function open(maxCount: number) {
  const sources: Source[] = [];
  const record = vi.fn();
  const create = vi.fn(async ({ name }: Readonly<Record<string, unknown>>) => {
    await Promise.resolve();
    const source: Source = {
      name: String(name),
      aliases: [],
      kind: "auto",
      description: "",
      retentionDays: undefined,
      knownFields: [],
      origin: { kind: "api" },
    };
    sources.push(source);
    return source;
  });
  const find = (name: string) => sources.find((source) => source.name === name);
  const auto = createAutoSource({
    registry: { sources, find },
    managedSources: { create },
    maxCount,
    audit: { record },
  });
  return { auto, create, record, sources };
}

it("autoSource creates a source once under concurrent requests, and records the actor in the audit", async () => {
  const { auto, create, record } = open(5);
  const made = await Promise.all([auto("web", "t1"), auto("web", "t2")]);
  expect(made.map((source) => source?.name)).toEqual(["web", "web"]);
  expect((await auto("web", "t3"))?.name).toBe("web");
  expect(create).toHaveBeenCalledOnce();
  expect(record).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ actor: "t1", target: "web" }));
});

it("autoSource creates at most the allowed number of sources, even under concurrent requests", async () => {
  const { auto, create } = open(3);
  await Promise.all(["a", "b", "c", "d", "e"].map((name) => auto(name, "t")));
  expect(await auto("f", "t")).toBeUndefined();
  expect(create).toHaveBeenCalledTimes(3);
});

it("autoSource creates sources with project as their tenant, and records each in the audit", async () => {
  const { auto, create, record } = open(1);
  const name = `_${"x".repeat(127)}`;
  await auto(name, "t1");
  expect(create).toHaveBeenCalledExactlyOnceWith({
    name,
    kind: "auto",
    description: "Made when events were first sent to it",
    tenant: "project",
    fields: { project: "STRING" },
  });
  expect(record).toHaveBeenCalledExactlyOnceWith({
    action: "source.create",
    actor: "t1",
    target: name,
    targetId: sourceId(name),
  });
});

it("autoSource counts only sources of the API, and uses one that another service created meanwhile", async () => {
  const { auto, create, sources } = open(1);
  const known = { aliases: [], kind: "log", description: "", retentionDays: undefined, knownFields: [] };
  sources.push({ ...known, name: "plain" }, { ...known, name: "filed", origin: { kind: "file", path: "x" } });
  create.mockImplementationOnce(async () => {
    sources.push({ ...known, name: "web", origin: { kind: "api" } });
    throw new Error("validation_failed");
  });
  expect(await auto("web", "t")).toMatchObject({ name: "web" });
  expect(await auto("other", "t")).toBeUndefined();
});

it("autoSource fails when the source cannot be created, and retries on the next call", async () => {
  const { auto, create, record } = open(1);
  create.mockImplementationOnce(async () => {
    throw new Error("no disk");
  });
  await expect(auto("web", "t")).rejects.toThrow("no disk");
  expect(record).not.toHaveBeenCalled();
  expect(await auto("web", "t")).toMatchObject({ name: "web" });
});

it.each(["", "logweir.audit", "LOGWEIR.x", "1st", "a b", "x".repeat(129), "../etc"])(
  "autoSource creates no source named %j",
  async (name) => {
    const { auto, create } = open(5);
    expect(await auto(name, "t")).toBeUndefined();
    expect(create).not.toHaveBeenCalled();
  },
);

it("autoSource creates no source when it is disabled", async () => {
  expect(await open(0).auto("web", "t")).toBeUndefined();
});
