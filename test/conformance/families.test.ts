/**
 * Runs the cases of `corpus/families/`: arrays of `{query, rows}` or `{query, error}`, a file for each family of
 * features. Rows are compared exactly, in order where the query sorts; an error may have any wording. They were run
 * beside an implementation of the reference.
 */
import { describe, expect, it } from "vitest";
import { sampleOf } from "../support/sample-size.ts";
import { answerAll } from "./answers.ts";
import { findCaseFault, readFamilies } from "./own-cases.ts";

const files = readFamilies().map(({ file, cases }) => ({ name: file.replace(".json", ""), cases }));

describe("the feature families", () => {
  it("have at least 1,500 distinct cases", () => {
    const queries = files.flatMap(({ cases }) => cases.map(({ query }) => query));
    expect(queries.length).toBeGreaterThanOrEqual(1_500);
    expect(new Set(queries).size).toBe(queries.length);
  });

  it.each(files)(
    "$name",
    async ({ cases: all }) => {
      const cases = sampleOf(all, 0.06);
      const answers = await answerAll(cases.map((item) => ({ ...item, isFallible: item.error !== undefined })));
      expect(cases.flatMap((item, index) => findCaseFault(item, answers[index]))).toEqual([]);
    },
    120_000,
  );
});
