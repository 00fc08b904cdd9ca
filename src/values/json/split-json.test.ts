import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdsMoreValues, lastObject, lastValue, splitValues } from "./split-json.ts";

/** Rows with all that could be taken for the end of one, as JSON text. */
const text = fc.oneof(fc.string(), fc.constantFrom(`},{"id":`, `"`, "\\", `},{`, "]"));
const key = fc.constantFrom("id", "a", "", `},{"id":`, "\\");
const leaf = fc.dictionary(key, fc.oneof(text, fc.integer()), { maxKeys: 3 });
const row = fc.dictionary(key, fc.oneof(text, leaf, fc.array(leaf, { maxLength: 10 })), { maxKeys: 3 });
const rows = fc.array(row, { minLength: 1, maxLength: 5 }).map((each) => each.map((one) => JSON.stringify(one)).join());

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
    fc.assert(
      fc.property(rows, (json) => {
        expect(lastValue(json)).toBe([...splitValues(json)].at(-1));
      }),
    );
  });
});

describe("lastObject", () => {
  it("finds the last of several objects, wherever their text begins, or nothing", () => {
    expect(lastObject(`x"},{"id":1},{"id":2}`)).toBe(`{"id":2}`);
    expect(lastObject(`{"id":2}`)).toBeUndefined();
    fc.assert(
      fc.property(rows, fc.nat(), (json, cut) => {
        const found = lastObject(json.slice(cut % json.length));
        if (found !== undefined) expect(found).toBe([...splitValues(json)].at(-1));
      }),
    );
  });
});

describe("holdsMoreValues", () => {
  const countOf = (value: unknown): number =>
    typeof value !== "object" || value === null
      ? 1
      : Object.values(value).reduce((sum: number, each) => sum + countOf(each), 1);

  it("counts values at any depth, and nothing within texts", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (value) => {
        const json = JSON.stringify(value, null, 1);
        const count = countOf(value);
        // An empty list counts as if it held one.
        const empty = (json.match(/\[\]|\{\}/g) ?? []).length;
        expect(holdsMoreValues(json, count - 1)).toBe(true);
        expect(holdsMoreValues(json, count + empty)).toBe(false);
      }),
    );
    expect(holdsMoreValues(JSON.stringify(',[{\\",['), 1)).toBe(false);
  });
});
