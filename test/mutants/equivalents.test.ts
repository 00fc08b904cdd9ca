import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

interface Equivalent {
  readonly file: string;
  /** The text of its line, or for a whole class of a folder what its lines match. */
  readonly line?: string;
  readonly lines?: string;
  readonly replacement: string;
  readonly reason: string;
}

const equivalents = JSON.parse(readFileSync(new URL("equivalents.json", import.meta.url), "utf8")) as Equivalent[];

function linesOf(path: string): string[] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: "utf8" }).map((file) => join(path, file))
    : [path];
  return files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .map((line) => line.trim());
}

it("equivalents.json names only existing lines, each with a reason", () => {
  const stale = equivalents.filter(({ file, line, lines, reason }) => {
    const isThere = (each: string) => (lines === undefined ? each === line : new RegExp(lines).test(each));
    return reason.length < 20 || !linesOf(file).some(isThere);
  });
  expect(stale).toEqual([]);
});
