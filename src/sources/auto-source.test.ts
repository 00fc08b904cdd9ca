import { expect, it, vi } from "vitest";
import { createAutoSource } from "./auto-source.ts";
import type { Source } from "./source.ts";

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
  return { auto, create, record };
}

it("makes a source once, also when several ask for it at a time, and tells the audit who asked", async () => {
  const { auto, create, record } = open(5);
  const made = await Promise.all([auto("web", "t1"), auto("web", "t2")]);
  expect(made.map((source) => source?.name)).toEqual(["web", "web"]);
  expect((await auto("web", "t3"))?.name).toBe("web");
  expect(create).toHaveBeenCalledOnce();
  expect(record).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ actor: "t1", target: "web" }));
});

it("makes no more than it may, also when they are asked for at a time", async () => {
  const { auto, create } = open(3);
  await Promise.all(["a", "b", "c", "d", "e"].map((name) => auto(name, "t")));
  expect(await auto("f", "t")).toBeUndefined();
  expect(create).toHaveBeenCalledTimes(3);
});

it.each(["", "logweir.audit", "LOGWEIR.x", "1st", "a b", "x".repeat(200), "../etc"])(
  "makes none of the name %j",
  async (name) => {
    const { auto, create } = open(5);
    expect(await auto(name, "t")).toBeUndefined();
    expect(create).not.toHaveBeenCalled();
  },
);

it("makes none at all where it is turned off", async () => {
  expect(await open(0).auto("web", "t")).toBeUndefined();
});
