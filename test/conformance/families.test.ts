/**
 * Runs the cases of `corpus/families/`: arrays of `{query, rows}` or `{query, error}`, a file for each family of
 * features. Rows are compared exactly, in order where the query sorts; an error may have any wording. They were run
 * beside an implementation of the reference.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { answerAll } from "./answers.ts";

interface FamilyCase {
  readonly query: string;
  readonly rows?: readonly unknown[];
  readonly error?: string;
}

const folder = new URL("corpus/families/", import.meta.url);
const files = readdirSync(folder).map((file) => {
  const cases = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as readonly FamilyCase[];
  return { name: file.replace(".json", ""), cases };
});

describe("families of features", () => {
  it("have at least 1,500 cases, each once", () => {
    const queries = files.flatMap(({ cases }) => cases.map(({ query }) => query));
    expect(queries.length).toBeGreaterThanOrEqual(1_500);
    expect(new Set(queries).size).toBe(queries.length);
  });

  it.each(files)(
    "$name",
    async ({ cases }) => {
      const answers = await answerAll(cases.map((item) => ({ ...item, isFallible: item.error !== undefined })));
      const got = cases.map(({ query, error }, index) => {
        const answer = answers[index];
        const isFailed = error !== undefined && answer?.error !== undefined;
        return isFailed ? { query, error } : { query, rows: answer?.rows ?? answer?.error?.message };
      });
      expect(got).toEqual(cases);
    },
    120_000,
  );
});
