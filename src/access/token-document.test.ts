import fc from "fast-check";
import { describe, expect, it } from "vitest";
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

/** Mostly what a field may be, sometimes anything. */
const mostly = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) });
const document = fc.record(
  {
    scopes: mostly(fc.array(fc.constantFrom("query", "ingest", "private"), { minLength: 1 })),
    description: mostly(fc.string()),
    pins: mostly(fc.dictionary(fc.constantFrom("project", "tier", "__proto__"), fc.constantFrom("abc", "xyz", 3))),
    budget: mostly(fc.dictionary(fc.constantFrom(...limitNames), fc.integer({ min: 1, max: 2_000 }), { maxKeys: 2 })),
    redaction: mostly(fc.constantFrom("required", "fixed", "switchable")),
    expires: mostly(fc.constantFrom("30d", "0s", null)),
    expires_at: mostly(fc.constantFrom("2027-01-01", null)),
  },
  { requiredKeys: [] },
);

describe("a token's document", () => {
  it.each(limitNames)("that leaves out %s, or its whole budget, is bound to it as its maker is", (name) => {
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

  it("is a token that may do no more than its maker, or has problems; whatever it is", () => {
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
      { numRuns: 2_000, seed: 7 },
    );
    expect(made).toBeGreaterThan(20);
  });
});
