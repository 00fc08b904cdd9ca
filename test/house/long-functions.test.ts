import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

const maxLines = 60;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "src", "console", "bench"])
  .toString()
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|long)\.tsx?$/.test(file));

interface Node {
  readonly type?: string;
  readonly start: number;
  readonly end: number;
}

/** Calls `visit` for every function of a syntax tree. */
function forEachFunction(tree: unknown, visit: (node: Node) => void): void {
  if (typeof tree !== "object" || tree === null) return;
  if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test((tree as Node).type ?? "")) {
    visit(tree as Node);
  }
  for (const child of Object.values(tree)) forEachFunction(child, visit);
}

/** The start of each function that is too long, as `line (lines)`. */
function findLong(text: string, lang: "ts" | "tsx"): readonly string[] {
  const lineOf = (offset: number) => text.slice(0, offset).split("\n").length;
  const found: string[] = [];
  forEachFunction(parseAst(text, { lang }), ({ start, end }) => {
    const lines = lineOf(end) - lineOf(start) + 1;
    if (lines > maxLines) found.push(`${lineOf(start)} (${lines} lines)`);
  });
  return found;
}

it("findLong finds a function of any kind that is one line too long", () => {
  const body = (count: number) => `{\n${"work();\n".repeat(count)}}`;
  for (const head of ["function f() ", "const f = () => ", "class C { m() ", "const o = { async m() "]) {
    const tail = head.includes("{") ? " }" : "";
    expect([head, findLong(`function g() {}\n${head}${body(maxLines - 1)}${tail}`, "ts")]).toEqual([
      head,
      ["2 (61 lines)"],
    ]);
    expect([head, findLong(`${head}${body(maxLines - 2)}${tail}`, "ts")]).toEqual([head, []]);
  }
});

it("no function is longer than 60 lines", () => {
  const long = files
    .map((file) => ({ file, text: readFileSync(file, "utf8") }))
    // Most files are not even as long as that.
    .filter(({ text }) => text.split("\n").length > maxLines)
    .flatMap(({ file, text }) => findLong(text, file.endsWith("x") ? "tsx" : "ts").map((where) => `${file}:${where}`));
  expect(long).toEqual([]);
});
