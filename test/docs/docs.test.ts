import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describedService } from "../../src/http/routes/index.ts";
import { printCommandTable, printManualPage } from "./command-pages.ts";
import { printGoogleSqlPage } from "./googlesql-page.ts";
import { printSettings } from "./settings-page.ts";

it("docs/googlesql.md is up to date with `npm run docs`", () => {
  expect(readFileSync("docs/googlesql.md", "utf8")).toBe(printGoogleSqlPage());
});

it.each([
  ["docs/cli.md", printCommandTable],
  ["deploy/man/logweir.1", printManualPage],
  ["docs/configuration.md", printSettings],
])("%s is up to date with `npm run docs`", (path, print) => {
  const page = readFileSync(path, "utf8");
  expect(print(page)).toBe(page);
});

it("every route is on a page, by its path with any names for its parameters", () => {
  const pages = readdirSync("docs").filter((name) => name.endsWith(".md"));
  const text = pages.map((name) => readFileSync(join("docs", name), "utf8")).join("\n");
  // The methods of others' APIs are told by the names that they have there.
  const own = describedService.routes.filter(({ path }) => !/^\/(?:bigquery\/v2|loki\/api\/v1)\//.test(path));
  const patternOf = (path: string) =>
    path
      .split(/\{\w+\}/)
      .map((part) => part.replaceAll(".", "\\."))
      .join("[^/\\s`]+");
  // A table may shorten what its rows have in common.
  const shortened = (path: string) => path.replace(/^.*?\}/, "...");
  const isTold = (path: string) =>
    [path, shortened(path)].some((each) => new RegExp(`${patternOf(each)}(?![\\w/])`).test(text));
  expect([...new Set(own.map(({ path }) => path))].filter((path) => !isTold(path))).toEqual([]);
});

it("every decision says since when it is accepted, and is listed", () => {
  const folder = "docs/decisions";
  const listed = readFileSync(join(folder, "README.md"), "utf8");
  const names = readdirSync(folder).filter((name) => name !== "README.md");
  const isDated = (name: string) =>
    /^# .+\n\n\*(?:Accepted|Replaced|Withdrawn), \d{4}-\d\d-\d\d\./.test(readFileSync(join(folder, name), "utf8"));
  expect(names.filter((name) => !isDated(name) || !listed.includes(`(${name})`))).toEqual([]);
});
