import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Source, sourceId } from "./source.ts";
import { joinSources, readSource } from "./source-changes.ts";

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

describe("a source's document", () => {
  const surroundings = { sources: [source("edge", "cdn")], isEndpoint: (name: string) => name === "logs.all" };
  /** Mostly what a field may be, sometimes anything. */
  const mostly = <T>(good: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) });
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("own", "shop", "mine", "carts") },
    { weight: 1, arbitrary: fc.constantFrom("Edge", "CDN", "logs.all", "logweir.x", "a b") },
  );
  const document = fc.record(
    {
      name: mostly(name),
      aliases: mostly(fc.array(name, { maxLength: 2 })),
      kind: mostly(fc.constant("x")),
      description: mostly(fc.string()),
      retention_days: mostly(fc.double({ min: 0, max: 1e6, noNaN: true })),
      fields: mostly(fc.dictionary(fc.constantFrom("a", "a.b"), fc.constantFrom("STRING", "INT64"))),
    },
    { requiredKeys: ["name"] },
  );

  it("is a source whose names nobody else has, or has problems; whatever it is", () => {
    let made = 0;
    fc.assert(
      fc.property(document, fc.boolean(), (input, isPatch) => {
        const before = isPatch ? source("own") : undefined;
        const read = readSource(input, surroundings, before, isPatch);
        if ("problems" in read) {
          expect(Object.values(read.problems).flat().length).toBeGreaterThan(0);
          return;
        }
        made++;
        const names = [read.source.name, ...read.source.aliases].map((each) => each.toLowerCase());
        for (const taken of ["edge", "cdn", "logs.all", "logweir.x"]) expect(names).not.toContain(taken);
        expect(read.source.retentionDays ?? 1).toBeGreaterThan(0);
        if (isPatch) expect(read.source.name).toBe("own");
      }),
      { numRuns: 2_000, seed: 7 },
    );
    expect(made).toBeGreaterThan(20);
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
