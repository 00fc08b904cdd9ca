import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Where a finished tree becomes text: one file of each engine. */
const emitting = ["src/engines/clickhouse/pushdown/plan.ts", "src/engines/duckdb/compile/compile.ts"];

const files = execFileSync("git", ["ls-files", "src/engines"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => file.endsWith(".ts") && !/\.(?:test|long)\.ts$/.test(file));
const withoutComments = (text: string) => text.replaceAll(/\/\*.*?\*\//gs, "").replaceAll(/\/\/.*$/gm, "");
const code = new Map(files.map((file) => [file, withoutComments(readFileSync(file, "utf8"))]));

const pattern = /(?<=[=(,:?&|!]\s*)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/;

/** Looks into a text that is called `sql`, which is what a statement's text is called everywhere. */
const readsSql =
  /\bsql\.(?:match|matchAll|replace|replaceAll|split|includes|startsWith|endsWith|indexOf|search|slice|substring|trim)\(|\.(?:test|exec)\((?:\w+\.)*sql\b/;

it("a tree becomes text in one file of each engine", () => {
  const found = [...code].filter(([, text]) => /import \{[^}]*\bemit\b[^}]*\} from "[^"]*\/statements\.ts"/.test(text));
  expect(found.map(([file]) => file).sort()).toEqual(emitting);
});

it("that file has no regular expression, and no file looks into the text of a statement", () => {
  expect(emitting.filter((file) => pattern.test(code.get(file) ?? ""))).toEqual([]);
  expect([...code].filter(([, text]) => readsSql.test(text)).map(([file]) => file)).toEqual([]);
});

it("finds regular expressions, and statements that are read", () => {
  for (const text of ["if (/a b/.test(name))", "x = /'[^/]'/g", "found ? /a/ : /b/"])
    expect(pattern.test(text), text).toBe(true);
  for (const text of ["a / b / c", "bits(list)", "const half = (a + b) / 2;"])
    expect(pattern.test(text), text).toBe(false);
  for (const text of ["statement.sql.replaceAll(a, b)", "/a/.test(plan.sql)", "sql.includes(a)"])
    expect(readsSql.test(text), text).toBe(true);
});
