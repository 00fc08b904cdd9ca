/**
 * Generated cases: each table has a rule of the published reference over a whole family of values or types, with the
 * rows that a plain second way of computing them gives.
 */
import { describe, expect, it } from "vitest";
import { answerAll } from "./answers.ts";
import { isSameRows, type Json } from "./cells.ts";
import { aggregates } from "./tables/aggregates.ts";
import { comparisons } from "./tables/comparisons.ts";
import { frames } from "./tables/frames.ts";
import { nullOperands } from "./tables/null-operands.ts";
import type { TableCase } from "./tables/table.ts";
import { writtenNumbers } from "./tables/written-numbers.ts";

const tables = [...aggregates, ...comparisons, ...frames, ...nullOperands, ...writtenNumbers];

function findFault(
  { query, rows, error }: TableCase,
  answer: Awaited<ReturnType<typeof answerAll>>[number] | undefined,
) {
  const isRight =
    rows === undefined
      ? error?.test(answer?.error?.message ?? "") === true
      : answer?.rows !== undefined && isSameRows(rows as Json[], answer.rows as Json[], true);
  return isRight ? [] : [{ query, expected: rows ?? String(error), got: answer?.rows ?? answer?.error?.message }];
}

/** The tests of every `step`th case of each table. */
export function testGeneratedCases(step: number): void {
  describe("generated cases", () => {
    it("number at least 1,500", () => {
      expect(tables.reduce((sum, { cases }) => sum + cases.length, 0)).toBeGreaterThanOrEqual(1_500);
    });

    it.each(tables.map((table) => [table.name, table] as const))(
      "%s",
      async (_, table) => {
        const cases = table.cases.filter((_, index) => index % step === 0);
        const answers = await answerAll(cases);
        expect(cases.flatMap((item, index) => findFault(item, answers[index]))).toEqual([]);
      },
      120_000,
    );
  });
}
