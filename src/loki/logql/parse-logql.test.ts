import { describe, expect, it } from "vitest";
import type { LogQuery, LogqlQuery } from "./logql-ast.ts";
import { parseLogql } from "./parse-logql.ts";

/** The query with all parentheses, for its groups. */
function group(query: LogqlQuery): string {
  if (query.kind === "binary") {
    const bool = query.isBool ? " bool" : "";
    return `(${group(query.left)} ${query.operator}${bool} ${group(query.right)})`;
  }
  return query.kind === "number" ? String(query.value) : query.kind;
}

describe("parseLogql", () => {
  it.each([
    ["1 + 2 * 3", "(1 + (2 * 3))"],
    ["1 * 2 + 3", "((1 * 2) + 3)"],
    ["1 - 2 - 3", "((1 - 2) - 3)"],
    ["2 ^ 3 ^ 2", "(2 ^ (3 ^ 2))"],
    ["1 / 2 * -1 + 2", "(((1 / 2) * -1) + 2)"],
    ["(1 + 2) * 3", "((1 + 2) * 3)"],
    ["1 < bool 2 + 3", "(1 < bool (2 + 3))"],
    ["1 or 2 and 3 unless 4", "(1 or ((2 and 3) unless 4))"],
    ["vector(1)+vector(1)", "(vector + vector)"],
    ['sum(rate({a="b"}[5m])) > 1', "(aggregate > 1)"],
  ])("groups %s", (query, grouped) => {
    expect(group(parseLogql(query))).toBe(grouped);
  });

  it.each([
    [`${" | json".repeat(20)}${" | x = 1".repeat(79)}`, " | json", "20 stages that parse lines"],
    [" | x = 1".repeat(100), " | y = 1", "100 stages"],
    [' |~ "x"'.repeat(100), ' !~ "y"', "100 stages"],
    [` |~ "x"${' or "x"'.repeat(99)}`, ' or "y"', "100 stages"],
    [` | line_format "x"${' |= "x"'.repeat(1_000)}`, " | x = 1".repeat(100), "100 stages"],
  ])("takes many stages, and refuses one more (%#)", (many, more, reason) => {
    expect(parseLogql(`{a="b"}${many}`)).toMatchObject({ kind: "log" });
    expect(() => parseLogql(`{a="b"}${many}${more}`)).toThrow(reason);
  });

  it.each([
    ['{a="b"', 7, "unexpected end of the query, expected }"],
    ['{a="b"} |= ', 12, "unexpected end of the query, expected a text"],
    ['{a="b"} | foo', 14, "expected a comparison"],
    ['{a=~".*"}', 1, "at least one"],
    ["{}", 1, "at least one"],
    ['{a="b", c!="d"} |~ "("', 20, "missing"],
    ['sum(rate({a="b"}[5m])', 22, "expected )"],
    ['rate({a="b"})', 13, "expected a range"],
    ['sum_over_time({a="b"}[5m])', 1, "without unwrap"],
    ['count_over_time({a="b"} | unwrap x [5m])', 1, "with unwrap"],
    ['sum_over_time({a="b"} | unwrap x [5m]) by (c)', 1, "grouping not allowed"],
    ['{a="b"} + 1', 1, "a log query is no operand"],
    ['topk(0, rate({a="b"}[5m]))', 1, "an integer from 1"],
    ['{a="b"} | regexp "a(b)"', 18, "named capture"],
    ['{a="b"} | pattern "<_>"', 19, "named capture"],
    ['{a="b"} | pattern "<a><b>"', 19, "between two captures"],
    ['{a="b"} | line_format "{{range .x}}"', 23, "range is not supported"],
    ['rate_counter({a="b"} | unwrap x [5m])', 1, "rate_counter is not supported"],
    ['{a="b"}\n  | json\n  | x ? 5', 7, "unexpected ?"],
    ['{a="b', 4, "not closed"],
    ['{a="\\q"}', 4, "invalid escape"],
    [`${"(".repeat(300)}1`, 201, "nests deeper"],
    [Array(1_002).fill("1").join("+"), 2_003, "more than 1000 operators"],
    [`{a="b"} | ${Array(1_002).fill("x>1").join(" or ")}`, 7_018, "more than 1000 operators"],
    [`{a="b"} | x > ${"1".repeat(101)}`, 15, "100 characters at most"],
  ])("refuses %s with the place", (query, column, message) => {
    expect(() => parseLogql(query)).toThrow(
      expect.objectContaining({
        code: "syntax_error",
        message: expect.stringContaining(message),
        details: expect.objectContaining({ column }),
      }),
    );
  });

  it("reads a filter of lines behind a stage that may stand alone, and a label with the name of a stage", () => {
    const kinds = (query: string) => (parseLogql(query) as LogQuery).stages.map(({ kind }) => kind);
    expect(kinds('{a="b"} | json != "x" | logfmt !~ "y" | unpack != ip("::1")')).toEqual([
      ...["json", "line", "logfmt", "line", "unpack", "line"],
    ]);
    expect(kinds('{a="b"} | json="x" | json != 5 | pattern != "y" | (json != "x")')).toEqual(Array(4).fill("filter"));
  });

  it("reads ranges, offsets and unwrap in every place that Loki has them", () => {
    const range = { rangeUs: 5_400_000_000, offsetUs: 60_000_000 };
    for (const query of [
      'rate({a="b"} |= "x" [1h30m] offset 1m)',
      'rate({a="b"}[1h30m] offset 1m |= "x")',
      'rate(({a="b"} |= "x")[1h30m] offset 1m)',
    ]) {
      expect(parseLogql(query)).toMatchObject({ kind: "range", operator: "rate", ...range, query: { stages: [{}] } });
    }
    expect(parseLogql('quantile_over_time(0.9, {a="b"} | unwrap duration(x) | y="z" [5m]) by (c)')).toMatchObject({
      parameter: 0.9,
      unwrap: { label: "x", conversion: "duration", filters: [{ kind: "text" }] },
      grouping: { isWithout: false, labels: ["c"] },
    });
  });
});
