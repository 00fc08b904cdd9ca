import { describe, expect, it, vi } from "vitest";
import { storedToken } from "../../test/support/access/stored-token.ts";
import { createAuthenticator } from "./authenticator.ts";
import type { TokenStore } from "./token.ts";

const fixed = { id: "LOGWEIR_PRIVATE_TOKEN", secret: "fixed-secret", scopes: ["private"] };

/** A store of one token, `stored`, that other processes may change. */
function createStore() {
  const counts = { version: 0, changes: 0, looks: 0 };
  const store: Pick<TokenStore, "version" | "ownChanges" | "list"> = {
    version: () => {
      counts.looks++;
      return String(counts.version);
    },
    ownChanges: () => counts.changes,
    list: async () => [storedToken("stored")],
  };
  return { counts, store: store as TokenStore };
}

describe("the authenticator", () => {
  it("accepts only fixed tokens once tokens can no longer be read, and reports this for all others", async () => {
    const { store } = createStore();
    let mayKnow = true;
    const authenticator = createAuthenticator(
      store,
      [fixed],
      () => 0,
      () => mayKnow,
    );
    expect(await authenticator.authenticate("stored")).toMatchObject({ tokenId: "stored" });
    const recalled = authenticator.recall("stored");
    expect(recalled?.isCurrent()).toBe(true);
    mayKnow = false;
    expect(await authenticator.authenticate("fixed-secret")).toEqual({
      tokenId: "LOGWEIR_PRIVATE_TOKEN",
      scopes: ["private"],
      pins: {},
      budget: {},
      redaction: "switchable",
    });
    for (const secret of ["stored", "unknown"]) {
      await expect(authenticator.authenticate(secret)).rejects.toMatchObject({
        code: "metadata_unavailable",
        message: "Tokens cannot be looked up",
      });
    }
    expect([recalled?.isCurrent(), authenticator.recall("stored"), authenticator.recall("fixed-secret")]).toEqual([
      false,
      undefined,
      undefined,
    ]);
  });

  it("refuses an unknown token only when the store tells that it has no such token", async () => {
    vi.useFakeTimers();
    try {
      const stored = ["old"];
      let version = 0;
      let known = 0;
      const server = {
        async confirm() {
          version = known;
        },
        list: async () => stored.map(storedToken),
      };
      const store = {
        version: () => String(version),
        ownChanges: () => 0,
        confirm: () => server.confirm(),
        list: () => server.list(),
      };
      const authenticator = createAuthenticator(store as unknown as TokenStore, [fixed], () => 0);
      const outcome = async (secret: string) => {
        const asked = authenticator.authenticate(secret).catch((error: { readonly code: string }) => error.code);
        await vi.advanceTimersByTimeAsync(500);
        const answer = await asked;
        return typeof answer === "object" ? answer.tokenId : answer;
      };
      expect([await outcome("old"), await outcome("unknown")]).toEqual(["old", undefined]);
      // Created elsewhere, and not yet told of.
      stored.push("new");
      known++;
      expect(await outcome("new")).toBe("new");
      const hang = () => new Promise<never>(() => undefined);
      const fail = () => Promise.reject(new Error("away"));
      const { confirm, list } = server;
      for (const broken of [
        { confirm: hang, list },
        { confirm: fail, list },
        { confirm, list: hang },
        { confirm, list: fail },
      ]) {
        Object.assign(server, { confirm, list });
        await outcome("unknown");
        stored.push("newer");
        known++;
        Object.assign(server, broken);
        for (const secret of ["newer", "unknown"]) expect(await outcome(secret)).toBe("metadata_unavailable");
        expect([await outcome("old"), await outcome("fixed-secret")]).toEqual(["old", fixed.id]);
        stored.pop();
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it("recalls a token it has just read, and checks the store's version every 20 ms or after a change", async () => {
    const { counts, store } = createStore();
    let now = 1_000;
    const authenticator = createAuthenticator(store, [fixed], () => now);
    expect(authenticator.recall("stored")).toBeUndefined();
    await authenticator.authenticate("stored");
    expect(authenticator.recall("stored")?.identity.tokenId).toBe("stored");
    counts.looks = 0;
    now += 19;
    for (let call = 0; call < 3; call++) authenticator.recall("stored");
    expect(counts.looks).toBe(0);
    now += 1;
    for (let call = 0; call < 3; call++) authenticator.recall("stored");
    expect(counts.looks).toBe(1);
    counts.changes++;
    for (let call = 0; call < 3; call++) authenticator.recall("stored");
    expect(counts.looks).toBe(2);
    await authenticator.authenticate("stored");
    expect(counts.looks).toBe(2);
    // Another process may have just made it.
    expect(await authenticator.authenticate("unknown")).toBeUndefined();
    expect(counts.looks).toBe(3);
  });
});
