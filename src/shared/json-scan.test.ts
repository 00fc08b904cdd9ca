import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lastValue, splitValues } from "./json-scan.ts";

describe("lastValue", () => {
  it.each([
    ["", undefined],
    ["{}", "{}"],
    [`{"id":1},{"id":2}`, `{"id":2}`],
    [`{"id":1},{"id":[{"id":2},{"id":3}]}`, `{"id":[{"id":2},{"id":3}]}`],
    [`{"id":[{"id":2},{"id":3}]}`, `{"id":[{"id":2},{"id":3}]}`],
    [`{"id":"a},{\\"id\\":"},{"id":"\\\\"}`, `{"id":"\\\\"}`],
    [`{"id":1},{"other":2}`, `{"other":2}`],
    [`{"id":1},{"id":2},3`, "3"],
    [`{"},{":1},{"},{":2}`, `{"},{":2}`],
    [`[1],[{"id":2},{"id":3}]`, `[{"id":2},{"id":3}]`],
  ])("of %s is %s", (json, last) => {
    expect(lastValue(json)).toBe(last);
  });

  it("equals the last value that splitValues finds", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(`},{"id":`, `"`, "\\", `},{`, "]"));
    const key = fc.constantFrom("id", "a", "", `},{"id":`, "\\");
    const leaf = fc.dictionary(key, fc.oneof(text, fc.integer()), { maxKeys: 3 });
    const row = fc.dictionary(key, fc.oneof(text, leaf, fc.array(leaf, { maxLength: 10 })), { maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const json = rows.map((each) => JSON.stringify(each)).join();
        expect(lastValue(json)).toBe([...splitValues(json)].at(-1));
      }),
      { numRuns: 300 },
    );
  });
});
