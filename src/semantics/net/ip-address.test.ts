import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressBytes, addressText, networkMask, truncateAddress } from "./ip-address.ts";

describe("addressBytes", () => {
  it.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "1.2.3.4/8",
    " 1.2.3.4",
    "1:2",
    ":1",
    "1:",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7:8:9",
    "12345::",
    "::1.2.3",
    "1.2.3.4::",
    "fe80::1%eth0",
    "[::1]",
  ])("rejects %j", (text) => {
    expect(addressBytes(text)).toBeUndefined();
  });

  it("parses every address that addressText writes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
    );
    fc.assert(
      fc.property(bytes, (address) => {
        expect(addressBytes(addressText(address))).toEqual(address);
      }),
    );
  });
});

describe("addressText", () => {
  it.each([
    ["2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["1:0:0:0:0:0:0:0", "1::"],
    ["1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"],
    ["::ffff:1.2.3.4", "::ffff:1.2.3.4"],
  ])("abbreviates %s to %s", (long, short) => {
    expect(addressText(addressBytes(long) ?? new Uint8Array())).toBe(short);
  });
});

describe("network prefixes", () => {
  it("truncate an address just as the network mask does", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.integer({ min: 0, max: 128 }),
        (address, prefix) => {
          const mask = networkMask(16n, BigInt(prefix));
          const bits = [...mask].map((byte) => byte.toString(2).padStart(8, "0")).join("");
          expect(bits).toBe("1".repeat(prefix).padEnd(128, "0"));
          expect(truncateAddress(address, BigInt(prefix))).toEqual(
            address.map((byte, index) => byte & (mask[index] ?? 0)),
          );
        },
      ),
    );
  });
});
