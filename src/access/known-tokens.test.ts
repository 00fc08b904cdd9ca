import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { storedToken } from "../../test/support/access/stored-token.ts";
import { KnownTokens } from "./known-tokens.ts";
import { hashSecret } from "./secret.ts";
import type { Token } from "./token.ts";

/** A store whose reads are resolved by hand. */
function createStore() {
  const pending: { resolve: (tokens: readonly Token[]) => void; reject: (error: Error) => void }[] = [];
  let version = 0;
  return {
    pending,
    change: () => version++,
    version: () => String(version),
    list: () => new Promise<readonly Token[]>((resolve, reject) => pending.push({ resolve, reject })),
  };
}

describe("KnownTokens", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("uses the tokens read last when the store does not answer within half a second", async () => {
    const store = createStore();
    const known = new KnownTokens(store, [], () => 0);
    const first = known.read();
    store.pending.shift()?.resolve([storedToken("a")]);
    await first;
    store.change();
    let ended = 0;
    const waiting = Array.from({ length: 3 }, () => known.read().then(() => ended++));
    await vi.advanceTimersByTimeAsync(490);
    expect(ended).toBe(0);
    await vi.advanceTimersByTimeAsync(20);
    await Promise.all(waiting);
    // A call from now on does not wait at all.
    await known.read();
    expect([known.find("a")?.identity.tokenId, store.pending.length]).toEqual(["a", 1]);
    store.pending.shift()?.resolve([]);
    await vi.advanceTimersByTimeAsync(0);
    expect([known.find("a"), known.isCurrent()]).toEqual([undefined, true]);
  });

  it("reads tokens again after a change, even while another read is running", async () => {
    const store = createStore();
    const known = new KnownTokens(store, [], () => 0);
    const before = known.read();
    store.change();
    const after = known.read();
    store.pending.shift()?.resolve([storedToken("a")]);
    await vi.advanceTimersByTimeAsync(0);
    store.pending.shift()?.resolve([]);
    await Promise.all([before, after]);
    expect(known.find("a")).toBeUndefined();
  });

  it("compares complete hashes, even when they share a prefix", async () => {
    const store = createStore();
    const known = new KnownTokens(store, [], () => 0);
    const other = Buffer.from(hashSecret("a"));
    other.writeUInt8(other.readUInt8(31) ^ 1, 31);
    const reading = known.read();
    store.pending.shift()?.resolve([{ ...storedToken("b"), hash: other }]);
    await reading;
    expect(known.find("a")).toBeUndefined();
    store.change();
    const again = known.read();
    store.pending.shift()?.resolve([{ ...storedToken("b"), hash: other }, storedToken("a")]);
    await again;
    expect(known.find("a")?.identity.tokenId).toBe("a");
  });

  it("reads only the tokens that changed where the store can tell, and all others stay what they were", async () => {
    const tokens = new Map(["a", "b", "c"].map((id) => [id, storedToken(id)]));
    const asked: (readonly string[] | undefined)[] = [];
    let changed: readonly string[] | undefined;
    let version = 0;
    const store = {
      version: () => String(version),
      changedSince: () => changed,
      list: async (ids?: readonly string[]) => {
        asked.push(ids);
        return [...tokens.values()].filter(({ id }) => ids?.includes(id) !== false);
      },
    };
    const change = (ids: readonly string[] | undefined, ...put: readonly Token[]) => {
      version++;
      changed = ids;
      for (const token of put) tokens.set(token.id, token);
    };
    const known = new KnownTokens(store, [], () => 0);
    await known.read();
    const identity = known.find("b")?.identity;
    change(["a", "c", "d"], { ...storedToken("a"), revokedAt: 1 }, { ...storedToken("c"), hash: hashSecret("new c") });
    change(changed, storedToken("d"));
    await known.read();
    const found = ["a", "b", "c", "new c", "d"].map((secret) => known.find(secret)?.identity.tokenId);
    expect(found).toEqual([undefined, "b", undefined, "c", "d"]);
    expect(known.find("b")?.identity).toBe(identity);
    change(undefined);
    tokens.delete("b");
    await known.read();
    expect([known.find("b"), known.find("d")?.identity.tokenId]).toEqual([undefined, "d"]);
    expect(asked).toEqual([undefined, ["a", "c", "d"], undefined]);
  });

  it("fails when no tokens were ever read", async () => {
    const store = createStore();
    const known = new KnownTokens(store, [], () => 0);
    const reading = known.read();
    store.pending.shift()?.reject(new Error("away"));
    await expect(reading).rejects.toThrow("away");
  });
});
