import { describe, expect, it } from "vitest";
import { type Source, sourceId } from "./source.ts";
import { joinSources } from "./source-changes.ts";

const source = (name: string, ...aliases: string[]): Source => ({
  name,
  aliases,
  kind: "log",
  description: "",
  retentionDays: undefined,
  knownFields: [],
});

describe("sources of files and of the API", () => {
  it("stand beside each other", () => {
    const { sources, lost } = joinSources([source("edge", "cdn")], [source("shop", "carts")]);
    expect(sources.map(({ name }) => name)).toEqual(["edge", "shop"]);
    expect(lost).toEqual([]);
  });

  it("that share a name are the file's, whatever the case, and the loss is told", () => {
    const files = [source("edge", "Shop")];
    const { sources, lost } = joinSources(files, [source("EDGE"), source("shop"), source("other", "Edge", "own")]);
    expect(sources).toEqual([files[0], source("other", "own")]);
    expect(lost).toHaveLength(3);
  });
});

describe("a source's id", () => {
  it("is a UUID that belongs to its name", () => {
    expect(sourceId("edge")).toBe(sourceId("edge"));
    expect(sourceId("edge")).not.toBe(sourceId("Edge"));
    for (const name of ["edge", "db", "a.b-c", "x"]) {
      expect(sourceId(name)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});
