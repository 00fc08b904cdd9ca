import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { printCommandTable, printManualPage } from "./command-pages.ts";
import { printConsoleOperations } from "./console-operations.ts";
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

it("every operation that the console uses is an operation of the service", () => {
  const made = readFileSync("console/api/operations.generated.ts", "utf8");
  const known = made.slice(made.indexOf("export const operations")).split("\n");
  const current = new Set(printConsoleOperations().split("\n"));
  expect(known.filter((line) => !current.has(line))).toEqual([]);
});

const pages = ["README.md", "CONTRIBUTING.md", "docs/api.md", "docs/event-model.md", "docs/decisions/README.md"];

it.each(pages)("the links of %s lead to existing files", (page) => {
  const targets = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
    ([, target]) => target ?? "",
  );
  expect(targets.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
});

it("every decision says since when it is accepted, and is listed", () => {
  const folder = "docs/decisions";
  const listed = readFileSync(join(folder, "README.md"), "utf8");
  const names = readdirSync(folder).filter((name) => name !== "README.md");
  const isDated = (name: string) =>
    /^# .+\n\n\*(?:Accepted|Replaced|Withdrawn), \d{4}-\d\d-\d\d\./.test(readFileSync(join(folder, name), "utf8"));
  expect(names.filter((name) => !isDated(name) || !listed.includes(`(${name})`))).toEqual([]);
});
