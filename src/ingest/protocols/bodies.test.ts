import fc from "fast-check";
import { expect, it } from "vitest";
import { codePoint } from "../../../test/support/code-point.ts";
import { decodeText } from "./bodies.ts";

it("decodeText reads bodies of ASCII, of other UTF-8 and of no UTF-8 as UTF-8", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(decodeText(bytes(""))).toBe("");
  expect(decodeText(bytes('{"a":"\u0000\u007f"}'))).toBe('{"a":"\u0000\u007f"}');
  expect(decodeText(bytes("a\u0080é😀"))).toBe("a\u0080é😀");
  expect(decodeText(bytes("\ufeff{}"))).toBe("{}");
  expect(decodeText(Uint8Array.of(0x61, 0xe9, 0x62))).toBe("a\ufffdb");
});

it("decodeText reads the part of a buffer that it was given", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.nat(20), (text, offset) => {
      const bytes = new TextEncoder().encode(text);
      const whole = new Uint8Array(bytes.length + offset + 3).fill(0x7a);
      whole.set(bytes, offset);
      const part = whole.subarray(offset, offset + bytes.length);
      expect(decodeText(part)).toBe(new TextDecoder().decode(bytes));
    }),
  );
});
