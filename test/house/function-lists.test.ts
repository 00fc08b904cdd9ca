import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CATALOGUE } from "../../src/googlesql/catalogue/index.ts";
import { KEYWORDS } from "../../src/googlesql/lexer/tables/keywords.ts";

/** Where functions have their rows, and where words are the grammar's. */
const tables = /^src\/(?:googlesql\/(?:catalogue|lexer|parser)|engines\/(?:duckdb|clickhouse)\/functions)\//;

/** The files that may list operators, and why no row can say it. */
const allowed: Readonly<Record<string, string>> = {
  "src/endpoints/tenants/compared-parameters.ts": "what says that two values are equal, and its negation",
  "src/googlesql/resolver/from/guard-binding.ts": "the conditions that a tenant's guard may be",
};

const types: ReadonlySet<string> = new Set(
  "INT64 FLOAT64 NUMERIC BIGNUMERIC BOOL STRING BYTES DATE TIME DATETIME TIMESTAMP INTERVAL JSON RANGE".split(" "),
);
const isName = (word: string): boolean => CATALOGUE.find(word)?.definition !== undefined && word === word.toUpperCase();
const isFunction = (word: string): boolean =>
  word.startsWith("$") ? CATALOGUE.find(word) !== undefined : isName(word);
/** A word of the grammar, or a type, is often no function. */
const isPlain = (word: string): boolean => types.has(word) || KEYWORDS.get(word)?.isReserved === true;

/** Lists of two or more functions: literals between brackets, and texts of nothing else. */
function listsIn(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*.*?\*\//gs, "").replaceAll(/^\s*\/\/.*$/gm, "");
  const brackets = [...code.matchAll(/\[[^[\]()]*\]/g)].map(([list]) =>
    [...list.matchAll(/"([^"\s]+)"/g)].map((m) => m[1] ?? ""),
  );
  const texts = [...code.matchAll(/"([^"\n]+)"/g)].map((match) => (match[1] ?? "").trim().split(/\s+/));
  const lists = [
    ...brackets.map((words) => words.filter(isFunction)),
    ...texts.filter((words) => words.every(isFunction)),
  ];
  return lists.filter((words) => new Set(words).size > 1 && !words.every(isPlain)).map((words) => words.join(" "));
}

it("says nothing of functions by lists of their names: a function's facts are in its row", () => {
  const files = execFileSync("git", ["ls-files", "src"], { encoding: "utf8" }).trim().split("\n");
  const found = files
    .filter((file) => /\.ts$/.test(file) && !/\.(?:test|long)\.ts$/.test(file) && !tables.test(file))
    .flatMap((file) => listsIn(readFileSync(file, "utf8")).map((list) => [file, list] as const));
  expect(found.filter(([file]) => allowed[file] === undefined)).toEqual([]);
  expect(new Set(found.map(([file]) => file))).toEqual(new Set(Object.keys(allowed)));
});

it("finds lists as arrays and as texts, and no types, words of the grammar or messages", () => {
  expect(listsIn('new Set(["COALESCE", "IF"])')).toEqual(["COALESCE IF"]);
  expect(listsIn('[..."$equal LOWER".split(" ")]')).toEqual(["$equal LOWER"]);
  expect(
    listsIn('["INT64", "DATE"]; ["LEFT", "RIGHT"]; "LOWER of BYTES"; ["LOWER"]; /* ["LOWER", "UPPER"] */'),
  ).toEqual([]);
});
