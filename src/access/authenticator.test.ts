import { describe, expect, it } from "vitest";
import { createAuthenticator } from "./authenticator.ts";
import { storedToken } from "./testing/stored-token.ts";
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
