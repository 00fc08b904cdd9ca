/**
 * Generated cases: each table has a rule of the published reference over a whole family of values or types, with the
 * rows that a plain second implementation computes.
 */
import { describe, expect, it } from "vitest";
import { answerAll } from "./answers.ts";
import { findTableFault, tables } from "./own-cases.ts";

/** The tests of every `step`th case of each table. */
export function testGeneratedCases(step: number): void {
  describe("the generated cases", () => {
    it("number at least 1,500", () => {
      expect(tables.reduce((sum, { cases }) => sum + cases.length, 0)).toBeGreaterThanOrEqual(1_500);
    });

    it.each(tables.map((table) => [table.name, table] as const))(
      "%s",
      async (_, table) => {
        const cases = table.cases.filter((_, index) => index % step === 0);
        const answers = await answerAll(cases);
        expect(cases.flatMap((item, index) => findTableFault(item, answers[index]))).toEqual([]);
      },
      120_000,
    );
  });
}
