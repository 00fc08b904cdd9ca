import fc from "fast-check";
import { expect, it } from "vitest";
import { codePoint } from "../../test/support/code-point.ts";
import { CleanNames, cleanValue } from "./clean-value.ts";
import { cleanFieldName } from "./field-name.ts";
import { defaultIngestLimits } from "./limits.ts";

it.each([
  ["path", "path"],
  ["", "_"],
  ["_private", "_private"],
  ["cf-ray", "_cf_ray"],
  ["a.b", "_a_b"],
  ["1x", "_1x"],
  ["a-b c", "__a_b_c"],
  ["1-x", "_1_x"],
  ["_TABLE_x", "__TABLE_x"],
  ["_PARTITION-x", "___PARTITION_x"],
  ["naïve", "_na_ve"],
  ["😀", "__"],
  ["a".repeat(129), `_${"a".repeat(128)}`],
  [`_${"a".repeat(128)}`, `_${"a".repeat(128)}`],
  ["a".repeat(128), "a".repeat(128)],
])("cleanFieldName turns %s into %s", (name, cleaned) => {
  expect(cleanFieldName(name)).toBe(cleaned);
});

it("cleanFieldName returns a valid column name for every name", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: codePoint })), (name) => {
      expect(cleanFieldName(name)).toMatch(/^[A-Za-z_]\w*$/);
    }),
  );
});

it("cleanValue retains every value when cleaned names collide", () => {
  const cleaned = cleanValue({ "a-b": 1, _a_b: 2, "a.b": 3 }, defaultIngestLimits);
  expect(cleaned).toEqual({ __a_b: 1, _a_b: 2, ___a_b: 3 });
});

it("cleanValue cleans the names of every event of a body, however many the body has", () => {
  const names = new CleanNames();
  const many = Array.from({ length: 10_001 }, (_, index) => `n${index}`);
  const cleaned = [...many, ...many, "a-b", "a-b"].flatMap((name) => {
    const value = cleanValue({ [name]: 1 }, defaultIngestLimits, names);
    return Object.keys(value ?? {});
  });
  expect(cleaned).toEqual([...many, ...many, "a-b", "a-b"].map(cleanFieldName));
});
