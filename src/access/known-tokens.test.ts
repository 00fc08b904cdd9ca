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

  it("fails when no tokens were ever read", async () => {
    const store = createStore();
    const known = new KnownTokens(store, [], () => 0);
    const reading = known.read();
    store.pending.shift()?.reject(new Error("away"));
    await expect(reading).rejects.toThrow("away");
  });
});
