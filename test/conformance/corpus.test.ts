/**
 * Runs the cases of `corpus/`, our own, written from the published reference: each file is an array of `{name, query,
 * params?, rows}` or `{name, query, params?, error}`. Rows are compared exactly and in order, as `sql --batch` writes
 * them; `error` is a part of the message. A query without ORDER BY must have one row, or an order by nature.
 */
import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/googlesql/catalogue/index.ts";
import { type Answer, answerAll } from "./answers.ts";

interface CorpusCase {
  readonly name: string;
  readonly query: string;
  readonly params?: unknown;
  readonly rows?: readonly unknown[];
  readonly error?: string;
}

const folder = new URL("corpus/", import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

it("the corpus has a case for every function of the catalogue", () => {
  const texts = files.map((file) => readFileSync(new URL(file, folder), "utf8").toUpperCase()).join("\n");
  const published = CATALOGUE.definitions.filter(({ name, refused }) => !name.startsWith("$") && refused === undefined);
  const names = published.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const isCalled = (name: string) => new RegExp(`(?<![A-Z0-9_.])${name.replace(".", "\\.")}\\s*\\(`).test(texts);
  expect(names.filter((name) => !isCalled(name))).toEqual([]);
});

describe.each(files)("%s", (file) => {
  const cases = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as readonly CorpusCase[];
  let answers: readonly Answer[] = [];

  beforeAll(async () => {
    answers = await answerAll(cases.map((item) => ({ ...item, isFallible: item.error !== undefined })));
  }, 120_000);

  it("names each case once, with rows or an error", () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    for (const { name, rows, error } of cases) expect([name, rows === undefined]).toEqual([name, error !== undefined]);
  });

  it.each(cases.map((item, index) => [item.name, item, index] as const))("%s", (_, item, index) => {
    const answer = answers[index];
    if (item.error === undefined) expect(answer).toMatchObject({ rows: item.rows });
    else expect(answer?.error?.message).toContain(item.error);
  });
});
