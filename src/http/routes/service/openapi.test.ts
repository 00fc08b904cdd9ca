import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../../endpoints/definition/definition.ts";
import { cacheDocuments } from "./openapi.ts";

const owner = { tokenId: "p", scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" } as const;
const pinned = { ...owner, scopes: ["query"], pins: { project: "abc" } } as const;

/** A cache, and what it had written: the caller's scopes. */
function open(maxBytes?: number) {
  const written: string[] = [];
  const find = cacheDocuments(async (_, { scopes, pins }) => {
    const text = JSON.stringify([scopes, pins]);
    if (text.includes("broken")) throw new Error("broken");
    written.push(text);
    return Buffer.from(text);
  }, maxBytes);
  return { find, written };
}

describe("the document of what a token may do", () => {
  it("is written once for all tokens of the same rights, until an endpoint changes", async () => {
    const { find, written } = open();
    const endpoints: readonly Endpoint[] = [];
    const [first, second] = await Promise.all([find(endpoints, owner), find(endpoints, { ...owner, tokenId: "q" })]);
    expect(second).toBe(first);
    expect(await find(endpoints, { ...owner, expiresAt: 1 })).toBe(first);
    expect(written).toHaveLength(1);
    const changed = await find([], owner);
    expect(changed).not.toBe(first);
    expect(changed).toEqual(first);
  });

  it("is another for tokens of other rights, with another tag", async () => {
    const { find } = open();
    const endpoints: readonly Endpoint[] = [];
    const callers = [
      owner,
      pinned,
      { ...pinned, pins: { project: "xyz" } },
      { ...owner, redaction: "required" } as const,
    ];
    const found = await Promise.all(callers.map((caller) => find(endpoints, caller)));
    expect(new Set(found).size).toBe(4);
    expect(new Set(found.slice(0, 3).map(({ tag }) => tag)).size).toBe(3);
  });

  it("is forgotten when many are larger than the cache, and where it could not be written", async () => {
    const { find, written } = open(40);
    const endpoints: readonly Endpoint[] = [];
    for (const caller of [owner, pinned, pinned, owner]) await find(endpoints, caller);
    expect(written).toHaveLength(3);
    const broken = { ...owner, scopes: ["broken"] };
    await expect(find(endpoints, broken)).rejects.toThrow("broken");
    await expect(find(endpoints, broken)).rejects.toThrow("broken");
  });
});
