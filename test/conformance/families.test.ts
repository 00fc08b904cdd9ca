/**
 * Runs the cases of `corpus/families/`: arrays of `{query, rows}` or `{query, error}`, a file for each family of
 * features. Rows are compared exactly, in order where the query sorts; an error may have any wording. They were run
 * beside an implementation of the reference.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { sampleOf } from "../support/sample-size.ts";
import { type Answer, answerAll } from "./answers.ts";
import { findCaseFault, type OwnCase, readFamilies } from "./own-cases.ts";

const files = readFamilies();
const sampled = files.map(({ file, cases }) => ({ name: file.replace(".json", ""), cases: sampleOf(cases, 0.03) }));
let answers: ReadonlyMap<OwnCase, Answer> = new Map();

beforeAll(async () => {
  answers = await answerAll(sampled.flatMap(({ cases }) => cases));
}, 600_000);

describe("the feature families", () => {
  it("have at least 1,500 distinct cases", () => {
    const queries = files.flatMap(({ cases }) => cases.map(({ query }) => query));
    expect(queries.length).toBeGreaterThanOrEqual(1_500);
    expect(new Set(queries).size).toBe(queries.length);
  });

  it.each(sampled)("$name", ({ cases }) => {
    expect(cases.flatMap((item) => findCaseFault(item, answers.get(item)))).toEqual([]);
  });
});
