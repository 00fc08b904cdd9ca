import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { printConsoleOperations } from "./console-operations.ts";
import { printGoogleSqlPage } from "./googlesql-page.ts";

it("docs/googlesql.md is up to date with `npm run docs`", () => {
  expect(readFileSync("docs/googlesql.md", "utf8")).toBe(printGoogleSqlPage());
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
