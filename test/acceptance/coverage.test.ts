import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL(".", import.meta.url);
const rows = readFileSync(new URL("COVERAGE.md", folder), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Section"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

it.each(rows)("%sthe coverage of section %s, %s, names a test that exists", (_, section, rule, test = "") => {
  expect(section).not.toBe("");
  expect(rule).not.toBe("");
  const [file = "", title = ""] = test.split(": ");
  expect(title).not.toBe("");
  expect(readFileSync(new URL(file, folder), "utf8")).toContain(title);
});
