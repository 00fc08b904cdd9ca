/**
 * Generated cases: each table has a rule of the published reference over a whole family of values or types, with the
 * rows that a plain second implementation computes.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, answerAll } from "./answers.ts";
import { findTableFault, tables } from "./own-cases.ts";
import type { TableCase } from "./tables/table.ts";

/** The tests of every `step`th case of each table. */
export function testGeneratedCases(step: number): void {
  const sampled = tables.map(({ name, cases }) => ({ name, cases: cases.filter((_, index) => index % step === 0) }));

  describe("the generated cases", () => {
    let answers: ReadonlyMap<TableCase, Answer> = new Map();

    beforeAll(async () => {
      answers = await answerAll(sampled.flatMap(({ cases }) => cases));
    }, 600_000);

    it("number at least 1,500", () => {
      expect(tables.reduce((sum, { cases }) => sum + cases.length, 0)).toBeGreaterThanOrEqual(1_500);
    });

    it.each(sampled)("$name", ({ cases }) => {
      expect(cases.flatMap((item) => findTableFault(item, answers.get(item)))).toEqual([]);
    });
  });
}
