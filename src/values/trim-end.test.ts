import fc from "fast-check";
import { expect, it } from "vitest";
import { trimBoth, trimEnd } from "./trim-end.ts";

it("removes what a regular expression would", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "0", "\0"), maxLength: 12 });
  fc.assert(
    fc.property(text, (value) => {
      expect(trimEnd(value, " \0")).toBe(value.replace(/[ \0]+$/, ""));
      expect(trimBoth(value, " 0")).toBe(value.replace(/^[ 0]+|[ 0]+$/g, ""));
    }),
  );
});
