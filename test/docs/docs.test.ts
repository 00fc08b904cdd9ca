import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { printGoogleSqlPage } from "./googlesql-page.ts";

it("docs/googlesql.md is what `npm run docs` writes", () => {
  expect(readFileSync("docs/googlesql.md", "utf8")).toBe(printGoogleSqlPage());
});

const pages = ["README.md", "CONTRIBUTING.md", "docs/api.md", "docs/event-model.md", "docs/decisions/README.md"];

it.each(pages)("the links of %s lead to files that exist", (page) => {
  const targets = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
    ([, target]) => target ?? "",
  );
  expect(targets.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
});
