import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../engines/contract/parse-json.ts";
import { planOf } from "./alert-document.ts";
import { type AlertForm, operators } from "./alert-form.ts";
import { findGroups, type Row } from "./find-groups.ts";

const find = (form: Partial<AlertForm>, rows: readonly Row[]) =>
  findGroups(planOf({ id: "a", form: { name: "alert", sql: "select 1", every: "1m", ...form } }), rows);

/** Whether a value, as JSON, meets a condition. */
const meets = (json: string, op: (typeof operators)[number], value: number | string) =>
  find({ when: { column: "c", op, value } }, [parseJson(`{"c":${json}}`) as Row]).length === 1;

describe("the groups that meet a condition", () => {
  it("compare numbers of every size, and those that are texts in JSON, by their values", () => {
    const compare = {
      ">": (a: number, b: number) => a > b,
      ">=": (a: number, b: number) => a >= b,
      "<": (a: number, b: number) => a < b,
      "<=": (a: number, b: number) => a <= b,
      "=": (a: number, b: number) => a === b,
      "!=": (a: number, b: number) => a !== b,
    };
    const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -1e20, max: 1e20 }));
    fc.assert(
      fc.property(number, number, fc.constantFrom(...operators), (a, b, op) => {
        for (const json of [JSON.stringify(a), JSON.stringify(String(a))]) {
          expect([json, op, b, meets(json, op, b)]).toEqual([json, op, b, compare[op](a, b)]);
        }
      }),
    );
    expect([
      meets("9007199254740993", ">", 9007199254740992),
      meets("9007199254740993", "=", 9007199254740992),
    ]).toEqual([true, false]);
  });

  it.each(operators)("are none for NULL and for what is no number: %s", (op) => {
    expect([meets("null", op, 0), meets('"x"', op, 0), meets('"NaN"', op, 0), meets("{}", op, 0)]).toEqual(
      Array.from({ length: 4 }, () => false),
    );
  });

  it("compare texts whole", () => {
    const long = JSON.stringify("x".repeat(1_000));
    expect([
      meets('"a"', "=", "a"),
      meets('"a"', "!=", "a"),
      meets('"b"', "!=", "a"),
      meets("null", "!=", "a"),
    ]).toEqual([true, false, true, false]);
    expect(meets(long, "=", "x".repeat(1_000))).toBe(true);
  });

  it("are told apart by the values of their columns, whatever these look like", () => {
    const rows = [{ g: "1" }, { g: 1 }, { g: null }, { g: "null" }, { g: "1", n: 2 }, {}];
    const groups = find({ group_by: ["g"] }, rows);
    expect(groups.map(({ labels, rowCount }) => [labels.g, rowCount])).toEqual([
      ["1", 2],
      ["1", 1],
      ["null", 2],
      ["null", 1],
    ]);
    expect(new Set(groups.map(({ key }) => key)).size).toBe(4);
  });

  it("have a message by their first row, which no value can extend", () => {
    const [group] = find({ message: "{{a}} and {{ b }}" }, [{ a: "{{b}}", b: 2 }, { a: "other" }]);
    expect(group).toMatchObject({ message: "{{b}} and 2", rows: '[{"a":"{{b}}","b":2},{"a":"other"}]' });
    const when = { column: "b", op: ">", value: 1 } as const;
    expect(find({ when, group_by: ["a"] }, [{ a: "x", b: 2 }])[0]?.message).toBe("alert: a=x b is 2 (> 1)");
  });

  it("are one of no labels where there are no rows, and that is a reason", () => {
    const when = { column: "n", op: ">", value: 1 } as const;
    expect(find({ when, missing: "fire" }, []).map(({ message }) => message)).toEqual(["alert has no rows"]);
    expect(find({ when, missing: "fire" }, [{ n: 0 }])).toEqual([]);
    expect(find({ when }, [])).toEqual([]);
  });

  it("have a hundred rows at most, with all digits of their numbers", () => {
    const rows = Array.from({ length: 150 }, () => parseJson('{"n":9007199254740993}') as Row);
    const [group] = find({}, rows);
    expect([group?.rowCount, group?.rows]).toEqual([
      150,
      `[${Array.from({ length: 100 }, () => '{"n":9007199254740993}').join(",")}]`,
    ]);
  });

  it("are bounded in what they hold of long values", () => {
    const rows = Array.from({ length: 100 }, (_, index) => ({ c: `${index}${"x".repeat(50_000)}`, n: index }));
    const groups = find({ when: { column: "c", op: "!=", value: "a" }, group_by: ["c"], message: "{{c}}" }, rows);
    expect(new Set(groups.map(({ key }) => key)).size).toBe(100);
    expect(JSON.stringify(groups).length).toBeLessThan(200_000);
    const [alone] = find({ when: { column: "c", op: "!=", value: "a" } }, rows.slice(0, 3));
    expect([alone?.rows.length, alone?.rowCount]).toEqual([50_017, 3]);
    const many = find(
      { group_by: ["n"] },
      rows.map((row) => ({ ...row, c: "x".repeat(9_900) })),
    );
    expect(many.every(({ rows: text }) => text.length > 9_900)).toBe(true);
  });
});
