import { describe, expect, it } from "vitest";
import { readDestinations } from "../../shared/network/private-networks.ts";
import { createAddressCheck } from "./check-address.ts";

const names: Readonly<Record<string, string>> = { "own.example": "192.168.1.5", "public.example": "8.8.8.8" };

function check(url: string, own?: string, allowed = ["0.0.0.0/0", "::/0"]) {
  return createAddressCheck({
    allowed: readDestinations(allowed),
    ownAddress: () => (own === undefined ? undefined : new URL(own)),
    localAddresses: () => ["127.0.0.1", "192.168.1.5", "fd00::5"],
    resolve: async (name) => {
      const address = names[name];
      if (address === undefined) throw new Error("ENOTFOUND");
      return [{ address, family: 4 }];
    },
  })(url);
}

const own = "is this service itself: its events would come back";

describe("the check of an address", () => {
  it.each([
    ["http://127.0.0.1:4000/", "http://127.0.0.1:4000", own],
    ["http://127.0.0.9:4000/", "http://127.0.0.1:4000", own],
    ["http://[::1]:4000/x", "http://127.0.0.1:4000", own],
    ["http://[::ffff:127.0.0.1]:4000/", "http://0.0.0.0:4000", own],
    ["http://192.168.1.5:4000/", "http://0.0.0.0:4000", own],
    ["http://[::ffff:192.168.1.5]:4000/", "http://0.0.0.0:4000", own],
    ["http://[::ffff:192.168.1.5]:4000/", "http://192.168.1.5:4000", own],
    ["http://[::ffff:0:0]:4000/", "http://127.0.0.1:4000", own],
    ["http://own.example:4000/", "http://[::]:4000", own],
    ["http://[fd00::5]:4000/", "http://[::]:4000", own],
    ["http://192.168.1.5/", "http://192.168.1.5:80", own],
    ["http://192.168.1.5:4000/", "http://127.0.0.1:4000", undefined],
    ["http://127.0.0.1:4001/", "http://127.0.0.1:4000", undefined],
    ["http://192.168.1.6:4000/", "http://0.0.0.0:4000", undefined],
    ["http://public.example:4000/", "http://0.0.0.0:4000", undefined],
    ["http://127.0.0.1:4000/", undefined, undefined],
  ])("of %s at a service on %s finds %s", async (url, at, found) => {
    expect(await check(url, at)).toBe(found);
  });

  it("finds private networks, and nothing of a name without an address", async () => {
    const problem = "is in a private, loopback or link-local network: LOGWEIR_PRIVATE_DESTINATIONS has to name it";
    expect(await check("http://0x7f000001/", undefined, [])).toBe(`127.0.0.1 ${problem}`);
    expect(await check("http://own.example/", undefined, [])).toBe(`own.example ${problem}`);
    expect(await check("http://own.example/", undefined, ["own.example"])).toBeUndefined();
    expect(await check("http://none.example/", undefined, [])).toBeUndefined();
  });
});
