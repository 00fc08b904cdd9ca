import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

const folder = new URL(".", import.meta.url);
const rows = readFileSync(new URL("COVERAGE.md", folder), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Section"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

interface Node {
  readonly type?: string;
  readonly [part: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

/** The name of a callee, such as `it`, `it.each` or `describe`; undefined for any other expression. */
function calleeOf(node: Node): string | undefined {
  if (node.type === "Identifier") return String(node.name);
  const inner =
    node.type === "MemberExpression" ? node.object : node.type === "CallExpression" ? node.callee : undefined;
  const name = isNode(inner) ? calleeOf(inner) : undefined;
  const property = node.type === "MemberExpression" && isNode(node.property) ? `.${String(node.property.name)}` : "";
  return name === undefined ? undefined : name + property;
}

/** Titles of the tests and groups that a file runs, except skipped and todo ones. */
function titlesOf(file: string): readonly string[] {
  const titles: string[] = [];
  const look = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(look);
    if (!isNode(node) || Array.isArray(node)) return;
    const callee = node.type === "CallExpression" && isNode(node.callee) ? calleeOf(node.callee) : undefined;
    if (callee !== undefined && /^(?:it|describe)(?:\.each)?$/.test(callee)) {
      const [title] = node.arguments as readonly Node[];
      if (title?.type === "Literal") titles.push(String(title.value));
    }
    if (callee !== undefined && /\.(?:skip|todo)\b/.test(callee)) return;
    for (const part of Object.values(node)) look(part);
  };
  look(parseAst(readFileSync(new URL(file, folder), "utf8"), { lang: "ts" }));
  return titles;
}

const known = new Map<string, readonly string[]>();

it.each(rows)("%sthe coverage of section %s, %s, names a test that runs", (_, section, rule, test = "") => {
  expect(section).not.toBe("");
  expect(rule).not.toBe("");
  const [file = "", title = ""] = test.split(": ");
  expect(title).not.toBe("");
  expect(file).toMatch(/\.test\.ts$/);
  const titles = known.get(file) ?? titlesOf(file);
  known.set(file, titles);
  expect(titles.filter((each) => each.includes(title))).not.toEqual([]);
});
