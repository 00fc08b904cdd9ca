import { describe, expect, it } from "vitest";
import { checkReplacement, countGroups, GAP, readShape, spellNames, splitAtGroup } from "./regexp-syntax.ts";

describe("readShape", () => {
  it.each([
    ["abc", 0],
    ["(a)", 1],
    ["(?:a)", 0],
    ["(?P<name>a)(?<other>b)", 2],
    ["(?i)a", 0],
    ["(?i:a)", 0],
    [String.raw`\(a\)`, 0],
    ["[(]", 0],
    ["[])(]", 0],
    ["[^](]", 0],
    ["[[:alpha:](]", 0],
    [String.raw`[\](]`, 0],
    [String.raw`\Q(a)\E(b)`, 1],
    [String.raw`\Q(a`, 0],
    ["((a)b)", 2],
  ])("counts the capturing groups of %s", (pattern, count) => {
    expect(readShape(pattern).groups).toHaveLength(count);
  });

  it("rejects unbalanced parentheses", () => {
    expect(() => readShape("a)")).toThrow("unexpected )");
    expect(() => readShape("(a")).toThrow("missing )");
  });
});

describe("countGroups", () => {
  it("accepts at most one group", () => {
    expect(countGroups("a(b)c")).toBe(1);
    expect(() => countGroups("(a)(b)")).toThrow("more than 1 capturing group");
  });
});

describe("splitAtGroup", () => {
  it.each([
    ["abc", "(abc)()()"],
    ["a(b)c", "((a(b))c)"],
    ["(?i)a(b)", "(?i)((a(b)))"],
    ["a|b", "(a|b)()()"],
    ["a(b)?c", "((a(b)?)c)"],
    ["(a)??b", "(((a)??)b)"],
    ["(a)*b", "(((a)*)b)"],
    ["(a){2}b", "(((a){2})b)"],
    ["a(b){2,}?{c", "((a(b){2,}?){c)"],
    ["(a){,3}", "(((a)){,3})"],
    ["a(b)|c", "((a(b))|c)"],
    ["(?i)a|b(c)+d|e", "(?i)(a|(b(c)+)d|e)"],
    ["(?:x|y)[|](b)", "(((?:x|y)[|](b)))"],
  ])("captures what ends with the group of %s", (pattern, split) => {
    expect(splitAtGroup(pattern)).toBe(`${GAP}${split}`);
  });

  it.each(["((?:a(b)))", "(?:a(b))", "(?:a(b))+", "a(?i)(b)"])("rejects %s", (pattern) => {
    expect(() => splitAtGroup(pattern)).toThrow(/not supported|more than 1/);
  });
});

describe("checkReplacement", () => {
  it("rejects references to groups that the expression lacks", () => {
    expect(checkReplacement("(a)(b)", String.raw`\2\1\0\\ $1`)).toBe(String.raw`\2\1\0\\ $1`);
    expect(() => checkReplacement("(a)", String.raw`\2`)).toThrow("no group 2");
    expect(() => checkReplacement("a", String.raw`\n`)).toThrow("a digit or a backslash");
    expect(() => checkReplacement("a", "x\\")).toThrow("a digit or a backslash");
  });
});

describe("spellNames", () => {
  it.each([
    ["(?<a>b(?<c>d))(?P<e>f)", "(?P<a>b(?P<c>d))(?P<e>f)"],
    [String.raw`[(?<]\(?<(?<a>b)`, String.raw`[(?<]\(?<(?P<a>b)`],
    ["(?:a)(b)(?<=c)", "(?:a)(b)(?<=c)"],
  ])("writes the names of groups in %s as RE2 does", (pattern, spelt) => {
    expect(spellNames(pattern)).toBe(spelt);
  });
});
