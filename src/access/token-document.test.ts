import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleSize } from "../../test/support/sample-size.ts";
import { limitNames } from "../shared/budget.ts";
import { type Identity, isPinnedOwner } from "./scope.ts";
import { readNewToken } from "./token-document.ts";

const maker: Identity = {
  tokenId: "m",
  scopes: ["private"],
  pins: {},
  budget: { max_rows: 100, query_timeout_ms: 1_000 },
  redaction: "fixed",
};
const nowMs = Date.parse("2026-08-20T09:00:00Z");

/** Mostly a valid value of the field, sometimes any value. */
const mostly = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) });
const document = fc.record(
  {
    scopes: mostly(fc.array(fc.constantFrom("query", "ingest", "private"), { minLength: 1 })),
    description: mostly(fc.string()),
    pins: mostly(
      fc.dictionary(
        fc.constantFrom("project", "tier", "__proto__"),
        fc.constantFrom("abc", ["abc", "xyz"], { prefix: "a" }, 3),
      ),
    ),
    budget: mostly(fc.dictionary(fc.constantFrom(...limitNames), fc.integer({ min: 1, max: 2_000 }), { maxKeys: 2 })),
    redaction: mostly(fc.constantFrom("required", "fixed", "switchable")),
    expires: mostly(fc.constantFrom("30d", "0s", null)),
    expires_at: mostly(fc.constantFrom("2027-01-01", null)),
  },
  { requiredKeys: [] },
);

describe("a token document", () => {
  it.each(limitNames)("without %s, or without a budget, inherits the limits of the creating token", (name) => {
    const bound = { ...maker, budget: { [name]: 2_000 } };
    const budgetOf = (budget?: object | null) => {
      const read = readNewToken({ scopes: "query", ...(budget === undefined ? {} : { budget }) }, bound, nowMs);
      return "problems" in read ? read.problems : read.token.budget;
    };
    const other = name === "max_rows" ? "query_timeout_ms" : "max_rows";
    expect([budgetOf(), budgetOf(null), budgetOf({})]).toEqual(Array(3).fill({ [name]: 2_000 }));
    expect(budgetOf({ [other]: 7 })).toEqual({ [name]: 2_000, [other]: 7 });
    if (name === "max_query_depth") return;
    expect(budgetOf({ [name]: 2_000 })).toEqual({ [name]: 2_000 });
    expect(budgetOf({ [name]: 2_001 })).toEqual({
      budget: [`${name}: the token that makes this one is bound to 2000`],
    });
  });

  it.each([
    [{}, maker.expiresAt, undefined],
    [{}, nowMs + 120_000, nowMs + 120_000],
    [{ expires: null, expires_at: null }, nowMs + 120_000, nowMs + 120_000],
    [{ expires: "1m" }, nowMs + 120_000, nowMs + 60_000],
    [{ expires: "2m" }, nowMs + 120_000, nowMs + 120_000],
    [{ expires: "3m" }, nowMs + 120_000, "expires"],
    [{ expires_at: "2026-08-20T09:02:00Z" }, nowMs + 120_000, nowMs + 120_000],
    [{ expires_at: "2026-08-20T09:02:00.001Z" }, nowMs + 120_000, "expires_at"],
    [{ expires_at: "2027-01-01" }, nowMs + 120_000, "expires_at"],
    [{ expires: "3m" }, undefined, nowMs + 180_000],
  ])("with %j, made by a token that ends at %s, ends at %s", (sent, endMs, expected) => {
    const read = readNewToken({ scopes: "query", ...sent }, { ...maker, expiresAt: endMs }, nowMs);
    if ("problems" in read) {
      const problem = `the token that makes this one ends at ${new Date(endMs ?? 0).toISOString()}`;
      expect(read.problems).toEqual({ [String(expected)]: [problem] });
    } else expect(read.token.expiresAt).toBe(expected);
  });

  const scopeList = "private, query, query:endpoint:<id or name>, ingest, ingest:source:<name>, metrics";
  const unfitPins: readonly unknown[] = [
    ...[null, [], [null], [["x"]], Array.from({ length: 1_001 }, () => "x")],
    ...[{ prefix: "" }, { prefix: 3 }, {}, { prefix: "x", or: "y" }],
  ];
  it.each<readonly [object, object]>([
    [{ scopes: 3 }, { scopes: [`must be a list of one or more of ${scopeList}`] }],
    [{ scopes: " , " }, { scopes: [`must be a list of one or more of ${scopeList}`] }],
    [{ scopes: ["query", { a: 1 }] }, { scopes: [`there is no scope {"a":1}; scopes are ${scopeList}`] }],
    [{ description: 3 }, { description: ["must be a text"] }],
    [{ description: "x".repeat(501) }, { description: ["must have 500 characters at most"] }],
    [{ pins: ["project"] }, { pins: ["must be an object of parameters and their values"] }],
    ...unfitPins.map((pin): [object, object] => [
      { pins: { a: "x", b: pin } },
      { pins: ['b: must be a text, a number, true or false, a list of 1 to 1000 of them, or {"prefix": "..."}'] },
    ]),
    [{ budget: [] }, { budget: ["must be an object of limits"] }],
    [{ budget: { max_rows: 0 } }, { budget: ["max_rows: must be an integer from 1 to 10000000"] }],
    [{ budget: { max_rows: "5" } }, { budget: ["max_rows: must be an integer from 1 to 10000000"] }],
    [{ budget: { cake: 1 } }, { budget: [`cake: there is no such field; fields are ${limitNames.join(", ")}`] }],
    [{ scopes: ["query", "cake"] }, { scopes: [`there is no scope "cake"; scopes are ${scopeList}`] }],
    [{ budget: { max_rows: 101 } }, { budget: ["max_rows: the token that makes this one is bound to 100"] }],
    [{ redaction: "never" }, { redaction: ["must be one of required, fixed, switchable"] }],
    [{ redaction: "switchable" }, { redaction: ["the token that makes this one has fixed itself"] }],
    [
      { expires: "1d", expires_at: "2027-01-01" },
      {
        expires: ["is another way to say expires_at: send one of the two"],
      },
    ],
    [{ expires: "soon" }, { expires: ["must be a number and s, m, h, d or w, such as 30d"] }],
    [{ expires: 30 }, { expires: ["must be a number and s, m, h, d or w, such as 30d"] }],
    [{ expires_at: "2027-01-01T00:00:00" }, { expires_at: ["must be a time in ISO 8601 with a zone, or a date"] }],
    [{ expires_at: 1_800_000_000 }, { expires_at: ["must be a time in ISO 8601 with a zone, or a date"] }],
    [{ expires_at: "2026-08-20T09:00:00Z" }, { expires_at: ["lies in the past"] }],
    [
      { scope: "query" },
      {
        scope: ["there is no such field; fields are description, scopes, pins, expires, expires_at, budget, redaction"],
      },
    ],
    [
      { scopes: "private", pins: { project: "a" } },
      {
        scopes: ["a pinned token cannot have the scope private, which reads and changes what no parameter narrows"],
        pins: ["a pinned token cannot have the scope private, which reads and changes what no parameter narrows"],
      },
    ],
  ])("%o is refused with problems by field", (input, problems) => {
    expect(readNewToken({ scopes: "query", ...input }, maker, nowMs)).toEqual({ problems });
  });

  it("may have any value within bounds, where null and empty values are ignored", () => {
    const bound = { max_rows: 100, query_timeout_ms: 1_000 };
    const plain = { description: "", scopes: ["query"], pins: {}, budget: bound, redaction: "fixed" };
    const read = (input: object, by = maker) => {
      const made = readNewToken({ scopes: "query", ...input }, by, nowMs);
      return "token" in made ? made.token : made.problems;
    };
    const nothing = { description: null, pins: null, budget: null, redaction: null, expires: null, expires_at: null };
    expect([read({}), read(nothing), read({ expires: "", expires_at: "" })]).toEqual(Array(3).fill(plain));
    expect(read({ description: "x".repeat(500) })).toEqual({ ...plain, description: "x".repeat(500) });
    expect(read({ pins: { a: 1, b: false, c: "x" } })).toEqual({ ...plain, pins: { a: "1", b: "false", c: "x" } });
    const several = { a: ["x", 2, true, "x"], b: ["x"], c: ["x", "x"], d: { prefix: "x" } };
    expect(read({ pins: several })).toEqual({
      ...plain,
      pins: { a: ["x", "2", "true"], b: "x", c: "x", d: { prefix: "x" } },
    });
    expect(read({ scopes: "query, public\tquery ingest" })).toEqual({ ...plain, scopes: ["query", "ingest"] });
    expect(read({ expires_at: "2026-08-20T09:00:00.001Z" })).toEqual({ ...plain, expiresAt: nowMs + 1 });
    expect(read({ expires_at: "2026-08-21" })).toEqual({ ...plain, expiresAt: Date.parse("2026-08-21") });
    expect(read({ expires: "90m" })).toEqual({ ...plain, expiresAt: nowMs + 5_400_000 });
  });

  it.each([
    ["required", "query", "required"],
    ["required", "private", "required"],
    ["fixed", "query", "fixed"],
    ["fixed", "private", "fixed"],
    ["switchable", "query", "fixed"],
    ["switchable", "private", "switchable"],
  ] as const)("from a creator with redaction %s and the scope %s gets %s by default", (redaction, scope, usual) => {
    const of = (input: object) => {
      const made = readNewToken({ scopes: scope, ...input }, { ...maker, redaction }, nowMs);
      return "token" in made ? made.token.redaction : made.problems;
    };
    expect(of({})).toBe(usual);
    expect(of({ redaction })).toBe(redaction);
    expect(of({ redaction: "required" })).toBe("required");
  });

  it("of random content yields a token no more powerful than its creator, or problems", () => {
    let made = 0;
    fc.assert(
      fc.property(document, (input) => {
        const read = readNewToken(input, maker, nowMs);
        if ("problems" in read) {
          expect(Object.values(read.problems).flat().length).toBeGreaterThan(0);
          return;
        }
        made++;
        const { token } = read;
        expect(token.scopes.length).toBeGreaterThan(0);
        expect(isPinnedOwner(token.scopes, token.pins)).toBe(false);
        expect(token.budget?.max_rows).toBeLessThanOrEqual(100);
        expect(token.budget?.query_timeout_ms).toBeLessThanOrEqual(1_000);
        expect(["required", "fixed"]).toContain(token.redaction);
        expect(token.expiresAt ?? nowMs).toBeGreaterThanOrEqual(nowMs);
        expect(JSON.parse(JSON.stringify(token))).toBeDefined();
      }),
      { numRuns: sampleSize(250, 4_000), seed: 7 },
    );
    expect(made).toBeGreaterThan(20);
  });
});
