/**
 * Runs the cases of `corpus/`, our own, written from the published reference: each file is an array of `{name, query,
 * params?, rows}` or `{name, query, params?, error}`. Rows are compared exactly and in order, as `sql --batch` writes
 * them; `error` is a part of the message. A query without ORDER BY must have one row, or an order by nature.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/googlesql/catalogue/index.ts";
import { sampleOf } from "../support/sample-size.ts";
import { type Answer, answerAll } from "./answers.ts";
import { type OwnCase, readCorpus } from "./own-cases.ts";

const files = readCorpus();

it("the corpus has a case for every function of the catalogue", () => {
  const texts = files.map(({ text }) => text.toUpperCase()).join("\n");
  const published = CATALOGUE.definitions.filter(({ name, refused }) => !name.startsWith("$") && refused === undefined);
  const names = published.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const isCalled = (name: string) => new RegExp(`(?<![A-Z0-9_.])${name.replace(".", "\\.")}\\s*\\(`).test(texts);
  expect(names.filter((name) => !isCalled(name))).toEqual([]);
});

const sampled = files.map(({ file, cases }) => ({ file, cases, tried: sampleOf(cases, 0.06) }));
let answers: ReadonlyMap<OwnCase, Answer> = new Map();

beforeAll(async () => {
  answers = await answerAll(sampled.flatMap(({ tried }) => tried));
}, 600_000);

describe.each(sampled)("$file", ({ cases, tried }) => {
  it("names each case once, with either rows or an error", () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    for (const { name, rows, error } of cases) expect([name, rows === undefined]).toEqual([name, error !== undefined]);
  });

  it.each(tried.map((item) => [item.name, item] as const))("%s", (_, item) => {
    const answer = answers.get(item);
    if (item.error === undefined) expect(answer).toMatchObject({ rows: item.rows });
    else expect(answer?.error?.message).toContain(item.error);
  });
});
