import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sampleOf } from "../../../support/sample-size.ts";
import { findBranches, importCases } from "./bundle-cases.ts";
import { findSites, instrument } from "./find-sites.ts";

/** By branch: the case that reads another tenant's rows once it is disabled, or why none does. */
const table = JSON.parse(readFileSync(new URL("tables/guards.json", import.meta.url), "utf8")) as {
  readonly cases: Readonly<Record<string, string>>;
  readonly harmless: Readonly<Record<string, readonly string[]>>;
};

describe("each branch of the guards", () => {
  it("has a case that fails without it, or a reason why it shows nothing of another tenant", () => {
    const listed = [...Object.keys(table.cases), ...Object.values(table.harmless).flat()];
    expect([...listed].sort()).toEqual([...findBranches().keys()].sort());
  });

  it("shows another tenant's data in its case when it is disabled, or in none", { timeout: 3_600_000 }, async () => {
    const { openCases } = await importCases();
    const cases = await openCases();
    const branches = findBranches();
    const wrong: string[] = [];
    const state = globalThis as { mistake?: string | undefined };
    const leaks = async (branch: string, names: readonly string[]): Promise<boolean> => {
      for (const mistake of branches.get(branch) ?? []) {
        state.mistake = mistake;
        for (const name of names) if (await cases.findsLeak(name)) return true;
      }
      return false;
    };
    try {
      for (const [branch, name] of sampleOf(Object.entries(table.cases), 0.05)) {
        if (!(await leaks(branch, [name]))) wrong.push(`not caught: ${branch}`);
      }
      for (const branch of sampleOf(Object.values(table.harmless).flat(), 0.005)) {
        if (await leaks(branch, cases.names)) wrong.push(`not harmless: ${branch}`);
      }
    } finally {
      state.mistake = undefined;
      await cases.close();
    }
    expect(wrong).toEqual([]);
  });
});

describe("the branches of a text", () => {
  const text = "function f(a) {\n  if (a === 1 && b) return [a];\n  return a ? c.filter(d) : (e ?? f);\n}";

  it("are its conditions, operands, lists and filters", () => {
    expect(findSites(text).map(({ key, mistakes }) => [key, ...mistakes])).toEqual([
      ["f: a === 1 && b", "true", "false", "a === 1", "b"],
      ["f: a === 1", "true", "false"],
      ["f: [a]", "[]"],
      ["f: a", "true", "false"],
      ["f: c.filter(d)", "c"],
      ["f: e ?? f", "e", "f"],
    ]);
  });

  it("are disabled one at a time", () => {
    const run = (mistake: string | undefined) => {
      const state = globalThis as { mistake?: string | undefined };
      state.mistake = mistake;
      try {
        const code = `${instrument("x.ts", text)}; return [f(1), f(0), f(2)]`;
        return new Function("b", "c", "d", "e", code)(true, [1, 2], (n: number) => n > 1, undefined) as unknown;
      } finally {
        state.mistake = undefined;
      }
    };
    expect(JSON.stringify(run(undefined))).toBe(JSON.stringify([[1], undefined, [2]]));
    expect(JSON.stringify(run("x.ts f: [a] #0"))).toBe(JSON.stringify([[], undefined, [2]]));
    expect(JSON.stringify(run("x.ts f: c.filter(d) #0"))).toBe(JSON.stringify([[1], undefined, [1, 2]]));
    expect(JSON.stringify(run("x.ts f: a === 1 && b #1"))).toBe(JSON.stringify([[2], undefined, [2]]));
  });
});
