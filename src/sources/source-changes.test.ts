import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleSize } from "../../test/support/sample-size.ts";
import { plainSource as source } from "../../test/support/sources/plain-source.ts";
import { type Source, sourceId } from "./source.ts";
import { joinSources, readSource } from "./source-changes.ts";

describe("sources of files and of the API", () => {
  it("are combined", () => {
    const { sources, lost } = joinSources([source("edge", "cdn")], [source("shop", "carts")]);
    expect(sources.map(({ name }) => name)).toEqual(["edge", "shop"]);
    expect(lost).toEqual([]);
  });

  it("that share a name are resolved in favour of the file in any letter case, and the loss is reported", () => {
    const files = [source("edge", "Shop")];
    const { sources, lost } = joinSources(files, [source("EDGE"), source("shop"), source("other", "Edge", "own")]);
    expect(sources).toEqual([files[0], source("other", "own")]);
    expect(lost).toEqual([
      "the source EDGE of the API gives way to edge, which has the name too",
      "the source shop of the API gives way to edge, which has the name too",
      "the source other of the API gives up aliases that other sources have",
    ]);
  });
});

describe("a source document", () => {
  const surroundings = { sources: [source("edge", "cdn")], isEndpoint: (name: string) => name === "logs.all" };
  /** Mostly a valid value of the field, sometimes any value. */
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

  const taken: readonly [object, object][] = [
    [{}, { name: ["is required"] }],
    [{ name: "logweir.x" }, { name: ["logweir.x: names that begin with logweir. are the service's own"] }],
    [{ name: "Edge" }, { name: ["Edge: the source edge has this name"] }],
    [{ name: "CDN" }, { name: ["CDN: the source edge has this name"] }],
    [{ name: "logs.all" }, { name: ["logs.all: an endpoint has this name"] }],
    [
      { name: "own", aliases: ["Edge", "LOGWEIR.a", "logs.all"] },
      {
        aliases: [
          "Edge: the source edge has this name",
          "LOGWEIR.a: names that begin with logweir. are the service's own",
          "logs.all: an endpoint has this name",
        ],
      },
    ],
    [{ name: "own", aliases: ["a", "b", "A"] }, { aliases: ["has an alias twice"] }],
    [
      { name: "own", tenant: "Timestamp" },
      { tenant: ["Timestamp is a field of every event; name one that tells tenants apart"] },
    ],
    [
      { name: "own", tenant: "a-b" },
      { tenant: ["a-b is not a field path: letters, digits and _, parts joined with dots"] },
    ],
    [{ name: "own", tenant: "n", fields: { n: "INT64" } }, { tenant: ["n is declared INT64; a tenant is a STRING"] }],
    [
      { name: "own", tenant: "a.b", fields: { x: "BOOL", a: "STRING" } },
      { tenant: ["a.b cannot be a text beside the field a"] },
    ],
    [
      { name: "own", tenant: "a", fields: { "a.b": "STRING" } },
      { tenant: ["a cannot be a text beside the field a.b"] },
    ],
    [
      { name: "own", fields: { "a.": "STRING", ok: "BOOL", ".b": "BOOL" } },
      {
        fields: [
          "a. is not a field path: letters, digits and _, parts joined with dots",
          ".b is not a field path: letters, digits and _, parts joined with dots",
        ],
      },
    ],
    [
      { name: "own", fields: { a: "TEXT" }, retention_days: 0, more: 1 },
      {
        fields: ["a: must be one of STRING, INT64, FLOAT64, BOOL"],
        retention_days: ["must be > 0"],
        more: [expect.stringMatching(/./)],
      },
    ],
  ];

  it.each(taken)("%j is refused with problems by field", (input, problems) => {
    expect(readSource({ ...input }, surroundings)).toEqual({ problems });
  });

  it("has defaults for omitted fields, and unsupported fields are ignored", () => {
    const plain = { ...source("own"), origin: { kind: "api" } };
    const overlooked = ["favorite", "webhook_notification_url", "slack_hook_url", "notifications"];
    const locks = ["custom_event_message_keys", "lock_schema", "validate_schema", "suggested_keys"];
    const more = Object.fromEntries([...overlooked, ...locks].map((key) => [key, true]));
    expect(readSource({ name: "own", ...more, description: null, kind: null }, surroundings)).toEqual({
      source: plain,
    });
    expect(readSource({ name: "own", tenant: "a_b", fields: { "a.b": "BOOL", ab: "INT64" } }, surroundings)).toEqual({
      source: {
        ...plain,
        tenantField: "a_b",
        knownFields: [
          { path: "a_b", type: { kind: "STRING" } },
          { path: "a.b", type: { kind: "BOOL" } },
          { path: "ab", type: { kind: "INT64" } },
        ],
      },
    });
  });

  it("retains the name in an update, and in a patch also every omitted field", () => {
    const before: Source = {
      ...source("own", "mine"),
      kind: "special",
      description: "d",
      retentionDays: 3,
      knownFields: [{ path: "project", type: { kind: "STRING" } }],
      tenantField: "project",
      origin: { kind: "api" },
    };
    const around = { ...surroundings, sources: [...surroundings.sources, before] };
    const read = (input: Readonly<Record<string, unknown>>, isPatch: boolean) => {
      const outcome = readSource(input, around, before, isPatch);
      return "problems" in outcome ? outcome.problems : outcome.source;
    };
    expect(read({}, true)).toEqual(before);
    expect(read({ description: "new", retention_days: null }, true)).toEqual({
      ...before,
      description: "new",
      retentionDays: undefined,
    });
    expect(read({ name: "own", aliases: ["OTHER"] }, false)).toEqual({
      ...source("own", "OTHER"),
      origin: { kind: "api" },
    });
    expect(read({}, false)).toEqual({ name: ["is required"] });
    expect(read({ name: "Own" }, true)).toEqual({
      name: ["must stay own: events are kept under it; an alias gives a source a further name"],
    });
  });

  it("of random content yields a source with unique names, or problems", () => {
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
      { numRuns: sampleSize(100, 4_000), seed: 7 },
    );
    expect(made).toBeGreaterThan(20);
  });
});

describe("a source id", () => {
  it("is a UUID derived from the name", () => {
    expect(sourceId("edge")).toBe(sourceId("edge"));
    // Clients store it: no release may change it.
    expect(sourceId("edge")).toBe("4455c354-9910-866c-be54-b5859140a5d0");
    expect(sourceId("edge")).not.toBe(sourceId("Edge"));
    for (const name of ["edge", "db", "a.b-c", "x"]) {
      expect(sourceId(name)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});
