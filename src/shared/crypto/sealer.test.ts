import { createCipheriv } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSealer } from "./sealer.ts";

const key = new Uint8Array(32).fill(5);

describe("a sealer", () => {
  it("opens what it sealed with the same context, and nothing else", () => {
    const { seal, open } = createSealer(key);
    for (const text of ["", "ä text", '{"url":"https://example.com"}']) {
      const sealed = seal(text, "call");
      expect(open(sealed, "call")).toBe(text);
      expect(seal(text, "call")).not.toBe(sealed);
      expect(open(sealed)).toBeUndefined();
      expect(open(sealed, "another")).toBeUndefined();
      expect(open(`${sealed}=`, "call")).toBeUndefined();
      expect(open(sealed.slice(0, -1), "call")).toBeUndefined();
      expect(createSealer(new Uint8Array(32)).open(sealed, "call")).toBeUndefined();
    }
    expect(open("")).toBeUndefined();
  });

  it("opens texts that were sealed without a context before there was one: 12 bytes of nonce, 16 of tag, the text", () => {
    const nonce = Buffer.alloc(12, 3);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const body = Buffer.concat([cipher.update("stored"), cipher.final()]);
    const stored = Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    expect(createSealer(key).open(stored)).toBe("stored");
  });
});
